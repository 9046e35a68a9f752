/* Connections end before descriptors do.
 *
 * libzmq 4.3 ends the process when a connection to its Unix socket finds no descriptor left, and a
 * reload needs a few for its files. So accept4() is replaced for the whole program, libzmq
 * included: a connection that takes a descriptor beyond the limit is closed at once, which its
 * client sees as a server that hangs up. */
#ifndef ACCEPT_LIMIT_H
#define ACCEPT_LIMIT_H

#define ACCEPT_LIMIT_SPARE 32 /* descriptors that no connection gets */

/* From here on connections get descriptors below `highest` only, and leave ACCEPT_LIMIT_SPARE of
 * those that the process may have. [start] Until the first call there is no limit. */
void accept_limit_set(int highest);

#endif
