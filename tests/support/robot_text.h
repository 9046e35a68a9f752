/* Robots from texts and files, for tests. */
#ifndef ROBOT_TEXT_H
#define ROBOT_TEXT_H

#include "model/model.h"

#include <stddef.h>

/* The file's bytes, ended by a zero byte; ends the test if it cannot be read. Freed with the
 * process. */
char *test_file(const char *path, size_t *length);

/* The model of a URDF, read over a counting arena and then for real; ends the test with the
 * reader's complaint if it is refused. Freed with the process. */
struct model test_model(const char *text, size_t length);
struct model test_model_file(const char *path);

/* `folder`/`name` in a place that lasts until the next call. */
const char *test_path(const char *folder, const char *name);

#endif
