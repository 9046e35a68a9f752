/* faults.md S1: one broken word now and then, in every channel of every stream of a humanoid that
 * walks: nothing of it is published, and the run ends as one without those samples. */
#include "publish/topics.h"
#include "support/aside.h"
#include "support/fault_run.h"
#include "support/suite.h"

enum { SECOND = 1000, CYCLES_APART = 20, CAPACITY = 64 * 1024 };

struct channel {
  const char *name;
  void (*put)(struct fault_run *run, double value);
};

static void encoder(struct fault_run *run, double value) {
  run->q[9] = value;
}

static void torque(struct fault_run *run, double value) {
  run->tau[9] = value;
}

static void gyro(struct fault_run *run, double value) {
  run->frame.imu.angular_rate.y = value;
}

static void accelerometer(struct fault_run *run, double value) {
  run->frame.imu.specific_force.x = value;
}

static void orientation(struct fault_run *run, double value) {
  run->frame.imu.orientation.x = value;
}

static void force(struct fault_run *run, double value) {
  run->wrench[0].lin.z = value;
}

static void moment(struct fault_run *run, double value) {
  run->wrench[1].ang.y = value;
}

static const struct channel channels[] = {
    {"encoder", encoder},
    {"torque", torque},
    {"gyro", gyro},
    {"accelerometer", accelerometer},
    {"orientation", orientation},
    {"force", force},
    {"moment", moment},
};
enum { CHANNELS = sizeof(channels) / sizeof(channels[0]) };

/* Numbers that would have been published and are none. */
static uint64_t not_finite(const struct estimates *out) {
  static char bytes[CAPACITY];
  struct wire wire;
  wire_init(&wire, bytes, sizeof(bytes));
  encode_state(&wire, &out->state, 0);
  wire_rewind(&wire);
  encode_centroidal(&wire, &out->centroidal, 0);
  wire_rewind(&wire);
  encode_inertia(&wire, &out->inertia, 0, 0);
  return wire.replaced;
}

/* Mean errors over the second that follows the last broken word. */
struct errors {
  double tilt, velocity, cop, mass, push; /* degrees, m/s, m, kg, N */
};

static void add_errors(const struct fault_run *run, double share, struct errors *sum) {
  const struct sim_truth *truth = fault_run_truth(run);
  const struct propriod_state *state = &run->out.state;
  const struct propriod_centroidal *c = &run->out.centroidal;
  const mat3 R = mat3_from_quat(state->quat_xyzw);
  const vec3 up = vec3_from(R.m[2]), true_up = vec3_from(truth->base.X_WB.R.m[2]);
  const vec3 v = mat3_tmul_vec3(&R, state->base_velocity);
  const vec3 cop = mat3_tmul_vec3(&R, vec3_sub(c->cop_position, state->base_position));
  const vec3 true_cop =
      mat3_tmul_vec3(&truth->base.X_WB.R, vec3_sub(truth->cop_W, truth->base.X_WB.p));
  const bool has_cop = (c->estimated & PROPRIOD_CENTROIDAL_COP) != 0 && truth->cop_valid;
  sum->tilt += share * vec3_norm(vec3_cross(up, true_up)) * 180.0 / M_PI;
  sum->velocity += share * vec3_norm(vec3_sub(v, truth->base.v_B.lin));
  sum->cop += has_cop ? share * hypot(cop.x - true_cop.x, cop.y - true_cop.y) : 0.0;
  sum->mass +=
      share * fabs(run->out.inertia.result.link[0].published.m -
                   run->stock.robot->model.inertia[run->out.inertia.result.link[0].link].m);
  sum->push += share * vec3_norm(c->push_force);
}

static struct fault_run *walker(void) {
  struct fault_run *run = fault_run_new("humanoid30", "walk", 1000.0, 0.0);
  run->options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 1000.0;
  run->options.joints.white = 1e-5;
  run->options.joints.has_effort = true;
  run->options.imu.has_orientation = true;
  run->options.imu.orientation_white = 2e-3;
  run->settings.joints.encoder_noise = 1e-5;
  run->settings.inertial.n_links = 1;
  strcpy(run->settings.inertial.link[0], "torso_pitch_link");
  fault_run_record(run, 4.0);
  fault_run_start(run);
  for (int step = 0; step < 2 * SECOND; step++) {
    fault_run_take(run);
    fault_run_give(run);
  }
  return run;
}

/* A walk that goes on with broken words. */
struct trial {
  struct fault_run *run;
  const struct channel *channel;
  const double *value; /* [n], in turn, one every CYCLES_APART cycles of a second */
  int n;
  struct errors errors;
};

static void spoil(void *with) {
  struct trial *trial = with;
  struct fault_run *run = trial->run;
  for (int step = 0; step < 2 * SECOND; step++) {
    fault_run_take(run);
    const double value = trial->value[step / CYCLES_APART % trial->n];
    if (step < SECOND && step % CYCLES_APART == 0) {
      trial->channel->put(run, value);
    }
    fault_run_give(run);
    if (not_finite(&run->out) != 0) {
      ck_abort_msg("%g in the %s: no number %d cycles later", value, trial->channel->name,
                   step % CYCLES_APART);
    }
    if (step >= SECOND) {
      add_errors(run, 1.0 / SECOND, &trial->errors);
    }
  }
}

static struct errors errors_with(struct fault_run *run, const struct channel *channel,
                                 const double *value, int n) {
  struct trial trial = {.run = run, .channel = channel, .value = value, .n = n};
  aside(spoil, &trial, sizeof(trial));
  return trial.errors;
}

static void print_errors(const char *channel, const char *words, const struct errors *e) {
  printf("S1 %-13s %-7s: tilt %.3f deg, velocity %.4f m/s, cop %.4f m, mass %.3f kg, push %.2f N\n",
         channel, words, e->tilt, e->velocity, e->cop, e->mass, e->push);
}

START_TEST(a_second_of_broken_words_in_any_channel_costs_no_more_than_the_samples_themselves) {
  static const double missing[] = {(double)NAN};
  static const double bad[] = {(double)INFINITY, -1e308, 1e30, 1e6};
  struct fault_run *run = walker();
  for (size_t c = 0; c < CHANNELS; c++) {
    const struct errors without = errors_with(run, &channels[c], missing, 1);
    print_errors(channels[c].name, "missing", &without);
    const struct errors with = errors_with(run, &channels[c], bad, sizeof(bad) / sizeof(bad[0]));
    print_errors(channels[c].name, "broken", &with);
    ck_assert_double_le(with.tilt, 1.1 * without.tilt);
    ck_assert_double_le(with.velocity, 1.1 * without.velocity);
    ck_assert_double_le(with.cop, 1.1 * without.cop);
    ck_assert_double_le(with.mass, 1.1 * without.mass + 1e-3);
    ck_assert_double_le(with.push, 1.1 * without.push + 0.1);
  }
  fault_run_end(run);
}
END_TEST

SUITE(a_second_of_broken_words_in_any_channel_costs_no_more_than_the_samples_themselves)
