#include "publish/accept_limit.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What one process has but once: its descriptors. */
static atomic_int limit = INT_MAX;

void accept_limit_set(int highest) {
  struct rlimit allowed;
  const int most = getrlimit(RLIMIT_NOFILE, &allowed) == 0 && allowed.rlim_cur < INT_MAX
                       ? (int)allowed.rlim_cur - ACCEPT_LIMIT_SPARE
                       : highest;
  atomic_store(&limit, most < highest ? most : highest);
}

/* As <sys/socket.h> declares it, less that header's types for its arguments. */
int accept4(int listener, void *address, void *size, int flags);

int accept4(int listener, void *address, void *size, int flags) {
  const int fd = (int)syscall(SYS_accept4, listener, address, size, flags);
  if (fd >= atomic_load_explicit(&limit, memory_order_relaxed)) {
    close(fd);
    errno = ECONNABORTED; /* as when the client has gone again; whoever accepts goes on */
    return -1;
  }
  return fd;
}
