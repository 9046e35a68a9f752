/* Reading and printing MessagePack maps. */
#ifndef MAP_H
#define MAP_H

#include <msgpack.h>
#include <stdbool.h>
#include <stdio.h>

/* The value at a path of keys such as "cycle.busy.p99", or NULL. NULL maps have nothing. */
const msgpack_object *map_find(const msgpack_object *map, const char *path);

/* The number there, or `otherwise` when there is none. */
double map_number(const msgpack_object *map, const char *path, double otherwise);

/* The text there, or `otherwise`; never NULL when `otherwise` is not. Copied into `text`, cut to
 * its `size`. */
const char *map_text(const msgpack_object *map, const char *path, const char *otherwise, char *text,
                     size_t size);

/* True when there is a true truth value. */
bool map_truth(const msgpack_object *map, const char *path);

/* Number of elements of the array there, 0 when there is none; and its element, NULL beyond. */
size_t map_count(const msgpack_object *map, const char *path);
const msgpack_object *map_element(const msgpack_object *map, const char *path, size_t i);

/* The number of an object, NaN when it is none. */
double object_number(const msgpack_object *object);

/* Any object as JSON on one line, numbers with all their digits. */
void json_print(FILE *out, const msgpack_object *object);

/* A map for people: one key a line, arrays short, maps inside indented by `indent` blanks more. */
void map_print(FILE *out, const msgpack_object *map, int indent);

#endif
