#include "urdf/urdf_attribute.h"

#include "common/number.h"
#include "urdf/urdf_document.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum status urdf_refuse(const struct urdf_cursor *cursor, enum status status, const char *format,
                        ...) {
  struct message what;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what.text, sizeof(what.text), format, arguments);
  va_end(arguments);
  const struct xml_place *at = &cursor->element->place;
  const char *element = cursor->element->name;
  if (cursor->owner == NULL || cursor->owner[0] == '\0') {
    message_set(cursor->error, "%lu:%lu: <%.40s>: %.300s", at->line, at->column, element,
                what.text);
  } else if (strcmp(element, cursor->kind) == 0) {
    message_set(cursor->error, "%lu:%lu: %s '%s': %.300s", at->line, at->column, cursor->kind,
                cursor->owner, what.text);
  } else {
    message_set(cursor->error, "%lu:%lu: %s '%s': <%.40s>: %.300s", at->line, at->column,
                cursor->kind, cursor->owner, element, what.text);
  }
  return status;
}

static enum status check_range(const struct urdf_cursor *cursor, const char *attribute,
                               struct urdf_range range, double value) {
  const char *blank = range.unit[0] == '\0' ? "" : " ";
  if (value < range.low) {
    return urdf_refuse(cursor, STATUS_OUT_OF_RANGE, "%s: %g is below the minimum %g%s%s", attribute,
                       value, range.low, blank, range.unit);
  }
  if (value > range.high) {
    return urdf_refuse(cursor, STATUS_OUT_OF_RANGE, "%s: %g is above the maximum %g%s%s", attribute,
                       value, range.high, blank, range.unit);
  }
  return STATUS_OK;
}

/* `count` numbers in the range; missing: `values` stay. */
static enum status read_numbers(const struct urdf_cursor *cursor, const char *attribute,
                                struct urdf_range range, size_t count, double *values) {
  const char *text = xml_attribute(cursor->element, attribute);
  if (text == NULL) {
    return STATUS_OK;
  }
  double number[3];
  enum status status = number_read_list(text, count, number);
  if (status == STATUS_NOT_FINITE) {
    return urdf_refuse(cursor, status, "%s: '%.80s' is not finite", attribute, text);
  }
  if (status != STATUS_OK) {
    return urdf_refuse(cursor, status, "%s: '%.80s' is not %s%s", attribute, text,
                       count == 1 ? "a number" : "three numbers, divided by blanks",
                       strstr(text, "${") != NULL
                           ? ": an expression of xacro, expand the file first"
                       : strchr(text, ',') == NULL ? ""
                       : count == 1                ? ": the decimal mark is a point"
                                                   : ": no comma belongs there");
  }
  for (size_t i = 0; i < count && status == STATUS_OK; i++) {
    status = check_range(cursor, attribute, range, number[i]);
  }
  if (status == STATUS_OK) {
    memcpy(values, number, count * sizeof(*values));
  }
  return status;
}

enum status urdf_number(const struct urdf_cursor *cursor, const char *attribute,
                        struct urdf_range range, double *value) {
  return read_numbers(cursor, attribute, range, 1, value);
}

enum status urdf_required_number(const struct urdf_cursor *cursor, const char *attribute,
                                 struct urdf_range range, double *value) {
  if (xml_attribute(cursor->element, attribute) == NULL) {
    return urdf_refuse(cursor, STATUS_BAD_ARGUMENT, "%s is missing", attribute);
  }
  return read_numbers(cursor, attribute, range, 1, value);
}

enum status urdf_vector(const struct urdf_cursor *cursor, const char *attribute,
                        struct urdf_range range, vec3 *value) {
  double xyz[3];
  vec3_to(*value, xyz);
  const enum status status = read_numbers(cursor, attribute, range, 3, xyz);
  if (status == STATUS_OK) {
    *value = vec3_from(xyz);
  }
  return status;
}

enum status urdf_pose(const struct urdf_cursor *cursor, struct pose *pose) {
  const struct urdf_range distance = {-URDF_MAX_DISTANCE, URDF_MAX_DISTANCE, "m"};
  const struct urdf_range angle = {-URDF_MAX_ANGLE, URDF_MAX_ANGLE, "rad"};
  vec3 xyz = VEC3_ZERO, rpy = VEC3_ZERO;
  enum status status = urdf_vector(cursor, "xyz", distance, &xyz);
  if (status == STATUS_OK) {
    status = urdf_vector(cursor, "rpy", angle, &rpy);
  }
  if (status == STATUS_OK) {
    *pose = (struct pose){mat3_from_rpy(rpy), xyz};
  }
  return status;
}

static bool has_control_character(const char *text) {
  for (; *text != '\0'; text++) {
    if ((unsigned char)*text < ' ' || *text == 0x7f) {
      return true;
    }
  }
  return false;
}

enum status urdf_name(const struct urdf_cursor *cursor, const char *attribute,
                      char name[MODEL_NAME_SIZE]) {
  const char *text = xml_attribute(cursor->element, attribute);
  if (text == NULL || text[0] == '\0') {
    return urdf_refuse(cursor, STATUS_BAD_ARGUMENT, "%s is %s", attribute,
                       text == NULL ? "missing" : "empty");
  }
  if (strlen(text) >= MODEL_NAME_SIZE) {
    return urdf_refuse(cursor, STATUS_OUT_OF_RANGE,
                       "%s '%.20s...' has %zu bytes, at most %d are allowed", attribute, text,
                       strlen(text), MODEL_NAME_SIZE - 1);
  }
  if (has_control_character(text)) {
    return urdf_refuse(cursor, STATUS_BAD_ARGUMENT, "%s holds a control character", attribute);
  }
  memcpy(name, text, strlen(text) + 1);
  return STATUS_OK;
}
