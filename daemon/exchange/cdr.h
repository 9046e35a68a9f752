/* CDR, little-endian, as ROS 2 lays messages out: each number at a multiple of its size, counted
 * from behind the four bytes that a message begins with. */
#ifndef CDR_H
#define CDR_H

#include "exchange/byte_buffer.h"

#include <stddef.h>
#include <stdint.h>

/* Begins a message in an empty buffer. [start] */
void cdr_begin(struct byte_buffer *message);

/* [start] Each adds one member. */
void cdr_add_u8(struct byte_buffer *message, uint8_t value);
void cdr_add_u32(struct byte_buffer *message, uint32_t value);
void cdr_add_text(struct byte_buffer *message, const char *text, size_t length);
void cdr_add_reals(struct byte_buffer *message, const double *values, size_t count);

/* std_msgs/Header: instant and frame. [start] */
void cdr_add_stamp(struct byte_buffer *message, int64_t t_ns);
void cdr_add_header(struct byte_buffer *message, int64_t t_ns, const char *frame);

#endif
