/* What a whole cycle of the pipeline costs: the humanoid with all its skin, standing and walking,
 * and one of 60 joints with two hands, of which only encoders tell or skin as well,
 * that in both forms (joint_parts.h); and faster cycles, the humanoid at 2 kHz and a quadruped of
 * 12 joints at 4 kHz, with skin in one of four as at 1 kHz.
 *
 * The same frames go several times through pipelines that each begin anew. The work is the same to
 * the bit each time, so the smallest time of each cycle is what the machine did without being
 * disturbed; figures are over those. Frames between two looks of the skin, those that bring it
 * (late, so that what came after is filtered again) and those that prepare for it are one mix, as
 * in a running daemon; `between` is the median of the cheapest quarter: one frame in four costs
 * less than half of the others, so the quarter's own bound lies where the cost jumps. */
#include "pipeline.h"
#include "sim.h"
#include "stock_robot.h"
#include "support/bench_clock.h"
#include "support/handed_robot.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES_MAX = 6400, PASSES = 5 };

/* s: what is simulated, and what of it is not counted. */
static const double LENGTH = 1.6, SETTLED = 0.6;

struct frames {
  struct sensor_frame frame[FRAMES_MAX];
  size_t count;
};

static void *copy_of(const void *from, size_t bytes) {
  return from != NULL ? memcpy(malloc(bytes), from, bytes) : NULL;
}

/* A frame with arrays of its own; those of a stream that is not fresh are never read. */
static struct sensor_frame keep(const struct sensor_frame *frame, const struct robot *robot) {
  struct sensor_frame kept = *frame;
  if (frame->joints.stamp.fresh) {
    kept.joints.q = copy_of(frame->joints.q, robot->model.n_joints * sizeof(double));
    kept.joints.tau = copy_of(frame->joints.tau, robot->model.n_joints * sizeof(double));
  }
  if (frame->skin.stamp.fresh) {
    kept.skin.acceleration =
        copy_of(frame->skin.acceleration, 3 * robot->n_cells * sizeof(*frame->skin.acceleration));
    kept.skin.flags = copy_of(frame->skin.flags, robot->n_cells);
    kept.skin.proximity =
        copy_of(frame->skin.proximity, robot->n_cells * sizeof(*frame->skin.proximity));
    kept.skin.force = copy_of(frame->skin.force, robot->n_cells * sizeof(*frame->skin.force));
  }
  return kept;
}

static void simulate(const struct stock_robot *stock, const char *scenario, double rate_hz,
                     struct frames *frames) {
  struct sim_options options = sim_defaults(stock->robot, stock->urdf, scenario);
  struct message error;
  struct sim *sim;
  options.rest_s = 0.3;
  options.frame_rate_hz = rate_hz;
  options.stream[PROPRIOD_SHM_JOINTS].rate_hz = rate_hz;
  options.stream[PROPRIOD_SHM_IMU].rate_hz = rate_hz;
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = rate_hz / 4.0;
  options.stream[PROPRIOD_SHM_SKIN].latency_s = 2.0 / rate_hz;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 0.0;
  const enum status status = sim_create(&sim, &options, &error);
  if (status != STATUS_OK) {
    fprintf(stderr, "%s\n", error.text);
  }
  require(status == STATUS_OK);
  const size_t count = (size_t)(LENGTH * rate_hz);
  for (frames->count = 0; frames->count < count && sim_step(sim) == STATUS_OK; frames->count++) {
    frames->frame[frames->count] = keep(sim_frame(sim), stock->robot);
  }
  sim_destroy(sim);
}

static void forget(struct frames *frames) {
  for (size_t i = 0; i < frames->count; i++) {
    const struct sensor_frame *frame = &frames->frame[i];
    if (frame->joints.stamp.fresh) {
      free((void *)frame->joints.q);
      free((void *)frame->joints.tau);
    }
    if (frame->skin.stamp.fresh) {
      free((void *)frame->skin.acceleration);
      free((void *)frame->skin.flags);
      free((void *)frame->skin.proximity);
      free((void *)frame->skin.force);
    }
  }
}

static struct pipeline *new_pipeline(const struct robot *robot, enum joint_form form,
                                     double rate_hz, struct arena *arena) {
  struct pipeline_settings settings = pipeline_defaults();
  struct pipeline *pipeline = NULL;
  settings.period_s = 1.0 / rate_hz;
  settings.joints.form = form;
  *arena = (struct arena){0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      *arena = arena_over(aligned_alloc(ARENA_ALIGN, arena->used), arena->used);
    }
    require(pipeline_init(&pipeline, robot, &settings, arena) == STATUS_OK);
  }
  return pipeline;
}

/* One pass; lowers `us` where it was quicker. */
static void pass(const struct robot *robot, enum joint_form form, double rate_hz,
                 const struct frames *frames, double *us) {
  static struct estimates out;
  struct arena arena;
  struct pipeline *pipeline = new_pipeline(robot, form, rate_hz, &arena);
  memset(&out, 0, sizeof(out));
  for (size_t i = 0; i < frames->count; i++) {
    const double start = now_us();
    pipeline_step(pipeline, &frames->frame[i], &out);
    const double took = now_us() - start;
    us[i] = took < us[i] ? took : us[i];
  }
  require(pipeline_counters(pipeline)->resets == 0);
  free(arena.base);
}

static void report(const char *name, double *us, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += us[i] / (double)n;
  }
  qsort(us, n, sizeof(*us), by_value);
  printf("{\"name\": \"cycle_%s\", \"value\": %.1f, \"unit\": \"us\", \"p50\": %.1f, "
         "\"p99\": %.1f, \"between\": %.1f}\n",
         name, sum, us[n / 2], us[n * 99 / 100], us[n / 8]);
}

static void measure(const struct stock_robot *stock, const char *scenario, enum joint_form form,
                    double rate_hz, const char *name) {
  static struct frames frames;
  static double us[FRAMES_MAX];
  const size_t settled = (size_t)(SETTLED * rate_hz);
  simulate(stock, scenario, rate_hz, &frames);
  for (size_t i = 0; i < FRAMES_MAX; i++) {
    us[i] = HUGE_VAL;
  }
  for (int k = 0; k < PASSES; k++) {
    pass(stock->robot, form, rate_hz, &frames, us);
  }
  report(name, us + settled, frames.count - settled);
  forget(&frames);
}

/* Eight cells at the corners of a box about a link's origin, four of which look up its x. */
static void write_cells(FILE *out, const char *link) {
  static const char *const normal[] = {"0,0.7071068,0,0.7071068", "0,-0.7071068,0,0.7071068"};
  for (int c = 0; c < 8; c++) {
    fprintf(out, "%s_%d,%s,%g,%g,%g,%s\n", link, c, link, c & 1 ? -0.03 : 0.03,
            c & 2 ? -0.05 : 0.05, c & 4 ? -0.1 : -0.02, normal[c & 1]);
  }
}

/* The quadruped with skin on base, hips, thighs and calves. */
static struct stock_robot dressed_quadruped(void) {
  static const char *const leg[] = {"left_front", "left_hind", "right_front", "right_hind"},
                           *const part[] = {"hip", "thigh", "calf"};
  struct robot_settings settings;
  struct stock_robot stock = {.urdf = "config/robots/quadruped12.urdf"};
  struct message error;
  char path[] = "/tmp/propriod-cells-XXXXXX", link[64];
  FILE *out = fdopen(mkstemp(path), "w");
  require(out != NULL && stock_robot_settings("quadruped12", &settings) == STATUS_OK);
  fputs("cell,link,x,y,z,qx,qy,qz,qw\n", out);
  write_cells(out, "base_link");
  for (size_t k = 0; k < 4; k++) {
    for (size_t i = 0; i < 3; i++) {
      snprintf(link, sizeof(link), "%s_%s_link", leg[k], part[i]);
      write_cells(out, link);
    }
  }
  require(fclose(out) == 0);
  snprintf(settings.cells, sizeof(settings.cells), "%s", path);
  require(robot_load(&settings, "config/robots", &stock.robot, &error) == STATUS_OK);
  unlink(path);
  return stock;
}

int main(void) {
  struct stock_robot stock;
  struct message error;
  require(stock_robot_load("humanoid30", "config/robots", &stock, &error) == STATUS_OK);
  measure(&stock, "stand", JOINTS_AUTO, 1000.0, "stand");
  measure(&stock, "walk", JOINTS_AUTO, 1000.0, "walk");
  measure(&stock, "walk", JOINTS_AUTO, 2000.0, "walk_2khz");
  robot_destroy(stock.robot);
  stock = dressed_quadruped();
  measure(&stock, "trot", JOINTS_AUTO, 4000.0, "trot_12_4khz");
  robot_destroy(stock.robot);
  stock = handed_robot(HANDS_BARE);
  measure(&stock, "walk", JOINTS_AUTO, 1000.0, "walk_60_bare_hands");
  handed_robot_free(&stock);
  stock = handed_robot(HANDS_SKIN);
  measure(&stock, "walk", JOINTS_AUTO, 1000.0, "walk_60");
  measure(&stock, "walk", JOINTS_EXACT, 1000.0, "walk_60_exact");
  handed_robot_free(&stock);
  return EXIT_SUCCESS;
}
