/* The reference of what is published, as Markdown: every key of every topic, from the same rows
 * that `meta` describes. */
#ifndef TOPICS_PRINT_H
#define TOPICS_PRINT_H

#include <stdio.h>

/* [start] A table a topic: key, shape, unit, frame, meaning. */
void topics_print(FILE *out);

#endif
