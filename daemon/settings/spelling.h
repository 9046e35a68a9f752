/* The key that was probably meant. */
#ifndef SPELLING_H
#define SPELLING_H

#include "settings/yaml_reader.h"

#include <stdbool.h>
#include <stddef.h>

/* Letters to change, insert, leave out or swap with their neighbour to turn `a` into `b`;
 * words of YAML_KEY_SIZE and longer are compared by their beginning. [start, main] */
size_t spelling_distance(const char *a, const char *b);

/* Finds the option (or, with `group`, the group of options) whose name is nearest to `key`. [start,
 * main] False, and `nearest` untouched, when none is near: more than one letter in three differs.
 * An option in the wrong group is found by its last word. */
bool spelling_nearest(const char *key, bool group, char nearest[YAML_KEY_SIZE]);

#endif
