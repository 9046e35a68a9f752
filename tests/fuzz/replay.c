/* Runs a fuzz target without a fuzzer: on each file named, on what is left of it when it is cut
 * short, and on copies with bytes changed. */
#include "require.h"

#include <string.h>

/* The next of a reproducible row of numbers, below `bound`. */
static size_t draw(unsigned long long *state, size_t bound) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (size_t)((*state >> 33) % bound);
}

enum { ROOM = 1 << 20, VARIANTS = 300, CHANGES = 4 };

/* In a block of exactly this size, so that a sanitizer sees a read behind its end. */
static void run_exact(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size > 0 ? size : 1);
  memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static void run_variants(const uint8_t *data, size_t size, unsigned long long *random) {
  uint8_t *copy = malloc(size + 1);
  for (int i = 0; i < VARIANTS; i++) {
    const size_t length = i % 3 == 0 ? draw(random, size + 1) : size;
    memcpy(copy, data, size);
    for (int k = 0; k < i % CHANGES && length > 0; k++) {
      copy[draw(random, length)] = (uint8_t)draw(random, 256);
    }
    run_exact(copy, length);
  }
  free(copy);
}

int main(int argc, char **argv) {
  const char *wish = getenv("PROPRIOD_SEED");
  const unsigned long seed = wish != NULL ? strtoul(wish, NULL, 10) : 20261121ul;
  unsigned long long random = seed;
  uint8_t *data = malloc(ROOM);
  for (int i = 1; i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    if (file == NULL) {
      fprintf(stderr, "%s: cannot be opened\n", argv[i]);
      return EXIT_FAILURE;
    }
    const size_t size = fread(data, 1, ROOM, file);
    fclose(file);
    run_exact(data, size);
    run_variants(data, size, &random);
  }
  free(data);
  printf("%d files, %d variants of each, seed %lu\n", argc - 1, VARIANTS, seed);
  return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
