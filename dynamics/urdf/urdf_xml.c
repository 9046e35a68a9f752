#include "urdf/urdf_xml.h"

#include <expat.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct walk {
  XML_Parser parser;
  const struct xml_listener *listener;
  struct message *error;
  enum status status; /* the first refusal */
  size_t depth;
};

static struct xml_place current_place(const struct walk *walk) {
  return (struct xml_place){
      .line = XML_GetCurrentLineNumber(walk->parser),
      .column = XML_GetCurrentColumnNumber(walk->parser) + 1,
      .offset = (size_t)XML_GetCurrentByteIndex(walk->parser),
      .length = (size_t)XML_GetCurrentByteCount(walk->parser),
  };
}

static void stop(struct walk *walk, enum status status) {
  walk->status = status;
  XML_StopParser(walk->parser, XML_FALSE);
}

/* Limits that keep one element small. */
static enum status check_element(const struct xml_element *element, size_t depth,
                                 struct message *error) {
  const struct xml_place *at = &element->place;
  if (depth > XML_MAX_DEPTH) {
    message_set(error, "%lu:%lu: elements nested more than %d deep", at->line, at->column,
                XML_MAX_DEPTH);
    return STATUS_OUT_OF_RANGE;
  }
  size_t count = 0;
  for (const char **a = element->attribute; a[0] != NULL; a += 2, count++) {
    if (strlen(a[1]) > XML_MAX_VALUE) {
      message_set(error, "%lu:%lu: attribute '%.40s' has %zu bytes, at most %d are allowed",
                  at->line, at->column, a[0], strlen(a[1]), XML_MAX_VALUE);
      return STATUS_OUT_OF_RANGE;
    }
  }
  if (count > XML_MAX_ATTRIBUTES) {
    message_set(error, "%lu:%lu: <%.40s> has %zu attributes, at most %d are allowed", at->line,
                at->column, element->name, count, XML_MAX_ATTRIBUTES);
    return STATUS_OUT_OF_RANGE;
  }
  return STATUS_OK;
}

static void XMLCALL on_open(void *data, const XML_Char *name, const XML_Char **attribute) {
  struct walk *walk = data;
  if (walk->status != STATUS_OK) { /* expat may deliver what it had already begun */
    return;
  }
  const struct xml_element element = {name, attribute, current_place(walk)};
  enum status status = check_element(&element, ++walk->depth, walk->error);
  if (status == STATUS_OK) {
    status = walk->listener->open(walk->listener->context, &element, walk->error);
  }
  if (status != STATUS_OK) {
    stop(walk, status);
  }
}

static void XMLCALL on_close(void *data, const XML_Char *name) {
  (void)name;
  struct walk *walk = data;
  if (walk->status != STATUS_OK) {
    return;
  }
  walk->depth--;
  const struct xml_place place = current_place(walk);
  const enum status status = walk->listener->close(walk->listener->context, &place, walk->error);
  if (status != STATUS_OK) {
    stop(walk, status);
  }
}

static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset) {
  struct walk *walk = data;
  if (system_id == NULL && public_id == NULL && !has_internal_subset) {
    return; /* a name alone declares nothing */
  }
  const struct xml_place at = current_place(walk);
  message_set(walk->error,
              "%lu:%lu: <!DOCTYPE %.40s>: document types and entities are not accepted, remove it",
              at.line, at.column, name);
  stop(walk, STATUS_REFUSED);
}

/* Encodings that extend ASCII are read byte by byte, as ISO 8859-1: what a program looks for in a
 * description is ASCII, and what is not is a name or a comment. None has a byte of `<`, `&` or a
 * quote within a character. */
static int XMLCALL on_unknown_encoding(void *data, const XML_Char *name, XML_Encoding *encoding) {
  static const char *const family[] = {"windows-125", "cp125", "iso-8859-", "koi8-",
                                       "gb",          "big5",  "shift_jis", "euc-"};
  (void)data;
  for (size_t i = 0; i < sizeof(family) / sizeof(family[0]); i++) {
    if (strncasecmp(name, family[i], strlen(family[i])) == 0) {
      for (int byte = 0; byte < 256; byte++) {
        encoding->map[byte] = byte;
      }
      encoding->convert = NULL;
      encoding->release = NULL;
      return XML_STATUS_OK;
    }
  }
  return XML_STATUS_ERROR;
}

static enum status check_text(const char *text, size_t length, size_t max_bytes,
                              struct message *error) {
  if (length > max_bytes || length > INT_MAX) {
    message_set(error, "1:1: %zu bytes, at most %zu are allowed", length, max_bytes);
    return STATUS_OUT_OF_RANGE;
  }
  if (length == 0) {
    message_set(error, "1:1: empty");
    return STATUS_BAD_ARGUMENT;
  }
  const char *zero = memchr(text, '\0', length);
  if (zero != NULL) { /* also every UTF-16 and UTF-32 text */
    message_set(error, "1:1: byte %zu is zero: not a text in UTF-8", (size_t)(zero - text));
    return STATUS_BAD_ARGUMENT;
  }
  return STATUS_OK;
}

/* What a user does about text that is no XML. */
static const char *remedy(enum XML_Error code, const char *text) {
  static const char pointer[] = "version https://git-lfs";
  switch (code) {
  case XML_ERROR_UNKNOWN_ENCODING:
    return "; iconv -f ENCODING -t UTF-8 writes it anew";
  case XML_ERROR_TAG_MISMATCH:
    return "; close the element that is open here";
  case XML_ERROR_MISPLACED_XML_PI:
    return "; the file begins with <?xml ...?>: move what stands before it behind it";
  case XML_ERROR_SYNTAX:
    return strncmp(text, pointer, sizeof(pointer) - 1) == 0
               ? "; this is a pointer in place of the file: git lfs pull"
               : "";
  default:
    return "";
  }
}

static enum status parse(struct walk *walk, const char *text, size_t length) {
  XML_SetUserData(walk->parser, walk);
  XML_SetElementHandler(walk->parser, on_open, on_close);
  XML_SetUnknownEncodingHandler(walk->parser, on_unknown_encoding, NULL);
  XML_SetStartDoctypeDeclHandler(walk->parser, on_doctype);
  XML_SetParamEntityParsing(walk->parser, XML_PARAM_ENTITY_PARSING_NEVER);
  if (XML_Parse(walk->parser, text, (int)length, XML_TRUE) == XML_STATUS_OK ||
      walk->status != STATUS_OK) {
    return walk->status;
  }
  const enum XML_Error code = XML_GetErrorCode(walk->parser);
  const struct xml_place at = current_place(walk);
  message_set(walk->error, "%lu:%lu: not well-formed XML: %s%s", at.line, at.column,
              XML_ErrorString(code), remedy(code, text));
  return code == XML_ERROR_NO_MEMORY ? STATUS_NO_MEMORY : STATUS_BAD_ARGUMENT;
}

enum status xml_walk(const char *text, size_t length, size_t max_bytes,
                     const struct xml_listener *listener, struct message *error) {
  enum status status = check_text(text, length, max_bytes, error);
  if (status != STATUS_OK) {
    return status;
  }
  struct walk walk = {.parser = XML_ParserCreate(NULL), .listener = listener, .error = error};
  if (walk.parser == NULL) {
    message_set(error, "1:1: no memory to read XML");
    return STATUS_NO_MEMORY;
  }
  status = parse(&walk, text, length);
  XML_ParserFree(walk.parser);
  return status;
}

const char *xml_attribute(const struct xml_element *element, const char *name) {
  for (const char **a = element->attribute; a[0] != NULL; a += 2) {
    if (strcmp(a[0], name) == 0) {
      return a[1];
    }
  }
  return NULL;
}
