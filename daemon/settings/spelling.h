/* The key that was probably meant. */
#ifndef SPELLING_H
#define SPELLING_H

#include "settings/yaml_reader.h"

#include <stdbool.h>
#include <stddef.h>

/* Finds the option (or, with `group`, the group of options) whose name is nearest to `key`. [start,
 * main] False, and `nearest` untouched, when none is near: more than one letter in three differs.
 * An option in the wrong group is found by its last word. */
bool spelling_nearest(const char *key, bool group, char nearest[YAML_KEY_SIZE]);

#endif
