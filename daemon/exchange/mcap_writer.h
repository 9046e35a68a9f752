/* Writes an MCAP file: messages in compressed chunks with an index, checksums, and a summary at the
 * end that lets a reader begin anywhere. */
#ifndef MCAP_WRITER_H
#define MCAP_WRITER_H

#include "common/message.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MCAP_MOST_CHANNELS = 64 };

struct mcap_writer;

/* Begins a file. [start] STATUS_REFUSED with path and reason; STATUS_NO_MEMORY. */
enum status mcap_create(struct mcap_writer **writer, const char *path, const char *profile,
                        struct message *error);

/* A kind of message: "sensor_msgs/msg/Imu" in "ros2msg", or in "jsonschema". [start] `*channel` is
 * the number for mcap_write; `topic` says who writes it. The texts are borrowed until the end.
 * STATUS_NO_MEMORY beyond MCAP_MOST_CHANNELS. */
enum status mcap_add_channel(struct mcap_writer *writer, const char *topic,
                             const char *message_encoding, const char *schema,
                             const char *schema_encoding, const char *schema_text, size_t *channel);

/* Adds a message. [start] STATUS_REFUSED with path and reason: the disk is full. */
enum status mcap_write(struct mcap_writer *writer, size_t channel, int64_t t_ns, const void *data,
                       size_t size, struct message *error);

/* Writes the summary; the file gets its name, `durable`: when it is on the disk. [start] As above.
 */
enum status mcap_finish(struct mcap_writer *writer, bool durable, struct message *error);

/* Frees; what is not finished is removed. [start] NULL is allowed. */
void mcap_close(struct mcap_writer *writer);

#endif
