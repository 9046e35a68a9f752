#include "nearest.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t word_distance(const char *a, const char *b) {
  const size_t n_a = strnlen(a, LONGEST), n_b = strnlen(b, LONGEST);
  // edits[i][j]: distance of the first i letters of a from the first j of b, kept for three rows
  size_t edits[3][LONGEST + 1];
  for (size_t j = 0; j <= n_b; j++) {
    edits[0][j] = j;
  }
  for (size_t i = 1; i <= n_a; i++) {
    size_t *row = edits[i % 3], *above = edits[(i + 2) % 3], *two_above = edits[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= n_b; j++) {
      row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = smaller(row[j], two_above[j - 2] + 1);
      }
    }
  }
  return edits[n_a % 3][n_b];
}

const char *nearest_word(const char *typed, const char *const *words, size_t count, size_t stride) {
  const char *best = NULL;
  size_t best_distance = 0;
  for (size_t i = 0; i < count; i++) {
    const char *word;
    memcpy(&word, (const char *)words + i * stride, sizeof(word));
    const size_t distance = word_distance(typed, word);
    if (distance <= 1 + strlen(word) / 3 && (best == NULL || distance < best_distance)) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}
