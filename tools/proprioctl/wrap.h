/* Lines for people that fit their terminal. */
#ifndef WRAP_H
#define WRAP_H

#include <stdio.h>

/* Columns of the terminal that standard output is; without one, so many that nothing is wrapped. */
int wrap_columns(void);

/* Writes lines so that they fit `columns`: what is too long goes on below, `indent` places in, from
 * a gap between words behind those places on. */
void wrap(FILE *out, const char *text, int columns, int indent);

#endif
