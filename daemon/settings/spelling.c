#include "settings/spelling.h"

#include "settings/settings.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Optimal string alignment; three rows of its table are enough. */
size_t spelling_distance(const char *a, const char *b) {
  size_t rows[3][YAML_KEY_SIZE];
  size_t *before = rows[0], *last = rows[1], *now = rows[2];
  const size_t n_a = strnlen(a, YAML_KEY_SIZE - 1), n = strnlen(b, YAML_KEY_SIZE - 1);
  for (size_t j = 0; j <= n; j++) {
    last[j] = j;
  }
  for (size_t i = 1; i <= n_a; i++) {
    now[0] = i;
    for (size_t j = 1; j <= n; j++) {
      const size_t change = last[j - 1] + (a[i - 1] != b[j - 1]);
      now[j] = least(change, least(last[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = least(now[j], before[j - 2] + 1);
      }
    }
    size_t *const oldest = before;
    before = last;
    last = now;
    now = oldest;
  }
  return last[n];
}

static const char *last_word(const char *key) {
  const char *dot = strrchr(key, '.');
  return dot != NULL ? dot + 1 : key;
}

struct search {
  const char *key;
  size_t distance; /* of the best so far */
  char *nearest;
};

/* Takes `length` letters of `candidate` when they are nearer than anything before. */
static void consider(struct search *search, const char *candidate, size_t length) {
  char name[YAML_KEY_SIZE];
  snprintf(name, sizeof(name), "%.*s", (int)length, candidate);
  size_t distance = spelling_distance(search->key, name);
  if (strcmp(last_word(search->key), last_word(name)) == 0) {
    distance = least(distance, 1); /* the right word in the wrong group */
  }
  if (distance < search->distance && distance <= strlen(name) / 3) {
    search->distance = distance;
    memcpy(search->nearest, name, sizeof(name));
  }
}

bool spelling_nearest(const char *key, bool group, char nearest[YAML_KEY_SIZE]) {
  struct search search = {.key = key, .distance = SIZE_MAX, .nearest = nearest};
  for (size_t i = 0; i < settings_count(); i++) {
    const char *candidate = settings_row(i)->key;
    if (!group) {
      consider(&search, candidate, strlen(candidate));
      continue;
    }
    for (const char *dot = strchr(candidate, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
      consider(&search, candidate, (size_t)(dot - candidate));
    }
  }
  return search.distance != SIZE_MAX;
}
