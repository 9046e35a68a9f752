/* What the words behind `proprioctl shm` share. */
#ifndef SHM_H
#define SHM_H

#include "shm/stream_reader.h"

#include "propriod/shm.h"

#include <stdbool.h>
#include <stdint.h>

struct shm_options {
  const char *segment; /* as for propriod_shm_path() */
  int kind;            /* enum propriod_shm_kind, or -1: all */
  double rate_hz;      /* of what is faked */
  double seconds;      /* 0: without end */
  bool json;
};

/* A segment as an onlooker maps it: read-only, harming nobody. */
struct shm_view {
  int fd;
  const unsigned char *base;
  struct propriod_shm_header layout;
};

/* Opens for reading. CTL_OK, or another exit code after saying why on standard error. */
int shm_view_open(struct shm_view *view, const char *segment);

/* True while a process has the stream open for writing. */
bool shm_view_has_writer(const struct shm_view *view, unsigned kind);

static inline const struct propriod_shm_control *shm_view_control(const struct shm_view *view,
                                                                  unsigned kind) {
  return (const struct propriod_shm_control *)(const void *)(view->base +
                                                             view->layout.stream[kind].control);
}

/* A reader of one stream. Answers the reader's memory, to be freed when done with it, or NULL after
 * saying why. */
void *shm_view_reader(const struct shm_view *view, unsigned kind, struct stream_reader *reader);

/* The words. Each returns an exit code. */
int shm_dump(const struct shm_options *options);
int shm_watch(const struct shm_options *options);
int shm_fake(const struct shm_options *options);

#endif
