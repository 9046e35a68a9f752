#include "common/loose_pages.h"

#include <sys/mman.h>

void *loose_pages_take(size_t bytes) {
  void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    return NULL;
  }
  munlock(pages, bytes); /* the process may have locked all that comes */
  return pages;
}

void loose_pages_free(void *pages, size_t bytes) {
  if (pages != NULL) {
    munmap(pages, bytes);
  }
}
