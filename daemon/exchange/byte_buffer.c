#include "exchange/byte_buffer.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 4096 };

static bool make_room(struct byte_buffer *buffer, size_t more) {
  if (buffer->size + more <= buffer->capacity) {
    return true;
  }
  size_t capacity = buffer->capacity > 0 ? buffer->capacity : SMALLEST;
  while (capacity < buffer->size + more) {
    capacity *= 2;
  }
  unsigned char *data = realloc(buffer->data, capacity);
  if (data == NULL) {
    buffer->failed = true;
    return false;
  }
  buffer->data = data;
  buffer->capacity = capacity;
  return true;
}

void bytes_add(struct byte_buffer *buffer, const void *data, size_t size) {
  if (size > 0 && make_room(buffer, size)) {
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
  }
}

void bytes_add_u8(struct byte_buffer *buffer, uint8_t value) {
  bytes_add(buffer, &value, 1);
}
void bytes_add_u16(struct byte_buffer *buffer, uint16_t value) {
  bytes_add(buffer, &value, 2);
}
void bytes_add_u32(struct byte_buffer *buffer, uint32_t value) {
  bytes_add(buffer, &value, 4);
}
void bytes_add_u64(struct byte_buffer *buffer, uint64_t value) {
  bytes_add(buffer, &value, 8);
}

void bytes_add_string(struct byte_buffer *buffer, const char *text) {
  const size_t length = strlen(text);
  bytes_add_u32(buffer, (uint32_t)length);
  bytes_add(buffer, text, length);
}

void bytes_set_u64(struct byte_buffer *buffer, size_t at, uint64_t value) {
  if (at + sizeof(value) <= buffer->size) {
    memcpy(buffer->data + at, &value, sizeof(value));
  }
}

void bytes_clear(struct byte_buffer *buffer) {
  buffer->size = 0;
}

void bytes_free(struct byte_buffer *buffer) {
  free(buffer->data);
  *buffer = (struct byte_buffer){0};
}
