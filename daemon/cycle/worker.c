#include "cycle/worker.h"

#include "common/clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_NS    (2 * NS_PER_MS) /* how often the thread looks for jobs */
#define STACK_SIZE ((size_t)256 << 10)
#define NICE       10 /* the publisher and main thread come first */

_Static_assert((WORKER_MAX_JOBS & (WORKER_MAX_JOBS - 1)) == 0, "ring indices wrap by a mask");

/* One writer, one reader. Indices only rise; their difference is the number of entries. */
struct ring {
  struct worker_job *entry[WORKER_MAX_JOBS];
  _Alignas(64) atomic_size_t written;
  _Alignas(64) atomic_size_t read;
};

struct worker {
  struct ring jobs;    /* cycle to thread */
  struct ring results; /* thread to cycle */
  size_t posted;       /* the cycle's own counts */
  size_t adopted;
  _Atomic uint64_t finished;
  _Atomic uint64_t turns;
  atomic_bool stop;
  pthread_t thread;
};

/* Never full: no more than WORKER_MAX_JOBS are under way. */
static void ring_put(struct ring *ring, struct worker_job *job) {
  const size_t at = atomic_load_explicit(&ring->written, memory_order_relaxed);
  ring->entry[at % WORKER_MAX_JOBS] = job;
  atomic_store_explicit(&ring->written, at + 1, memory_order_release);
}

static struct worker_job *ring_take(struct ring *ring) {
  const size_t at = atomic_load_explicit(&ring->read, memory_order_relaxed);
  if (at == atomic_load_explicit(&ring->written, memory_order_acquire)) {
    return NULL;
  }
  struct worker_job *job = ring->entry[at % WORKER_MAX_JOBS];
  atomic_store_explicit(&ring->read, at + 1, memory_order_release);
  return job;
}

bool worker_post(struct worker *worker, struct worker_job *job) {
  if (worker_under_way(worker) == WORKER_MAX_JOBS) {
    return false;
  }
  worker->posted++;
  job->worker = worker;
  ring_put(&worker->jobs, job);
  return true;
}

size_t worker_adopt(struct worker *worker) {
  size_t n = 0;
  for (; n < WORKER_MAX_JOBS; n++) {
    struct worker_job *job = ring_take(&worker->results);
    if (job == NULL) {
      break;
    }
    worker->adopted++;
    job->adopt(job);
  }
  return n;
}

size_t worker_under_way(const struct worker *worker) {
  return worker->posted - worker->adopted;
}

uint64_t worker_finished(const struct worker *worker) {
  return atomic_load_explicit(&worker->finished, memory_order_relaxed);
}

uint64_t worker_heartbeat(const struct worker *worker) {
  return atomic_load_explicit(&worker->turns, memory_order_relaxed);
}

void worker_beat(struct worker_job *job) {
  atomic_fetch_add_explicit(&job->worker->turns, 1, memory_order_relaxed);
}

static void *turn(void *argument) {
  struct worker *worker = argument;
  const struct timespec pause = {.tv_nsec = LOOK_NS};
  setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
  while (!atomic_load_explicit(&worker->stop, memory_order_acquire)) {
    struct worker_job *job = ring_take(&worker->jobs);
    if (job != NULL) {
      job->run(job);
      ring_put(&worker->results, job);
      atomic_fetch_add_explicit(&worker->finished, 1, memory_order_relaxed);
    } else {
      nanosleep(&pause, NULL);
    }
    atomic_fetch_add_explicit(&worker->turns, 1, memory_order_relaxed);
  }
  return NULL;
}

/* An ordinary thread, whatever the policy of the thread that starts it. */
static int start_thread(struct worker *worker) {
  const struct sched_param none = {.sched_priority = 0};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  pthread_attr_setschedparam(&attributes, &none);
  const int failed = pthread_create(&worker->thread, &attributes, turn, worker);
  pthread_attr_destroy(&attributes);
  if (failed == 0) {
    pthread_setname_np(worker->thread, "worker");
  }
  return failed;
}

struct worker *worker_start(struct message *error) {
  struct worker *worker = aligned_alloc(64, sizeof(*worker));
  if (worker == NULL) {
    message_set(error, "worker: no memory");
    return NULL;
  }
  memset(worker, 0, sizeof(*worker));
  const int failed = start_thread(worker);
  if (failed != 0) {
    message_set(error, "worker: no thread: %s", strerror(failed));
    free(worker);
    return NULL;
  }
  return worker;
}

void worker_stop(struct worker *worker) {
  if (worker != NULL) {
    atomic_store_explicit(&worker->stop, true, memory_order_release);
    pthread_join(worker->thread, NULL);
    free(worker);
  }
}
