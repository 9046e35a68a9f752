/* The one way out of an evaluation that cannot go on. */
#ifndef GIVE_UP_H
#define GIVE_UP_H

/* Says on standard error what cannot be and why, and ends the program with 1. */
_Noreturn void give_up(const char *what, const char *why);

#endif
