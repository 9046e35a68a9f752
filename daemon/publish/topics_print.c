#include "publish/topics_print.h"

#include "publish/fields.h"
#include "publish/topics.h"

#include <string.h>

enum { DEEPEST = 5, KEY_SIZE = 128 };

/* A table that is being gone through, and how its keys begin. */
struct level {
  const struct field_table *table;
  struct field_place at;
  char prefix[KEY_SIZE];
  const char *meaning; /* of the map that the table is of */
};

/* "cycle.busy." and "p99" */
static void join(const struct level *level, const char *end, char key[KEY_SIZE]) {
  snprintf(key, KEY_SIZE, "%.60s%.60s", level->prefix, end);
}

static void print_row(FILE *out, const struct level *level, const struct field *field) {
  char shape[FIELD_SHAPE_SIZE], key[KEY_SIZE];
  field_shape(field, shape);
  join(level, field->key, key);
  fprintf(out, "| `%s` | %s | %s | %s | %s |\n", key, shape, field->unit, field->frame,
          field->meaning != NULL ? field->meaning : level->meaning);
}

/* Goes down into a map. */
static void enter(struct level *level, const struct field *field) {
  struct level *next = level + 1;
  char key[KEY_SIZE];
  join(level, field->key, key);
  *next = (struct level){.table = field->map,
                         .meaning = field->meaning != NULL ? field->meaning : level->meaning};
  snprintf(next->prefix, KEY_SIZE, "%.100s.", key);
}

static void print_topic(FILE *out, const struct field_table *topic) {
  struct level level[DEEPEST + 1] = {{.table = topic, .meaning = ""}};
  size_t depth = 0;
  for (;;) {
    struct level *here = &level[depth];
    if (!field_next(here->table, &here->at)) {
      if (depth == 0) {
        return;
      }
      depth--;
    } else if (here->at.field->map == NULL) {
      print_row(out, here, here->at.field);
    } else if (depth < DEEPEST) {
      enter(here, here->at.field);
      depth++;
    }
  }
}

void topics_print(FILE *out) {
  fputs("# Topics of propriod\n\n"
        "Every map begins with `v`, `seq`, `timestamp` (s, epoch), `t_mono_ns` and `status` (init, "
        "ok, degraded, diverged, stale). What is not estimated is absent and listed in "
        "`not_estimated`.\n",
        out);
  for (size_t t = 0; topics[t] != NULL; t++) {
    fprintf(out, "\n## %s\n\n| key | shape | unit | frame | |\n|---|---|---|---|---|\n",
            topics[t]->name);
    print_topic(out, topics[t]);
  }
}
