#include "recording/column.h"

#include <stdint.h>
#include <string.h>

/* The pattern of a number of `width` bytes. */
static inline uint64_t load(const unsigned char *bytes, size_t width) {
  uint64_t pattern = 0;
  memcpy(&pattern, bytes, width);
  return pattern;
}

/* A difference modulo 2^(8 width), its sign moved to the lowest bit: 0 -1 1 -2 2 ... become
 * 0 1 2 3 4 ... */
static inline uint64_t fold(uint64_t difference, unsigned bits) {
  const uint64_t shifted = difference << (64 - bits);
  const uint64_t sign = 0u - (shifted >> 63);
  return ((shifted << 1) ^ sign) >> (64 - bits);
}

static inline uint64_t unfold(uint64_t folded) {
  return (folded >> 1) ^ (0u - (folded & 1u));
}

static inline void pack(const unsigned char *numbers, size_t rows, size_t elements, size_t width,
                        unsigned char *packed) {
  const size_t n = rows * elements;
  for (size_t i = 0; i < n; i++) {
    const uint64_t now = load(numbers + i * width, width);
    const uint64_t before = i >= elements ? load(numbers + (i - elements) * width, width) : 0;
    const uint64_t folded = fold(now - before, 8u * (unsigned)width);
    for (size_t plane = 0; plane < width; plane++) {
      packed[plane * n + i] = (unsigned char)(folded >> 8 * plane);
    }
  }
}

static inline void unpack(const unsigned char *packed, size_t rows, size_t elements, size_t width,
                          unsigned char *numbers) {
  const size_t n = rows * elements;
  for (size_t i = 0; i < n; i++) {
    uint64_t folded = 0;
    for (size_t plane = 0; plane < width; plane++) {
      folded |= (uint64_t)packed[plane * n + i] << 8 * plane;
    }
    const uint64_t before = i >= elements ? load(numbers + (i - elements) * width, width) : 0;
    const uint64_t now = before + unfold(folded);
    memcpy(numbers + i * width, &now, width);
  }
}

/* The widths are constants to the compiler. */
void column_pack(const unsigned char *numbers, size_t rows, size_t elements, size_t width,
                 unsigned char *packed) {
  if (width == 8) {
    pack(numbers, rows, elements, 8, packed);
  } else if (width == 4) {
    pack(numbers, rows, elements, 4, packed);
  } else {
    pack(numbers, rows, elements, 1, packed);
  }
}

void column_unpack(const unsigned char *packed, size_t rows, size_t elements, size_t width,
                   unsigned char *numbers) {
  if (width == 8) {
    unpack(packed, rows, elements, 8, numbers);
  } else if (width == 4) {
    unpack(packed, rows, elements, 4, numbers);
  } else {
    unpack(packed, rows, elements, 1, numbers);
  }
}
