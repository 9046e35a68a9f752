/* Bytes that grow: records, messages and texts are put together here. Little-endian. */
#ifndef BYTE_BUFFER_H
#define BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_buffer {
  unsigned char *data;
  size_t size, capacity;
  bool failed; /* out of memory: what was added since is not there */
};

/* [start] Each adds at the end. */
void bytes_add(struct byte_buffer *buffer, const void *data, size_t size);
void bytes_add_u8(struct byte_buffer *buffer, uint8_t value);
void bytes_add_u16(struct byte_buffer *buffer, uint16_t value);
void bytes_add_u32(struct byte_buffer *buffer, uint32_t value);
void bytes_add_u64(struct byte_buffer *buffer, uint64_t value);
void bytes_add_string(struct byte_buffer *buffer, const char *text); /* uint32 and bytes */

/* Puts a number over what stands at `at`. [start] */
void bytes_set_u64(struct byte_buffer *buffer, size_t at, uint64_t value);

void bytes_clear(struct byte_buffer *buffer); /* keeps its memory */
void bytes_free(struct byte_buffer *buffer);

#endif
