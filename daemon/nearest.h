/* "Did you mean": the known word closest to what was typed. */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

/* Number of single-character insertions, deletions, substitutions and swaps of neighbours between
 * two words; words longer than 63 bytes are compared by their first 63. [start] */
size_t word_distance(const char *a, const char *b);

/* The word closest to `typed` among `count` words `stride` bytes apart, starting at `*words`, or
 * NULL when none is close enough to have been meant (at most a third of its letters differ).
 * [start] The stride lets a table of structs be searched by its first member of type `const char
 * *`. */
const char *nearest_word(const char *typed, const char *const *words, size_t count, size_t stride);

#endif
