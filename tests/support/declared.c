#include "support/declared.h"

#include "support/suite.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { FILE_SIZE = 64 * 1024 };

static const char *struct_body(const char *file, const char *name) {
  static char text[FILE_SIZE];
  char begin[DECLARED_NAME + 16];
  FILE *in = fopen(file, "r");
  ck_assert_msg(in != NULL, "%s: not there", file);
  text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
  fclose(in);
  snprintf(begin, sizeof(begin), "struct %s {", name);
  const char *at = strstr(text, begin);
  ck_assert_msg(at != NULL, "%s: no struct %s", file, name);
  return at + strlen(begin);
}

static const char *skip_blanks(const char *at) {
  while (isspace((unsigned char)*at)) {
    at++;
  }
  return at;
}

/* Copies a comment to one line; returns what stands behind it. */
static const char *read_comment(const char *at, char comment[DECLARED_COMMENT]) {
  size_t n = 0;
  for (at += 2; strncmp(at, "*/", 2) != 0; at++) {
    const bool blank = isspace((unsigned char)*at) || (*at == '*' && n > 0);
    if (!blank || (n > 0 && comment[n - 1] != ' ')) {
      comment[n] = blank ? ' ' : *at;
      n += n + 1 < DECLARED_COMMENT;
    }
  }
  comment[n > 0 && comment[n - 1] == ' ' ? n - 1 : n] = '\0';
  return at + 2;
}

/* "double q[N], dq[N]" up to its semicolon: a member for each name. */
static void read_declaration(const char *begin, const char *end, struct declared *declared) {
  char type[DECLARED_NAME] = "";
  const size_t words = strncmp(begin, "struct ", 7) == 0 ? 2 : 1;
  const char *at = begin;
  for (size_t w = 0; w < words; w++) {
    at = skip_blanks(at) + strcspn(skip_blanks(at), " ");
  }
  snprintf(type, sizeof(type), "%.*s", (int)(at - begin), begin);
  while (at < end) {
    ck_assert_uint_lt(declared->count, DECLARED_MOST);
    struct declared_member *member = &declared->member[declared->count++];
    memset(member, 0, sizeof(*member));
    at = skip_blanks(at);
    const size_t length = strcspn(at, "[,; ");
    snprintf(member->type, sizeof(member->type), "%s", type);
    snprintf(member->name, sizeof(member->name), "%.*s", (int)length, at);
    at += length;
    if (*at == '[') {
      snprintf(member->array, sizeof(member->array), "%.*s", (int)strcspn(at + 1, "]"), at + 1);
      at += strcspn(at, "]") + 1;
    }
    at += strcspn(at, ",;") + 1;
  }
}

struct declared declared_in(const char *file, const char *name) {
  struct declared declared = {.count = 0};
  const char *at = skip_blanks(struct_body(file, name));
  while (*at != '}') {
    char comment[DECLARED_COMMENT] = "";
    if (strncmp(at, "/*", 2) == 0) {
      at = read_comment(at, comment);
    } else {
      const char *end = at + strcspn(at, ";");
      read_declaration(at, end, &declared);
      at = end + 1;
      const char *next = skip_blanks(at);
      if (strncmp(next, "/*", 2) == 0) {
        at = read_comment(next, declared.member[declared.count - 1].comment);
      }
    }
    at = skip_blanks(at);
  }
  return declared;
}

int declared_find(const struct declared *declared, const char *name) {
  for (size_t i = 0; i < declared->count; i++) {
    if (strcmp(declared->member[i].name, name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

bool declared_says(const struct declared_member *member, const char *unit, const char *frame,
                   const char *const *words) {
  char expected[DECLARED_COMMENT], head[DECLARED_COMMENT];
  snprintf(expected, sizeof(expected), "%s%s%s", unit, unit[0] && frame[0] ? ", " : "", frame);
  snprintf(head, sizeof(head), "%.*s", (int)strcspn(member->comment, ":;"), member->comment);
  while (head[0] == ' ') {
    memmove(head, head + 1, strlen(head));
  }
  if (expected[0] != '\0') {
    return strcmp(head, expected) == 0;
  }
  head[strcspn(head, ",")] = '\0';
  for (size_t i = 0; words[i] != NULL; i++) {
    if (strcmp(head, words[i]) == 0) {
      return false;
    }
  }
  return true;
}
