/* A guarded walk over XML: expat with everything switched off that a robot description never needs.
 *
 * A document type is passed over: nothing outside is read, and an entity that it declares is not
 * expanded but refused where it is used. Encodings with zero bytes, deep nesting and oversized
 * texts are refused; positions are kept. */
#ifndef URDF_XML_H
#define URDF_XML_H

#include "common/message.h"
#include "common/status.h"

#include <stddef.h>

#define XML_MAX_DEPTH      32  /* nested elements; URDF needs 6 */
#define XML_MAX_ATTRIBUTES 64  /* of one element */
#define XML_MAX_VALUE      512 /* bytes of one attribute's value */

/* Where a tag stands in the text. */
struct xml_place {
  unsigned long line, column; /* from 1; columns count bytes */
  size_t offset;              /* of its `<`, bytes from the start of the text */
  size_t length;              /* bytes up to and with its `>` */
};

struct xml_element {
  const char *name;
  const char **attribute; /* name, value, name, value, ..., NULL */
  struct xml_place place;
};

/* Who listens. Whatever is not STATUS_OK ends the walk. */
struct xml_listener {
  void *context;
  enum status (*open)(void *context, const struct xml_element *element, struct message *error);
  enum status (*close)(void *context, const struct xml_place *place, struct message *error);
};

/* Tells `listener` of every element's opening and closing tag, in order. [start] [worker]
 * A self-closing tag is told twice, closed with length 0. Returns the listener's refusal or
 *   STATUS_BAD_ARGUMENT  not well-formed, empty, or with a zero byte
 *   STATUS_OUT_OF_RANGE  longer than `max_bytes`, or one of the limits above
 *   STATUS_NO_MEMORY
 * with `line:column: what` in `error` (not NULL). */
enum status xml_walk(const char *text, size_t length, size_t max_bytes,
                     const struct xml_listener *listener, struct message *error);

/* The attribute's value, or NULL. [start] [worker] */
const char *xml_attribute(const struct xml_element *element, const char *name);

#endif
