/* What would happen if: goes on in a copy of this process, from where everything stands, and comes
 * back to it. A run whose beginning is healthy is made once, and every fault tried from there.
 *
 *   static void freeze(void *with) { struct trial *trial = with; trial->error = ...; }
 *   aside(freeze, &trial, sizeof(trial));     trial.error is known, everything else as before
 *
 * A copy costs a thousandth of a second, whatever the run is made of. */
#ifndef ASIDE_H
#define ASIDE_H

#include <stddef.h>

/* Calls `what` with a copy of the `size` bytes `with`, and copies them back. [any] An assertion
 * that fails there fails the test. */
void aside(void (*what)(void *with), void *with, size_t size);

#endif
