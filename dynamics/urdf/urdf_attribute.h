/* The values of one XML element's attributes: read, checked against limits, complained about. */
#ifndef URDF_ATTRIBUTE_H
#define URDF_ATTRIBUTE_H

#include "common/message.h"
#include "common/status.h"
#include "math/spatial.h"
#include "model/model.h"
#include "urdf/urdf_xml.h"

/* An element and whom to name when it is wrong: `12:5: link 'arm': <mass>: ...`. */
struct urdf_cursor {
  const struct xml_element *element;
  const char *kind, *owner; /* "link" and its name; both NULL when nothing is named yet */
  struct message *error;
};

/* What a number must be. */
struct urdf_range {
  double low, high; /* both allowed */
  const char *unit; /* "" for none */
};

/* Complains in the cursor's name and returns `status`. [start] [worker] */
__attribute__((format(printf, 3, 4))) enum status
urdf_refuse(const struct urdf_cursor *cursor, enum status status, const char *format, ...);

/* One number; when the attribute is missing, `*value` stays as it is. [start] [worker]
 * STATUS_BAD_ARGUMENT, STATUS_NOT_FINITE, STATUS_OUT_OF_RANGE leave it too, and complain. */
enum status urdf_number(const struct urdf_cursor *cursor, const char *attribute,
                        struct urdf_range range, double *value);
/* The same, and STATUS_BAD_ARGUMENT when the attribute is missing. */
enum status urdf_required_number(const struct urdf_cursor *cursor, const char *attribute,
                                 struct urdf_range range, double *value);

/* Three numbers, each in the range; missing: `*value` stays. */
enum status urdf_vector(const struct urdf_cursor *cursor, const char *attribute,
                        struct urdf_range range, vec3 *value);

/* xyz and rpy of an <origin>; what is missing is zero. */
enum status urdf_pose(const struct urdf_cursor *cursor, struct pose *pose);

/* A name of 1 to MODEL_NAME_SIZE - 1 bytes without control characters; missing: an error. */
enum status urdf_name(const struct urdf_cursor *cursor, const char *attribute,
                      char name[MODEL_NAME_SIZE]);

#endif
