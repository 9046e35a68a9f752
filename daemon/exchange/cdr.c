#include "exchange/cdr.h"

#include <string.h>

enum { CDR_HEAD = 4 };

static void align(struct byte_buffer *message, size_t size) {
  const char zeros[sizeof(double)] = {0};
  const size_t behind = (message->size - CDR_HEAD) % size;
  bytes_add(message, zeros, behind > 0 ? size - behind : 0);
}

void cdr_begin(struct byte_buffer *message) {
  bytes_clear(message);
  bytes_add(message, "\0\1\0\0", CDR_HEAD); /* CDR_LE, no options */
}

void cdr_add_u8(struct byte_buffer *message, uint8_t value) {
  bytes_add_u8(message, value);
}

void cdr_add_u32(struct byte_buffer *message, uint32_t value) {
  align(message, sizeof(value));
  bytes_add_u32(message, value);
}

void cdr_add_text(struct byte_buffer *message, const char *text, size_t length) {
  cdr_add_u32(message, (uint32_t)length + 1);
  bytes_add(message, text, length);
  bytes_add_u8(message, 0);
}

void cdr_add_reals(struct byte_buffer *message, const double *values, size_t count) {
  if (count > 0) {
    align(message, sizeof(double));
    bytes_add(message, values, count * sizeof(double));
  }
}

void cdr_add_stamp(struct byte_buffer *message, int64_t t_ns) {
  const int64_t second = INT64_C(1000000000);
  cdr_add_u32(message, (uint32_t)(t_ns / second));
  cdr_add_u32(message, (uint32_t)(t_ns % second));
}

void cdr_add_header(struct byte_buffer *message, int64_t t_ns, const char *frame) {
  cdr_add_stamp(message, t_ns);
  cdr_add_text(message, frame, strlen(frame));
}
