#include "urdf/urdf_xml.h"

#include <expat.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
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

/* Where the document type stands: bytes [begin, end) of the text, none when both are 0. */
struct doctype {
  XML_Parser parser;
  const char *text;
  size_t begin, end;
};

static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset) {
  (void)name, (void)system_id, (void)public_id, (void)has_internal_subset;
  static const char opening[] = "<!DOCTYPE";
  struct doctype *doctype = data;
  size_t at = (size_t)XML_GetCurrentByteIndex(doctype->parser);
  while (at > 0 && strncmp(doctype->text + at, opening, sizeof(opening) - 1) != 0) {
    at--;
  }
  doctype->begin = at;
}

static void XMLCALL on_doctype_end(void *data) {
  struct doctype *doctype = data;
  doctype->end = (size_t)XML_GetCurrentByteIndex(doctype->parser) +
                 (size_t)XML_GetCurrentByteCount(doctype->parser);
  XML_StopParser(doctype->parser, XML_FALSE);
}

static void XMLCALL on_root(void *data, const XML_Char *name, const XML_Char **attribute) {
  (void)name, (void)attribute;
  const struct doctype *doctype = data;
  XML_StopParser(doctype->parser, XML_FALSE);
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
  case XML_ERROR_UNDEFINED_ENTITY:
    return "; entities are not expanded here: xmllint --noent FILE writes what they stand for";
  case XML_ERROR_INVALID_TOKEN:
    return "; & is written &amp; and < is &lt;, a comment holds no --, letters are UTF-8";
  case XML_ERROR_TAG_MISMATCH:
    return "; close the element that is open here";
  case XML_ERROR_NO_ELEMENTS:
  case XML_ERROR_UNCLOSED_TOKEN:
    return "; the file ends here: is it whole?";
  case XML_ERROR_MISPLACED_XML_PI:
  case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
    return "; <?xml ...?> begins a file, and </robot> ends it: are these two?";
  case XML_ERROR_SYNTAX:
    return strncmp(text, pointer, sizeof(pointer) - 1) == 0
               ? "; this is a pointer in place of the file: git lfs pull"
               : "";
  default:
    return "";
  }
}

static XML_Parser create_parser(void *data) {
  XML_Parser parser = XML_ParserCreate(NULL);
  if (parser != NULL) {
    XML_SetUserData(parser, data);
    XML_SetUnknownEncodingHandler(parser, on_unknown_encoding, NULL);
    XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER);
  }
  return parser;
}

/* Writes blanks in place of a document type, so that nothing is declared, let alone expanded, and
 * every place stays where it is. */
static enum status blank_doctype(char *text, size_t length) {
  struct doctype doctype = {.text = text};
  doctype.parser = create_parser(&doctype);
  if (doctype.parser == NULL) {
    return STATUS_NO_MEMORY;
  }
  XML_SetStartElementHandler(doctype.parser, on_root);
  XML_SetDoctypeDeclHandler(doctype.parser, on_doctype, on_doctype_end);
  XML_Parse(doctype.parser, text, (int)length, XML_TRUE);
  XML_ParserFree(doctype.parser);
  for (size_t i = doctype.begin; i < doctype.end; i++) {
    text[i] = text[i] == '\n' || text[i] == '\r' ? text[i] : ' ';
  }
  return STATUS_OK;
}

/* Behind blanks and comments, from `at` on. */
static size_t past_comments(const char *text, size_t at) {
  for (;;) {
    at += strspn(text + at, " \t\r\n");
    const char *end = strncmp(text + at, "<!--", 4) == 0 ? strstr(text + at + 4, "-->") : NULL;
    if (end == NULL) {
      return at;
    }
    at = (size_t)(end - text) + 3;
  }
}

/* Writes blanks in place of an XML declaration behind blank lines or comments, where other readers
 * pass over it; one that tells an encoding stays, and is refused. */
static void blank_late_declaration(char *text) {
  static const char mark[] = "\xef\xbb\xbf", opening[] = "<?xml ";
  const size_t begin = strncmp(text, mark, sizeof(mark) - 1) == 0 ? sizeof(mark) - 1 : 0;
  const size_t at = past_comments(text, begin);
  if (at == begin || strncmp(text + at, opening, sizeof(opening) - 1) != 0) {
    return;
  }
  const char *end = strstr(text + at, "?>"), *encoding = strstr(text + at, "encoding");
  const bool told = end != NULL && encoding != NULL && encoding < end;
  if (end != NULL &&
      (!told || strncasecmp(encoding + strcspn(encoding, "'\"") + 1, "utf-8", 5) == 0)) {
    memset(text + at, ' ', (size_t)(end - text) + 2 - at);
  }
}

static enum status parse(struct walk *walk, const char *text, size_t length) {
  XML_SetElementHandler(walk->parser, on_open, on_close);
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
  struct walk walk = {.listener = listener, .error = error};
  char *bare = malloc(length + 1);
  if (bare != NULL) {
    memcpy(bare, text, length);
    bare[length] = '\0';
    blank_late_declaration(bare);
    status = blank_doctype(bare, length);
    walk.parser = create_parser(&walk);
  }
  if (bare == NULL || status != STATUS_OK || walk.parser == NULL) {
    message_set(error, "1:1: no memory to read XML");
    status = STATUS_NO_MEMORY;
  } else {
    status = parse(&walk, bare, length);
  }
  XML_ParserFree(walk.parser);
  free(bare);
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
