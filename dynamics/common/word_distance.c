#include "common/word_distance.h"

#include <string.h>

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Optimal string alignment; three rows of its table are enough. */
size_t word_distance(const char *a, const char *b) {
  size_t rows[3][WORD_DISTANCE_SIZE];
  size_t *before = rows[0], *last = rows[1], *now = rows[2];
  const size_t n_a = strnlen(a, WORD_DISTANCE_SIZE - 1), n = strnlen(b, WORD_DISTANCE_SIZE - 1);
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
