/* proprioctl shm dump: layout, writers, freshness, and the newest frame of one stream. */
#include "commands.h"
#include "shm.h"

#include <stdlib.h>

static double age_ms(int64_t now_ns, int64_t t_ns) {
  return (double)(now_ns - t_ns) * 1e-6;
}

static const char *news_text(enum stream_news news) {
  static const char *const texts[] = {"no frame yet", "good", "torn", "corrupt"};
  return texts[news];
}

/* One stream at one instant. */
struct stream_state {
  const char *name;
  struct propriod_shm_stream place;
  uint64_t frames;
  bool has_writer;
  uint32_t writer_pid;
  double heartbeat_ms; /* since the writer's last sign of life; negative: none yet */
  enum stream_news newest;
  double age_ms; /* of the newest sample; negative: none */
  uint32_t fields;
};

static bool look(const struct shm_view *view, unsigned kind, struct stream_state *state) {
  const struct propriod_shm_control *control = shm_view_control(view, kind);
  const int64_t beat_ns = __atomic_load_n(&control->heartbeat_ns, __ATOMIC_RELAXED);
  const int64_t now_ns = propriod_shm_now_ns();
  struct stream_reader reader;
  void *memory = shm_view_reader(view, kind, &reader);
  if (memory == NULL) {
    return false;
  }
  *state = (struct stream_state){
      .name = propriod_shm_name(kind),
      .place = view->layout.stream[kind],
      .frames = __atomic_load_n(&control->head, __ATOMIC_ACQUIRE),
      .has_writer = shm_view_has_writer(view, kind),
      .writer_pid = __atomic_load_n(&control->writer_pid, __ATOMIC_RELAXED),
      .heartbeat_ms = beat_ns > 0 ? age_ms(now_ns, beat_ns) : -1.0,
      .newest = stream_reader_poll(&reader, view->base, &view->layout.stream[kind]),
      .age_ms = -1.0};
  if (state->newest == STREAM_NEW_FRAME) {
    state->age_ms = age_ms(now_ns, reader.next.t_ns);
    state->fields = reader.next.fields;
  }
  free(memory);
  return true;
}

static void print_json(const struct stream_state *s) {
  printf(
      "{\"stream\": \"%s\", \"count\": %u, \"slots\": %u, \"slot_bytes\": %u, \"frames\": %llu, ",
      s->name, s->place.count, s->place.n_slots, s->place.slot_size, (unsigned long long)s->frames);
  printf("\"writer\": %s, \"writer_pid\": %u, \"heartbeat_ms\": %.3f, ",
         s->has_writer ? "true" : "false", s->writer_pid, s->heartbeat_ms);
  printf("\"newest\": \"%s\", \"age_ms\": %.3f, \"fields\": %u}\n", news_text(s->newest), s->age_ms,
         s->fields);
}

static void print_text(const struct stream_state *s) {
  printf("%-7s %5u x %u slots of %u bytes, %llu frames; ", s->name, s->place.count,
         s->place.n_slots, s->place.slot_size, (unsigned long long)s->frames);
  if (s->heartbeat_ms < 0.0) {
    printf("no writer yet\n");
    return;
  }
  printf("writer %u %s, seen %.1f ms ago; newest %s", s->writer_pid,
         s->has_writer ? "is there" : "is gone", s->heartbeat_ms, news_text(s->newest));
  if (s->age_ms >= 0.0) {
    printf(", %.3f ms old", s->age_ms);
  }
  printf("\n");
}

static void print_row(const char *name, size_t i, const double *values, size_t n) {
  printf("%s %4zu ", name, i);
  for (size_t k = 0; k < n; k++) {
    printf(" %12.6g", values[k]);
  }
  printf("\n");
}

static void print_joints(const struct stream_reader *reader) {
  const struct propriod_shm_joints v = propriod_shm_view_joints(reader->next_arrays, reader->count);
  const uint32_t fields = reader->next.fields;
  for (size_t j = 0; j < reader->count; j++) {
    const double row[] = {v.q[j], fields & PROPRIOD_SHM_VELOCITY ? v.dq[j] : 0.0,
                          fields & PROPRIOD_SHM_EFFORT ? v.tau[j] : 0.0};
    print_row("q dq tau", j, row,
              fields & PROPRIOD_SHM_EFFORT ? 3 : (fields & PROPRIOD_SHM_VELOCITY ? 2 : 1));
  }
}

static void print_imu(const struct stream_reader *reader) {
  const struct propriod_shm_imu v = propriod_shm_view_imu(reader->next_arrays, reader->count);
  for (size_t i = 0; i < reader->count; i++) {
    print_row("specific force", i, v.specific_force + 3 * i, 3);
    print_row("angular rate  ", i, v.angular_rate + 3 * i, 3);
    if (reader->next.fields & PROPRIOD_SHM_ORIENTATION) {
      print_row("orientation   ", i, v.orientation + 4 * i, 4);
    }
  }
}

static void print_skin(const struct stream_reader *reader) {
  const struct propriod_shm_skin v = propriod_shm_view_skin(reader->next_arrays, reader->count);
  const uint32_t fields = reader->next.fields;
  for (size_t i = 0; i < reader->count; i++) {
    const float *a = v.acceleration + 3 * i;
    const bool proximity = (fields & PROPRIOD_SHM_PROXIMITY) != 0;
    const bool force = (fields & PROPRIOD_SHM_FORCE) != 0;
    const double row[] = {(double)a[0],
                          (double)a[1],
                          (double)a[2],
                          (double)v.flags[i],
                          proximity ? (double)v.proximity[i] : 0.0,
                          force ? (double)v.force[i] : 0.0};
    print_row("x y z flags proximity force", i, row, force ? 6 : (proximity ? 5 : 4));
  }
}

static void print_wrench(const struct stream_reader *reader) {
  const struct propriod_shm_wrench v = propriod_shm_view_wrench(reader->next_arrays);
  for (size_t i = 0; i < reader->count; i++) {
    print_row("moment force", i, v.wrench + 6 * i, 6);
  }
}

static int print_frame(const struct shm_view *view, unsigned kind) {
  static void (*const print_one[])(const struct stream_reader *) = {print_joints, print_imu,
                                                                    print_skin, print_wrench};
  struct stream_reader reader;
  void *memory = shm_view_reader(view, kind, &reader);
  if (memory == NULL) {
    return CTL_FAILED;
  }
  const enum stream_news news = stream_reader_poll(&reader, view->base, &view->layout.stream[kind]);
  if (news != STREAM_NEW_FRAME) {
    fprintf(stderr, "proprioctl shm: %s: %s\n", propriod_shm_name(kind), news_text(news));
    free(memory);
    return CTL_FAILED;
  }
  printf("frame %llu, sampled at %lld ns\n", (unsigned long long)reader.next.seq / 2,
         (long long)reader.next.t_ns);
  print_one[kind](&reader);
  free(memory);
  return CTL_OK;
}

int shm_dump(const struct shm_options *options) {
  struct shm_view view;
  const int result = shm_view_open(&view, options->segment);
  if (result != CTL_OK) {
    return result;
  }
  const struct propriod_shm_header *shared = (const void *)view.base;
  if (!options->json) {
    printf("%s: version %u, %llu bytes, layout %016llx, propriod is process %u, seen %.1f "
           "ms ago\n",
           options->segment, view.layout.version, (unsigned long long)view.layout.size,
           (unsigned long long)view.layout.layout_hash, shared->daemon_pid,
           age_ms(propriod_shm_now_ns(), shared->daemon_heartbeat_ns));
  }
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    struct stream_state state;
    if ((options->kind < 0 || (unsigned)options->kind == kind) && look(&view, kind, &state)) {
      (options->json ? print_json : print_text)(&state);
    }
  }
  return options->kind >= 0 && !options->json ? print_frame(&view, (unsigned)options->kind)
                                              : CTL_OK;
}
