#include "frame_source.h"

#include "commands.h"
#include "recording/recording.h"
#include "shm.h"
#include "shm/sensor_input.h"

#include <stdlib.h>

struct frame_source {
  struct recording *recording; /* NULL: live */
  struct shm_view view;
  struct segment segment; /* the view, as sensor_input takes it */
  struct sensor_input input;
  struct diagnostics diagnostics;
  int64_t period_ns;
  void *memory;
};

static int open_recording(struct frame_source *source, const struct robot *robot,
                          const char *path) {
  struct message error;
  if (recording_open(&source->recording, path, &error) != STATUS_OK) {
    fprintf(stderr, "%s\n", error.text);
    return CTL_FAILED;
  }
  const struct recording_header *header = recording_header(source->recording);
  if (header->count[PROPRIOD_SHM_JOINTS] != robot->model.n_joints ||
      header->count[PROPRIOD_SHM_SKIN] != robot->n_cells) {
    fprintf(stderr, "%s: %u joints and %u cells; the configured robot has %zu and %zu\n", path,
            header->count[PROPRIOD_SHM_JOINTS], header->count[PROPRIOD_SHM_SKIN],
            robot->model.n_joints, robot->n_cells);
    return CTL_FAILED;
  }
  return CTL_OK;
}

static int open_segment(struct frame_source *source, const struct generation *generation) {
  const struct settings *settings = &generation->settings;
  uint32_t count[PROPRIOD_SHM_STREAMS];
  const int result = shm_view_open(&source->view, settings->input.segment);
  if (result != CTL_OK) {
    return result;
  }
  generation_streams(generation, count);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (source->view.layout.stream[kind].count != count[kind]) {
      fprintf(stderr, "%s: %s has %u, the configured robot %u\n", settings->input.segment,
              propriod_shm_name(kind), source->view.layout.stream[kind].count, count[kind]);
      return CTL_FAILED;
    }
  }
  source->segment = (struct segment){.fd = -1, .layout = source->view.layout};
  source->segment.base =
      (unsigned char *)(uintptr_t)source->view.base; /* read only: sensor_input does no more */
  source->period_ns = llround(settings->pipeline.period_s * 1e9);
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      source->memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(source->memory, arena.used);
    }
    if ((pass == 1 && source->memory == NULL) ||
        sensor_input_init(&source->input, &settings->input, count, &source->diagnostics, &arena) !=
            STATUS_OK) {
      fprintf(stderr, "no memory for the sensors' frames\n");
      return CTL_FAILED;
    }
  }
  const struct robot *robot = generation->robot;
  sensor_input_sort(&source->input, &robot->joints, robot->model.n_joints);
  sensor_input_attach(&source->input, &source->segment);
  return CTL_OK;
}

int frame_source_open(struct frame_source **source, const struct generation *generation,
                      const char *path) {
  struct frame_source *made = calloc(1, sizeof(*made));
  if (made == NULL) {
    return CTL_FAILED;
  }
  const int result =
      path != NULL ? open_recording(made, generation->robot, path) : open_segment(made, generation);
  if (result != CTL_OK) {
    frame_source_close(made);
    return result;
  }
  *source = made;
  return CTL_OK;
}

static const struct sensor_frame *next_live(struct frame_source *source) {
  const int64_t silence_ns = 1000000000, start_ns = propriod_shm_now_ns();
  sensor_input_begin(&source->input);
  if (!sensor_input_wait(&source->input, 0, start_ns + silence_ns)) {
    return NULL;
  }
  const int64_t now_ns = propriod_shm_now_ns();
  struct sensor_frame *frame = sensor_input_take(&source->input, now_ns);
  frame->t_ns = now_ns;
  return frame;
}

const struct sensor_frame *frame_source_next(struct frame_source *source) {
  const struct sensor_frame *frame = NULL;
  if (source->recording == NULL) {
    return next_live(source);
  }
  return recording_read(source->recording, &frame) == STATUS_OK ? frame : NULL;
}

bool frame_source_is_live(const struct frame_source *source) {
  return source->recording == NULL;
}

void frame_source_close(struct frame_source *source) {
  if (source != NULL) {
    recording_close(source->recording);
    if (source->view.base != NULL) {
      munmap((void *)(uintptr_t)source->view.base, source->view.layout.size);
      close(source->view.fd);
    }
    free(source->memory);
    free(source);
  }
}
