#include "map.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DEEPEST = 8 /* levels of maps that are printed; propriod's have four */ };

static const msgpack_object *find_key(const msgpack_object *map, const char *key, size_t length) {
  for (uint32_t i = 0; map->type == MSGPACK_OBJECT_MAP && i < map->via.map.size; i++) {
    const msgpack_object_kv *pair = &map->via.map.ptr[i];
    if (pair->key.type == MSGPACK_OBJECT_STR && pair->key.via.str.size == length &&
        memcmp(pair->key.via.str.ptr, key, length) == 0) {
      return &pair->val;
    }
  }
  return NULL;
}

const msgpack_object *map_find(const msgpack_object *map, const char *path) {
  const msgpack_object *at = map;
  while (at != NULL && *path != '\0') {
    const size_t length = strcspn(path, ".");
    at = find_key(at, path, length);
    path += length + (path[length] == '.');
  }
  return at;
}

double object_number(const msgpack_object *object) {
  switch (object != NULL ? object->type : MSGPACK_OBJECT_NIL) {
  case MSGPACK_OBJECT_FLOAT32:
  case MSGPACK_OBJECT_FLOAT64:
    return object->via.f64;
  case MSGPACK_OBJECT_POSITIVE_INTEGER:
    return (double)object->via.u64;
  case MSGPACK_OBJECT_NEGATIVE_INTEGER:
    return (double)object->via.i64;
  default:
    return (double)NAN;
  }
}

double map_number(const msgpack_object *map, const char *path, double otherwise) {
  const double number = object_number(map_find(map, path));
  return isnan(number) ? otherwise : number;
}

const char *map_text(const msgpack_object *map, const char *path, const char *otherwise, char *text,
                     size_t size) {
  const msgpack_object *at = map_find(map, path);
  if (at == NULL || at->type != MSGPACK_OBJECT_STR) {
    return otherwise;
  }
  snprintf(text, size, "%.*s", (int)at->via.str.size, at->via.str.ptr);
  return text;
}

bool map_truth(const msgpack_object *map, const char *path) {
  const msgpack_object *at = map_find(map, path);
  return at != NULL && at->type == MSGPACK_OBJECT_BOOLEAN && at->via.boolean;
}

size_t map_count(const msgpack_object *map, const char *path) {
  const msgpack_object *at = map_find(map, path);
  return at != NULL && at->type == MSGPACK_OBJECT_ARRAY ? at->via.array.size : 0;
}

const msgpack_object *map_element(const msgpack_object *map, const char *path, size_t i) {
  return i < map_count(map, path) ? &map_find(map, path)->via.array.ptr[i] : NULL;
}

/* -- printing --------------------------------------------------------------------------------- */

static void json_text(FILE *out, const msgpack_object_str *text) {
  fputc('"', out);
  for (uint32_t i = 0; i < text->size; i++) {
    const unsigned char c = (unsigned char)text->ptr[i];
    if (c == '"' || c == '\\') {
      fprintf(out, "\\%c", c);
    } else if (c < 0x20) {
      fprintf(out, "\\u%04x", c);
    } else {
      fputc(c, out);
    }
  }
  fputc('"', out);
}

/* Everything that has no parts. */
static void json_scalar(FILE *out, const msgpack_object *object) {
  switch (object->type) {
  case MSGPACK_OBJECT_BOOLEAN:
    fputs(object->via.boolean ? "true" : "false", out);
    break;
  case MSGPACK_OBJECT_POSITIVE_INTEGER:
    fprintf(out, "%" PRIu64, object->via.u64);
    break;
  case MSGPACK_OBJECT_NEGATIVE_INTEGER:
    fprintf(out, "%" PRId64, object->via.i64);
    break;
  case MSGPACK_OBJECT_FLOAT32:
  case MSGPACK_OBJECT_FLOAT64:
    fprintf(out, isfinite(object->via.f64) ? "%.17g" : "null", object->via.f64);
    break;
  case MSGPACK_OBJECT_STR:
    json_text(out, &object->via.str);
    break;
  default:
    fputs("null", out);
  }
}

/* A place in an object that is being printed: its next part. */
struct cursor {
  const msgpack_object *object;
  uint32_t next;
};

static uint32_t parts_of(const msgpack_object *object) {
  return object->type == MSGPACK_OBJECT_MAP     ? object->via.map.size
         : object->type == MSGPACK_OBJECT_ARRAY ? object->via.array.size
                                                : 0;
}

static bool has_parts(const msgpack_object *object) {
  return object->type == MSGPACK_OBJECT_MAP || object->type == MSGPACK_OBJECT_ARRAY;
}

/* Prints what stands before the cursor's next part, and steps over it. */
static const msgpack_object *next_part(FILE *out, struct cursor *at) {
  const bool is_map = at->object->type == MSGPACK_OBJECT_MAP;
  const uint32_t i = at->next++;
  if (i > 0) {
    fputs(", ", out);
  }
  if (!is_map) {
    return &at->object->via.array.ptr[i];
  }
  json_scalar(out, &at->object->via.map.ptr[i].key);
  fputs(": ", out);
  return &at->object->via.map.ptr[i].val;
}

/* Without recursion: a stack of places. What lies deeper than DEEPEST prints as null. */
void json_print(FILE *out, const msgpack_object *object) {
  struct cursor stack[DEEPEST];
  int depth = 0;
  const msgpack_object *now = object;
  for (;;) {
    if (now != NULL && has_parts(now) && depth < DEEPEST) {
      fputc(now->type == MSGPACK_OBJECT_MAP ? '{' : '[', out);
      stack[depth++] = (struct cursor){now, 0};
    } else if (now != NULL) {
      json_scalar(out, now);
    }
    if (depth == 0) {
      return;
    }
    struct cursor *top = &stack[depth - 1];
    now = NULL;
    if (top->next < parts_of(top->object)) {
      now = next_part(out, top);
    } else {
      fputc(top->object->type == MSGPACK_OBJECT_MAP ? '}' : ']', out);
      depth--;
    }
  }
}

/* A number for people; false for what is none. */
static bool print_number(FILE *out, const msgpack_object *object) {
  const bool real =
      object->type == MSGPACK_OBJECT_FLOAT32 || object->type == MSGPACK_OBJECT_FLOAT64;
  if (real) {
    const double value = object->via.f64;
    const bool long_one = fabs(value) >= 1e6 && fabs(value) < 1e12; /* a time of day, all of it */
    fprintf(out, long_one ? "%.6f" : "%.6g", value);
  }
  return real;
}

/* Elements of an array, those that are arrays in brackets of their own; what lies deeper as
 * JSON. */
static void print_elements(FILE *out, const msgpack_object *array) {
  for (uint32_t i = 0; i < array->via.array.size; i++) {
    const msgpack_object *element = &array->via.array.ptr[i];
    fputs(i > 0 ? ", " : "", out);
    if (element->type != MSGPACK_OBJECT_ARRAY) {
      if (!print_number(out, element)) {
        json_print(out, element);
      }
      continue;
    }
    fputc('[', out);
    for (uint32_t k = 0; k < element->via.array.size; k++) {
      const msgpack_object *inner = &element->via.array.ptr[k];
      fputs(k > 0 ? ", " : "", out);
      if (!print_number(out, inner)) {
        json_print(out, inner);
      }
    }
    fputc(']', out);
  }
}

static void print_short(FILE *out, const msgpack_object *object) {
  if (object->type == MSGPACK_OBJECT_STR) {
    fprintf(out, "%.*s", (int)object->via.str.size, object->via.str.ptr);
  } else if (object->type == MSGPACK_OBJECT_ARRAY) {
    fputc('[', out);
    print_elements(out, object);
    fputc(']', out);
  } else if (!print_number(out, object)) {
    json_scalar(out, object);
  }
}

void map_print(FILE *out, const msgpack_object *map, int indent) {
  struct cursor stack[DEEPEST] = {{map, 0}};
  int depth = 1;
  while (depth > 0) {
    struct cursor *top = &stack[depth - 1];
    if (top->next == parts_of(top->object)) {
      depth--;
      continue;
    }
    const msgpack_object_kv *pair = &top->object->via.map.ptr[top->next++];
    fprintf(out, "%*s%.*s:", indent + 2 * (depth - 1), "", (int)pair->key.via.str.size,
            pair->key.via.str.ptr);
    if (pair->val.type == MSGPACK_OBJECT_MAP && depth < DEEPEST) {
      fputc('\n', out);
      stack[depth++] = (struct cursor){&pair->val, 0};
    } else {
      fputc(' ', out);
      print_short(out, &pair->val);
      fputc('\n', out);
    }
  }
}
