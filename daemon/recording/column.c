#include "recording/column.h"

#include <stdint.h>
#include <string.h>

/* A row, and how it was before: numbers of their own width in rows that do not overlap, so that the
 * compiler makes many at once. `plane` is how far the bytes of one packed number are apart; the row
 * before the first is zeros. A difference is kept modulo 2^(8 width), its sign moved to the lowest
 * bit: 0 -1 1 -2 2 ... become 0 1 2 3 4 ... */
#define ROWS(bits)                                                                                 \
  static void pack_row_##bits(const unsigned char *restrict numbers,                               \
                              const unsigned char *restrict before, size_t elements, size_t plane, \
                              unsigned char *restrict packed) {                                    \
    for (size_t i = 0; i < elements; i++) {                                                        \
      uint##bits##_t now, last = 0;                                                                \
      memcpy(&now, numbers + i * sizeof(now), sizeof(now));                                        \
      if (before != NULL) {                                                                        \
        memcpy(&last, before + i * sizeof(last), sizeof(last));                                    \
      }                                                                                            \
      const uint##bits##_t change = (uint##bits##_t)(now - last);                                  \
      const uint##bits##_t sign = (uint##bits##_t)(0u - (change >> (bits - 1)));                   \
      const uint##bits##_t folded = (uint##bits##_t)(change << 1 ^ sign);                          \
      for (size_t k = 0; k < sizeof(now); k++) {                                                   \
        packed[k * plane + i] = (unsigned char)(folded >> 8 * k);                                  \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static void unpack_row_##bits(const unsigned char *restrict packed, size_t plane,                \
                                const unsigned char *restrict before, size_t elements,             \
                                unsigned char *restrict numbers) {                                 \
    for (size_t i = 0; i < elements; i++) {                                                        \
      uint##bits##_t folded = 0, last = 0;                                                         \
      for (size_t k = 0; k < sizeof(folded); k++) {                                                \
        folded |= (uint##bits##_t)((uint##bits##_t)packed[k * plane + i] << 8 * k);                \
      }                                                                                            \
      if (before != NULL) {                                                                        \
        memcpy(&last, before + i * sizeof(last), sizeof(last));                                    \
      }                                                                                            \
      const uint##bits##_t change =                                                                \
          (uint##bits##_t)(folded >> 1 ^ (uint##bits##_t)(0u - (folded & 1u)));                    \
      const uint##bits##_t now = (uint##bits##_t)(last + change);                                  \
      memcpy(numbers + i * sizeof(now), &now, sizeof(now));                                        \
    }                                                                                              \
  }
ROWS(8)
ROWS(32)
ROWS(64)

void column_pack(const unsigned char *numbers, size_t rows, size_t elements, size_t width,
                 unsigned char *packed) {
  void (*pack)(const unsigned char *, const unsigned char *, size_t, size_t, unsigned char *) =
      width == 8   ? pack_row_64
      : width == 4 ? pack_row_32
                   : pack_row_8;
  const size_t plane = rows * elements, bytes = elements * width;
  for (size_t r = 0; r < rows; r++) {
    const unsigned char *row = numbers + r * bytes;
    pack(row, r > 0 ? row - bytes : NULL, elements, plane, packed + r * elements);
  }
}

void column_unpack(const unsigned char *packed, size_t rows, size_t elements, size_t width,
                   unsigned char *numbers) {
  void (*unpack)(const unsigned char *, size_t, const unsigned char *, size_t, unsigned char *) =
      width == 8   ? unpack_row_64
      : width == 4 ? unpack_row_32
                   : unpack_row_8;
  const size_t plane = rows * elements, bytes = elements * width;
  for (size_t r = 0; r < rows; r++) {
    unsigned char *row = numbers + r * bytes;
    unpack(packed + r * elements, plane, r > 0 ? row - bytes : NULL, elements, row);
  }
}
