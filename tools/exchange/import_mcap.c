#include "exchange/import.h"
#include "exchange/mcap_layout.h"
#include "exchange/ros_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { RECORD_HEAD = 9, MESSAGE_HEAD = 22, MOST_NUMBERS = 65536 };
#define LARGEST_CHUNK ((uint64_t)1 << 30)

/* Bytes of a record's content, or of a chunk. */
struct part {
  const unsigned char *data;
  size_t size, at;
  bool failed;
};

struct mcap_import {
  const char *path;
  const struct import_map *map;
  struct samples *samples;
  struct message *error;
  unsigned char schema[MOST_NUMBERS]; /* by its number: 'j' JointState, 'i' Imu, 0 another */
  int joints, imu;                    /* channels; -1: not found yet */
};

static const unsigned char *take(struct part *p, uint64_t size) {
  if (p->failed || size > p->size - p->at) {
    p->failed = true;
    return NULL;
  }
  p->at += size;
  return p->data + p->at - size;
}

static uint64_t number(struct part *p, size_t bytes) {
  uint64_t value = 0;
  const unsigned char *from = take(p, bytes);
  if (from != NULL) {
    memcpy(&value, from, bytes);
  }
  return value;
}

static struct part text(struct part *p) {
  const uint64_t size = number(p, sizeof(uint32_t));
  const unsigned char *data = take(p, size);
  return (struct part){.data = data, .size = data != NULL ? size : 0};
}

static bool is(const struct part *text, const char *word) {
  return text->size == strlen(word) && memcmp(text->data, word, text->size) == 0;
}

static enum status refuse(const struct mcap_import *m, const char *why) {
  message_set(m->error, "%s: %s", m->path, why);
  return STATUS_REFUSED;
}

static void take_schema(struct mcap_import *m, struct part p) {
  const uint64_t id = number(&p, sizeof(uint16_t));
  const struct part name = text(&p);
  m->schema[id] = is(&name, ROS_JOINT_STATE) ? 'j' : is(&name, ROS_IMU) ? 'i' : 0;
}

/* The first channel of a type, or the one whose topic is given. */
static void take_channel(struct mcap_import *m, struct part p) {
  const int id = (int)number(&p, sizeof(uint16_t));
  const unsigned char kind = m->schema[number(&p, sizeof(uint16_t))];
  const struct part topic = text(&p), encoding = text(&p);
  const char *wanted = kind == 'j' ? m->map->joints : m->map->imu;
  int *channel = kind == 'j' ? &m->joints : &m->imu;
  if (kind != 0 && *channel < 0 && !p.failed && is(&encoding, "cdr") &&
      (wanted == NULL || is(&topic, wanted))) {
    *channel = id;
  }
}

static enum status take_message(struct mcap_import *m, struct part p) {
  const int channel = (int)number(&p, sizeof(uint16_t));
  const unsigned char *data = p.size >= MESSAGE_HEAD ? p.data + MESSAGE_HEAD : NULL;
  enum status status = STATUS_OK;
  if (data != NULL && channel == m->joints) {
    status = ros_read_joint_state(m->samples, data, p.size - MESSAGE_HEAD);
  } else if (data != NULL && channel == m->imu) {
    status = ros_read_imu(m->samples, data, p.size - MESSAGE_HEAD);
  }
  return status == STATUS_REFUSED ? refuse(m, "a message is cut or no CDR") : status;
}

static enum status take_records(struct mcap_import *m, struct part p, bool in_chunk);

static enum status take_chunk(struct mcap_import *m, struct part p) {
  take(&p, 2 * sizeof(uint64_t)); /* its times */
  const uint64_t size = number(&p, sizeof(uint64_t));
  take(&p, sizeof(uint32_t)); /* its checksum: zstd's own frame has to be whole */
  const struct part coding = text(&p);
  const uint64_t stored = number(&p, sizeof(uint64_t));
  const unsigned char *data = take(&p, stored);
  if (data == NULL || size > LARGEST_CHUNK) {
    return refuse(m, "a chunk is damaged");
  }
  if (coding.size == 0) {
    return take_records(m, (struct part){.data = data, .size = stored}, true);
  }
  if (!is(&coding, "zstd")) {
    return refuse(m,
                  "a chunk is compressed otherwise than with zstd (mcap compress makes it zstd)");
  }
  unsigned char *plain = malloc(size + 1);
  enum status status = STATUS_NO_MEMORY;
  if (plain != NULL) {
    status = ZSTD_decompress(plain, size, data, stored) == size
                 ? take_records(m, (struct part){.data = plain, .size = size}, true)
                 : refuse(m, "a chunk is damaged");
  }
  free(plain);
  return status;
}

static enum status take_records(struct mcap_import *m, struct part p, bool in_chunk) {
  enum status status = STATUS_OK;
  while (status == STATUS_OK && p.size - p.at >= RECORD_HEAD) {
    const enum mcap_opcode opcode = (enum mcap_opcode)number(&p, 1);
    const uint64_t size = number(&p, sizeof(uint64_t));
    const unsigned char *data = take(&p, size);
    const struct part content = {.data = data, .size = size};
    if (data == NULL) {
      return in_chunk ? refuse(m, "a chunk is damaged") : STATUS_OK; /* cut: what is whole counts */
    }
    if (opcode == MCAP_SCHEMA) {
      take_schema(m, content);
    } else if (opcode == MCAP_CHANNEL) {
      take_channel(m, content);
    } else if (opcode == MCAP_MESSAGE) {
      status = take_message(m, content);
    } else if (opcode == MCAP_CHUNK && !in_chunk) {
      status = take_chunk(m, content);
    } else if (opcode == MCAP_DATA_END) {
      break;
    }
  }
  return status;
}

static enum status read_mapped(struct mcap_import *m, struct part file) {
  if (file.size < MCAP_MAGIC_SIZE || memcmp(file.data, MCAP_MAGIC, MCAP_MAGIC_SIZE) != 0) {
    return refuse(m, "no MCAP file");
  }
  file.at = MCAP_MAGIC_SIZE;
  const enum status status = take_records(m, file, false);
  if (status == STATUS_OK && (m->joints < 0 || (m->map->imu != NULL && m->imu < 0))) {
    return refuse(m, m->joints < 0 ? "no such topic of type " ROS_JOINT_STATE
                                   : "no such topic of type " ROS_IMU);
  }
  return status;
}

enum status import_mcap(const char *path, const struct import_map *map, struct samples *samples,
                        struct message *error) {
  struct stat about;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct mcap_import *m = calloc(1, sizeof(*m));
  enum status status = STATUS_NO_MEMORY;
  void *data = MAP_FAILED;
  if (m != NULL && fd >= 0 && fstat(fd, &about) == 0 && about.st_size > 0) {
    data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  if (m != NULL && data == MAP_FAILED) {
    message_set(error, "%s: %s", path, fd < 0 ? strerror(errno) : "empty");
    status = STATUS_REFUSED;
  } else if (m != NULL) {
    *m = (struct mcap_import){
        .path = path, .map = map, .samples = samples, .error = error, .joints = -1, .imu = -1};
    status = read_mapped(m, (struct part){.data = data, .size = (size_t)about.st_size});
    munmap(data, (size_t)about.st_size);
  }
  if (fd >= 0) {
    close(fd);
  }
  free(m);
  return status;
}
