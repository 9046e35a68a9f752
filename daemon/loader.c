#include "loader.h"

#include "common/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE  ((size_t)1 << 20)
#define PATIENCE_NS (100 * NS_PER_MS) /* for a load to end by itself before it is abandoned */

static void *run(void *argument) {
  struct loader *loader = argument;
  const uint64_t one = 1;
  for (;;) {
    while (sem_wait(&loader->orders) != 0) { /* interrupted */
    }
    if (atomic_load(&loader->end)) {
      return NULL;
    }
    struct load *load = &loader->load;
    load->status = generation_build(load->file, load->overrides, load->running, &load->made,
                                    &load->errors, &load->kept);
    const ssize_t told = write(loader->done, &one, sizeof(one));
    (void)told; /* the counter is 0: it fits */
  }
}

static int start_thread(struct loader *loader) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  const int failed = pthread_create(&loader->thread, &attributes, run, loader);
  pthread_attr_destroy(&attributes);
  return failed;
}

enum status loader_start(struct loader *loader, struct message *error) {
  memset(loader, 0, sizeof(*loader));
  loader->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (loader->done < 0) {
    message_set(error, "thread that loads: %s", strerror(errno));
    return STATUS_REFUSED;
  }
  sem_init(&loader->orders, 0, 0);
  const int failed = start_thread(loader);
  if (failed != 0) {
    message_set(error, "thread that loads: %s", strerror(failed));
    close(loader->done);
    return STATUS_REFUSED;
  }
  pthread_setname_np(loader->thread, "loader");
  loader->started = true;
  return STATUS_OK;
}

void loader_order(struct loader *loader, const char *file,
                  const struct settings_overrides *overrides, const struct generation *running) {
  loader->load = (struct load){.file = file, .overrides = overrides, .running = running};
  loader->under_way = true;
  loader->given_up = false;
  loader->ordered_ns = clock_now_ns();
  sem_post(&loader->orders);
}

int loader_fd(const struct loader *loader) {
  return loader->done;
}

/* What is told of a load that takes too long. Its own report is still being written. */
static struct load *give_up(struct loader *loader) {
  struct load *told = &loader->too_late;
  loader->given_up = true;
  *told = (struct load){.file = loader->load.file, .status = STATUS_STALE};
  snprintf(told->errors.file, sizeof(told->errors.file), "%s", told->file);
  settings_error(&told->errors, "",
                 "not read within %d s, it or a file that it names: does the disk answer?",
                 (int)(LOADER_PATIENCE_NS / NS_PER_S));
  return told;
}

struct load *loader_take(struct loader *loader, int64_t now_ns) {
  uint64_t count;
  if (!loader->under_way) {
    return NULL;
  }
  if (read(loader->done, &count, sizeof(count)) != sizeof(count)) {
    const bool late = now_ns - loader->ordered_ns > LOADER_PATIENCE_NS;
    return late && !loader->given_up ? give_up(loader) : NULL;
  }
  loader->under_way = false;
  if (!loader->given_up) {
    return &loader->load;
  }
  if (loader->load.status == STATUS_OK) { /* too late */
    generation_free(loader->load.made);
  }
  return NULL;
}

bool loader_stop(struct loader *loader) {
  struct timespec until;
  if (!loader->started) {
    return true;
  }
  atomic_store(&loader->end, true);
  sem_post(&loader->orders);
  clock_gettime(CLOCK_REALTIME, &until);
  const int64_t nsec = until.tv_nsec + PATIENCE_NS;
  until.tv_sec += nsec / NS_PER_S;
  until.tv_nsec = nsec % NS_PER_S;
  if (pthread_timedjoin_np(loader->thread, NULL, &until) != 0) {
    return false;
  }
  const struct load *load = loader_take(loader, loader->ordered_ns);
  if (load != NULL && load->status == STATUS_OK) {
    generation_free(load->made);
  }
  close(loader->done);
  loader->started = false;
  return true;
}
