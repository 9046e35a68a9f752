#include "settings/spelling.h"

#include "common/word_distance.h"
#include "settings/settings.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
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
  size_t distance = word_distance(search->key, name);
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
