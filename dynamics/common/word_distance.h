/* How far a word is from another that was perhaps meant. */
#ifndef WORD_DISTANCE_H
#define WORD_DISTANCE_H

#include <stddef.h>

#define WORD_DISTANCE_SIZE 128 /* longer words are compared by their beginning */

/* Letters to change, insert, leave out or swap with their neighbour to turn `a` into `b`. [any] */
size_t word_distance(const char *a, const char *b);

#endif
