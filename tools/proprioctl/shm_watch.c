/* proprioctl shm watch: at what rate and how late a stream's frames arrive. */
#include "commands.h"
#include "shm.h"

#include <math.h>
#include <stdlib.h>

/* One second of arrivals. */
struct tally {
  uint64_t frames, lost, torn, corrupt, backward;
  double sum_ms, max_ms;           /* from sampling to commit */
  double min_step_ms, max_step_ms; /* between the stamps of two frames in a row */
};

static void count_frame(struct tally *tally, struct stream_reader *reader, uint64_t seen) {
  const double latency_ms = (double)(reader->next.commit_ns - reader->next.t_ns) * 1e-6;
  const double step_ms = (double)(reader->next.t_ns - reader->head.t_ns) * 1e-6;
  tally->frames++;
  tally->lost += seen != 0 && reader->seen > seen + 1 ? reader->seen - seen - 1 : 0;
  tally->sum_ms += latency_ms;
  tally->max_ms = fmax(tally->max_ms, latency_ms);
  if (seen != 0 && reader->seen == seen + 1) {
    tally->backward += step_ms <= 0.0;
    tally->min_step_ms = fmin(tally->min_step_ms, step_ms);
    tally->max_step_ms = fmax(tally->max_step_ms, step_ms);
  }
  stream_reader_accept(reader);
}

static void watch_until(const struct shm_view *view, struct stream_reader *reader,
                        int64_t deadline_ns, struct tally *tally) {
  const struct propriod_shm_control *control = shm_view_control(view, reader->kind);
  for (int64_t now_ns; (now_ns = propriod_shm_now_ns()) < deadline_ns;) {
    const uint32_t word = __atomic_load_n(&control->futex, __ATOMIC_ACQUIRE);
    const uint64_t seen = reader->seen;
    const enum stream_news news =
        stream_reader_poll(reader, view->base, &view->layout.stream[reader->kind]);
    if (news == STREAM_NEW_FRAME) {
      count_frame(tally, reader, seen);
      continue;
    }
    tally->torn += news == STREAM_TORN;
    tally->corrupt += news == STREAM_CORRUPT;
    const struct timespec rest = {.tv_sec = (deadline_ns - now_ns) / 1000000000,
                                  .tv_nsec = (deadline_ns - now_ns) % 1000000000};
    if (syscall(SYS_futex, &control->futex, FUTEX_WAIT, word, &rest, NULL, 0) != 0 &&
        errno == EFAULT) {
      nanosleep(&rest, NULL);
    }
  }
}

static void print_json(const struct tally *t, double mean_ms) {
  printf("{\"hz\": %llu, \"lost\": %llu, \"torn\": %llu, \"corrupt\": %llu, \"backward\": %llu, ",
         (unsigned long long)t->frames, (unsigned long long)t->lost, (unsigned long long)t->torn,
         (unsigned long long)t->corrupt, (unsigned long long)t->backward);
  printf("\"latency_mean_ms\": %.3f, \"latency_max_ms\": %.3f, \"step_min_ms\": %.3f, "
         "\"step_max_ms\": %.3f}\n",
         mean_ms, t->max_ms, t->min_step_ms, t->max_step_ms);
}

static void print_text(const struct tally *t, double mean_ms) {
  printf("%6llu Hz   lost %llu  torn %llu  corrupt %llu  backward %llu   ",
         (unsigned long long)t->frames, (unsigned long long)t->lost, (unsigned long long)t->torn,
         (unsigned long long)t->corrupt, (unsigned long long)t->backward);
  printf("latency mean %.3f max %.3f ms   step %.3f .. %.3f ms\n", mean_ms, t->max_ms,
         t->min_step_ms, t->max_step_ms);
}

static void print_tally(struct tally *t, bool json) {
  if (t->max_step_ms < t->min_step_ms) { /* no two frames in a row */
    t->min_step_ms = t->max_step_ms = 0.0;
  }
  (json ? print_json : print_text)(t, t->frames > 0 ? t->sum_ms / (double)t->frames : 0.0);
  fflush(stdout);
}

int shm_watch(const struct shm_options *options) {
  struct shm_view view;
  struct stream_reader reader;
  const int result = shm_view_open(&view, options->segment);
  if (result != CTL_OK) {
    return result;
  }
  void *memory = shm_view_reader(&view, (unsigned)options->kind, &reader);
  if (memory == NULL) {
    return CTL_FAILED;
  }
  const int64_t start_ns = propriod_shm_now_ns();
  for (int64_t second = 1; options->seconds <= 0.0 || (double)(second - 1) < options->seconds;
       second++) {
    struct tally tally = {.min_step_ms = HUGE_VAL, .max_step_ms = -HUGE_VAL};
    watch_until(&view, &reader, start_ns + second * 1000000000, &tally);
    print_tally(&tally, options->json);
    struct propriod_shm_header header;
    char why[PROPRIOD_SHM_REASON];
    struct stat file;
    if (propriod_shm_read_header(view.fd, &header, why) != 0 || fstat(view.fd, &file) != 0 ||
        file.st_nlink == 0) {
      fprintf(stderr, "proprioctl shm: the segment was replaced or removed\n");
      free(memory);
      return CTL_UNREACHABLE;
    }
  }
  free(memory);
  return CTL_OK;
}
