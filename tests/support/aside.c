#include "support/aside.h"

#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void aside(void (*what)(void *with), void *with, size_t size) {
  void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require(shared != MAP_FAILED);
  memcpy(shared, with, size);
  fflush(NULL); /* nothing is written twice */
  const pid_t copy = fork();
  require(copy >= 0);
  if (copy == 0) {
    what(shared);
    fflush(NULL);
    _exit(EXIT_SUCCESS);
  }
  int status = 0;
  require(waitpid(copy, &status, 0) == copy);
  if (WIFSIGNALED(status)) {
    ck_abort_msg("signal %d", WTERMSIG(status));
  } else if (WEXITSTATUS(status) != EXIT_SUCCESS) {
    exit(EXIT_FAILURE); /* what has failed is said */
  }
  memcpy(with, shared, size);
  munmap(shared, size);
}
