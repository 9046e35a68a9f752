#include "shm/mapping_guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* What the handler reads while any thread may be inside it: atomics only. */
static struct {
  _Atomic uintptr_t base; /* 0: free */
  _Atomic size_t size;
  _Atomic bool tripped;
} guarded[MAPPING_GUARD_MAX];

static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static bool installed;

/* The guarded mapping that contains `address`, or -1. */
static int find(uintptr_t address) {
  for (int i = 0; i < MAPPING_GUARD_MAX; i++) {
    const uintptr_t base = atomic_load(&guarded[i].base);
    if (base != 0 && address >= base && address - base < atomic_load(&guarded[i].size)) {
      return i;
    }
  }
  return -1;
}

static void on_bus_error(int signal_number, siginfo_t *info, void *context) {
  (void)context;
  const int saved_errno = errno;
  const int i = find((uintptr_t)info->si_addr);
  const bool replaced =
      i >= 0 &&
      mmap((void *)atomic_load(&guarded[i].base), atomic_load(&guarded[i].size),
           PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  if (replaced) {
    atomic_store(&guarded[i].tripped, true);
  } else {
    signal(signal_number, SIG_DFL); /* not ours: the access is tried again and ends the process */
  }
  errno = saved_errno;
}

static enum status install(struct message *error) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGBUS, &action, NULL) != 0) {
    message_set(error, "handler for SIGBUS: %s", strerror(errno));
    return STATUS_REFUSED;
  }
  installed = true;
  return STATUS_OK;
}

static enum status add(void *base, size_t size, struct message *error) {
  if (!installed && install(error) != STATUS_OK) {
    return STATUS_REFUSED;
  }
  for (int i = 0; i < MAPPING_GUARD_MAX; i++) {
    if (atomic_load(&guarded[i].base) == 0) {
      atomic_store(&guarded[i].tripped, false);
      atomic_store(&guarded[i].size, size);
      atomic_store(&guarded[i].base, (uintptr_t)base);
      return STATUS_OK;
    }
  }
  message_set(error, "more than %d mappings to guard", MAPPING_GUARD_MAX);
  return STATUS_NO_MEMORY;
}

enum status mapping_guard_add(void *base, size_t size, struct message *error) {
  pthread_mutex_lock(&changing);
  const enum status status = add(base, size, error);
  pthread_mutex_unlock(&changing);
  return status;
}

void mapping_guard_remove(void *base) {
  pthread_mutex_lock(&changing);
  const int i = find((uintptr_t)base);
  if (i >= 0) {
    atomic_store(&guarded[i].base, 0);
  }
  pthread_mutex_unlock(&changing);
}

bool mapping_guard_tripped(const void *base) {
  const int i = find((uintptr_t)base);
  return i >= 0 && atomic_load(&guarded[i].tripped);
}
