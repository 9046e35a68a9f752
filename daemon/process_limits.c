#include "process_limits.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { LEAST_DESCRIPTORS = 128 }; /* own ones, control clients, a few dozen subscribers */
enum { ZEROMQ_ROOM = 8 << 20 };   /* bytes: the stacks of two threads and what they allocate */

enum status process_allow_descriptors(struct message *error) {
  struct rlimit limit = {0};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  if (limit.rlim_max < LEAST_DESCRIPTORS || setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    message_set(error, "%llu file descriptors allowed (limit NOFILE), %d are needed",
                (unsigned long long)limit.rlim_max, LEAST_DESCRIPTORS);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

enum status process_has_room_for_zeromq(struct message *error) {
  void *room = mmap(NULL, ZEROMQ_ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    message_set(error, "no %d MiB of address space left for ZeroMQ (limit AS): %s",
                ZEROMQ_ROOM >> 20, strerror(errno));
    return STATUS_REFUSED;
  }
  munmap(room, ZEROMQ_ROOM);
  return STATUS_OK;
}
