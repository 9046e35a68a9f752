/* Simulated walks on four robots, one of which trots: base velocity and tilt of propriod, with and
 * without skin, beside the contact-aided invariant filter that others run, on the same sensors. */
#include "report.h"
#include "support/give_up.h"
#include "support/invariant_ekf.h"
#include "trust/fault_bench.h"

#include <math.h>
#include <stdio.h>

enum way { WITH_SKIN, WITHOUT_SKIN, INVARIANT, WAYS };
static const char *const way_name[WAYS] = {"propriod", "propriod, no skin", "invariant EKF"};

static const double from_s = 4.0;
static const uint64_t seed = 31;

#define STANDS_FROM  0.2 /* of the weight, by the force sensors: a foot stands */
#define STANDS_UNTIL 0.1 /* it no longer does */

static const struct walk_case {
  const char *name;
  double strike_speed; /* m/s */
  double length;       /* m: links, per axis */
  double uneven;       /* m: ground */
} cases[] = {
    {"soft ground", 0.0, 0.0, 0.0},
    {"hard ground", 0.1, 0.0, 0.0},
    {"lengths 1 mm wrong, ground uneven by 6 mm", 0.1, 1e-3, 6e-3},
};

/* Sums over the instants that count. */
struct sums {
  double n, velocity, tilt; /* squares of m/s, of rad */
};

static void add(struct sums *sums, const struct sim_truth *truth, const mat3 *R, vec3 v) {
  const double yaw = mat3_to_rpy(&truth->base.X_WB.R).z - mat3_to_rpy(R).z;
  const mat3 turn = mat3_from_rpy((vec3){0.0, 0.0, yaw});
  const vec3 e = vec3_sub(mat3_mul_vec3(&turn, v), truth->base_velocity_W),
             up = mat3_mul_vec3(&truth->base.X_WB.R, vec3_from(R->m[2]));
  sums->n += 1.0;
  sums->velocity += vec3_dot(e, e);
  sums->tilt += up.x * up.x + up.y * up.y;
}

static void run_invariant(const struct tape *tape, struct sums *sums) {
  const struct invariant_settings settings = invariant_defaults();
  const struct robot *robot = tape->robot;
  const double weight = STANDARD_GRAVITY * model_mass(&robot->model);
  struct invariant_ekf ekf;
  bool stands[INVARIANT_FEET] = {false};
  if (!invariant_ekf_init(&ekf, robot, &settings)) {
    give_up("invariant EKF", "no memory");
  }
  for (size_t k = 0; k < tape->count; k++) {
    const struct sensor_frame *frame = &tape->frame[k];
    for (size_t f = 0; f < INVARIANT_FEET && f < robot->n_wrench; f++) {
      const double carried = vec3_norm(frame->wrench.wrench[f].lin);
      stands[f] = carried > (stands[f] ? STANDS_UNTIL : STANDS_FROM) * weight;
    }
    invariant_ekf_step(&ekf, frame->imu.stamp.t_ns, frame->imu.specific_force,
                       frame->imu.angular_rate, frame->joints.q, stands);
    if (tape->period_s * (double)k > from_s) {
      struct pose X_WB;
      vec3 v;
      invariant_ekf_base(&ekf, frame->imu.angular_rate, &X_WB, &v);
      add(sums, &tape->truth[k], &X_WB.R, v);
    }
  }
  invariant_ekf_free(&ekf);
}

static void run_pipeline(const struct tape *tape, struct sums *sums) {
  const struct pipeline_settings settings = trust_settings(tape);
  struct trust_run run;
  if (trust_run_init(&run, tape, &settings) != STATUS_OK) {
    give_up(tape->robot->model.name, "the pipeline refuses it");
  }
  while (trust_run_step(&run, NULL)) {
    if (tape->period_s * (double)run.next > from_s) {
      const mat3 R = mat3_from_quat(run.out.state.quat_xyzw);
      add(sums, &tape->truth[run.next - 1], &R, run.out.state.base_velocity);
    }
  }
  trust_run_free(&run);
}

static void run_case(const struct walk_case *c, const struct stock_robot *stock,
                     struct sums sums[WAYS]) {
  for (int skin = 0; skin < 2; skin++) {
    struct sim_options options = bench_options(stock, MOTION_WALK, seed);
    struct tape tape;
    struct message error;
    options.walk.strike_speed = c->strike_speed;
    options.body.length = c->length;
    options.ground.uneven = c->uneven;
    options.stream[PROPRIOD_SHM_SKIN].rate_hz *= skin;
    if (tape_record(&tape, &options, &error) != STATUS_OK) {
      give_up(c->name, error.text);
    }
    run_pipeline(&tape, &sums[skin != 0 ? WITH_SKIN : WITHOUT_SKIN]);
    if (skin == 0) {
      run_invariant(&tape, &sums[INVARIANT]);
    }
    tape_free(&tape);
  }
}

int main(int argc, char **argv) {
  static const char *const robots[] = {"humanoid30", "humanoid18", "humanoid30@0.6", "quadruped12"};
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "walk_baselines",
                                      "Walking, beside the filter that others run");
  report_text(report,
              "Walks of 5 s, 1 kHz, ordinary sensors, force sensors in the ankles, seed %lu; the "
              "invariant EKF with its authors' settings, feet standing by their force.",
              (unsigned long)seed);
  struct table *table = table_create("RMS errors", "robot and ground", "way", "velocity (mm/s)",
                                     "tilt (degrees)", NULL);
  for (size_t r = 0; r < sizeof(robots) / sizeof(robots[0]); r++) {
    struct stock_robot stock;
    struct message error;
    if (scaled_robot_load(robots[r], "config/robots", &stock, &error) != STATUS_OK) {
      give_up(robots[r], error.text);
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct sums sums[WAYS] = {{0.0, 0.0, 0.0}};
      double velocity[WAYS];
      char name[128], limit[192];
      run_case(&cases[i], &stock, sums);
      snprintf(name, sizeof(name), "%s, %s", robots[r], cases[i].name);
      for (int w = 0; w < WAYS; w++) {
        velocity[w] = sqrt(sums[w].velocity / sums[w].n);
        table_row(table, name);
        table_text(table, way_name[w]);
        table_number(table, "%.2f", 1e3 * velocity[w]);
        table_number(table, "%.3f", sqrt(sums[w].tilt / sums[w].n) * 180.0 / M_PI);
      }
      snprintf(limit, sizeof(limit), "%s: velocity with skin, times the invariant EKF's", name);
      report_at_most(report, limit, velocity[WITH_SKIN] / velocity[INVARIANT], 0.7, "");
      snprintf(limit, sizeof(limit), "%s: velocity without skin, times the invariant EKF's", name);
      report_at_most(report, limit, velocity[WITHOUT_SKIN] / velocity[INVARIANT], 1.0, "");
    }
    scaled_robot_free(&stock);
  }
  report_table(report, table);
  return report_close(report);
}
