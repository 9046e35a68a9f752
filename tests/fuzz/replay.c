/* Runs a fuzz target without a fuzzer: on each file named, on what is left of it when it is cut
 * short, and on copies with bytes changed. */
#include "suite.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 20, VARIANTS = 300, CHANGES = 4 };

/* In a block of exactly this size, so that a sanitizer sees a read behind its end. */
static void run_exact(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size > 0 ? size : 1);
  memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static void run_variants(const uint8_t *data, size_t size, struct random *random) {
  uint8_t *copy = malloc(size + 1);
  for (int i = 0; i < VARIANTS; i++) {
    const double share = random_uniform(random, 0.0, 1.0);
    const size_t length = i % 3 == 0 ? (size_t)(share * (double)size) : size;
    memcpy(copy, data, size);
    for (int k = 0; k < i % CHANGES && length > 0; k++) {
      const size_t at = (size_t)random_uniform(random, 0.0, (double)length);
      copy[at] = (uint8_t)random_uniform(random, 0.0, 256.0);
    }
    run_exact(copy, length);
  }
  free(copy);
}

int main(int argc, char **argv) {
  struct random random = random_from(test_seed());
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
  printf("%d files, %d variants of each, seed %lu\n", argc - 1, VARIANTS, test_seed());
  return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
