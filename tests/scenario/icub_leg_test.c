/* A real robot: eleven skin accelerometers and six encoders of an iCub's leg during a slow sweep of
 * the hip. */
#include "robot/accelerometer_calibration.h"

#include "body/kinematics.h"
#include "common/file.h"
#include "support/robot_text.h"
#include "support/suite.h"
#include "urdf/urdf_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENSORS = 11, JOINTS = 6, SAMPLES = 1990, WINDOW = 50 };

static const char *const sensor_name[SENSORS] = {
    "r_upper_leg_mtb_acc_11b1",  "r_upper_leg_mtb_acc_11b2", "r_upper_leg_mtb_acc_11b3",
    "r_upper_leg_mtb_acc_11b4",  "r_upper_leg_mtb_acc_11b5", "r_upper_leg_mtb_acc_11b6",
    "r_upper_leg_mtb_acc_11b7",  "r_lower_leg_mtb_acc_11b8", "r_lower_leg_mtb_acc_11b9",
    "r_lower_leg_mtb_acc_11b10", "r_lower_leg_mtb_acc_11b11"};
static const char *const joint_name[JOINTS] = {"r_hip_pitch", "r_hip_roll",    "r_hip_yaw",
                                               "r_knee",      "r_ankle_pitch", "r_ankle_roll"};

struct sample {
  double t;
  vec3 raw[SENSORS]; /* m/s^2 */
};
struct pose_sample {
  double t, q[JOINTS]; /* s, rad */
};

static struct sample acceleration[SAMPLES];
static struct pose_sample pose_of[SAMPLES];

static void open_log(const char *name, FILE **log) {
  char path[256];
  snprintf(path, sizeof(path), "%s/icub_leg_skin_real/%s",
           shared_data("the skin of a real leg is calibrated"), name);
  *log = fopen(path, "r");
  if (*log == NULL) {
    skip("no recording icub_leg_skin_real");
  }
}

static void read_accelerations(void) {
  const double unit = STANDARD_GRAVITY / 16384.0;
  FILE *log;
  open_log("inertialMTB_data.log", &log);
  for (int i = 0; i < SAMPLES; i++) {
    double n, version;
    ck_assert_int_eq(fscanf(log, "%*d %lf %lf %lf", &acceleration[i].t, &n, &version), 3);
    for (int s = 0; s < SENSORS + 1; s++) {
      double v[6];
      ck_assert_int_eq(
          fscanf(log, "%lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]), 6);
      if (s < SENSORS) {
        acceleration[i].raw[s] = vec3_scale(unit, vec3_from(v + 3));
      }
    }
  }
  fclose(log);
}

static void read_poses(void) {
  FILE *log;
  open_log("stateExt_o_data.log", &log);
  for (int i = 0; i < SAMPLES; i++) {
    double *q = pose_of[i].q;
    ck_assert_int_eq(fscanf(log, "%*d %lf (%lf %lf %lf %lf %lf %lf)%*[^\n]", &pose_of[i].t, &q[0],
                            &q[1], &q[2], &q[3], &q[4], &q[5]),
                     7);
    for (int j = 0; j < JOINTS; j++) {
      q[j] *= M_PI / 180.0;
    }
  }
  fclose(log);
}

/* The pose nearest in time. */
static const struct pose_sample *pose_at(double t) {
  static int at;
  while (at + 1 < SAMPLES && fabs(pose_of[at + 1].t - t) <= fabs(pose_of[at].t - t)) {
    at++;
  }
  while (at > 0 && fabs(pose_of[at - 1].t - t) < fabs(pose_of[at].t - t)) {
    at--;
  }
  return &pose_of[at];
}

/* What an accelerometer at rest would read, for each sample, in the sensor's frame. */
static void expected_readings(const struct model *model, int sensor, vec3 *expected) {
  static struct kinematics kin;
  struct arena arena = {0};
  double q[MODEL_MAX_JOINTS] = {0.0};
  ck_assert_int_eq(kinematics_init(&kin, model, &arena), STATUS_OK);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  ck_assert_int_eq(kinematics_init(&kin, model, &arena), STATUS_OK);
  const struct model_frame *place = NULL;
  for (size_t i = 0; i < model->n_accelerometers; i++) {
    if (strcmp(model->accelerometer[i].name, sensor_name[sensor]) == 0) {
      place = &model->accelerometer[i];
    }
  }
  ck_assert_ptr_nonnull(place);
  for (int i = 0; i < SAMPLES; i++) {
    const struct pose_sample *pose = pose_at(acceleration[i].t);
    for (int j = 0; j < JOINTS; j++) {
      q[model_find_joint(model, joint_name[j])] = pose->q[j];
    }
    ck_assert_int_eq(kinematics_update_position(&kin, q), STATUS_OK);
    const vec3 up_L = mat3_tmul_vec3(&kin.X_BL[place->link].R, (vec3){0.0, 0.0, STANDARD_GRAVITY});
    expected[i] = mat3_tmul_vec3(&place->placement.R, up_L);
  }
}

/* Means over half a second: gravity changes slowly in the sweep, the leg's shaking of some 0.2
 * m/s^2 does not. */
static void smooth(const vec3 *from, vec3 *to) {
  for (int i = 0; i < SAMPLES; i++) {
    const int first = i < WINDOW / 2 ? 0 : i - WINDOW / 2;
    const int last = i + WINDOW / 2 >= SAMPLES ? SAMPLES - 1 : i + WINDOW / 2;
    to[i] = VEC3_ZERO;
    for (int k = first; k <= last; k++) {
      to[i] = vec3_axpy(to[i], 1.0 / (last - first + 1), from[k]);
    }
  }
}

static bool is_dead(int sensor) {
  const vec3 first = acceleration[0].raw[sensor];
  for (int i = 1; i < SAMPLES; i++) {
    if (vec3_norm(vec3_sub(acceleration[i].raw[sensor], first)) > 0.0) {
      return false;
    }
  }
  return true;
}

/* Every other second judges what the seconds between have taught. */
static bool is_judged(int i) {
  return i / 100 % 2 == 1;
}

/* @eq Leboutet22 153 */
START_TEST(calibration_brings_the_gravity_residual_of_a_real_leg_below_015) {
  const struct calibration_prior prior = {.bias = 1.0, .matrix = 0.1, .noise = 0.1};
  static vec3 raw_now[SAMPLES], raw[SAMPLES], expected_now[SAMPLES], expected[SAMPLES],
      train[SAMPLES], train_raw[SAMPLES];
  read_accelerations();
  read_poses();
  char path[256];
  snprintf(path, sizeof(path), "%s/icub_leg_skin_real/iCubGenova02_sensors_calib.urdf",
           shared_data("the skin of a real leg is calibrated"));
  const struct model model = test_model_file(path);
  int dead = 0;
  for (int s = 0; s < SENSORS; s++) {
    if (is_dead(s)) {
      dead++;
      ck_assert_str_eq(sensor_name[s], "r_upper_leg_mtb_acc_11b6");
      continue;
    }
    expected_readings(&model, s, expected_now);
    for (int i = 0; i < SAMPLES; i++) {
      raw_now[i] = acceleration[i].raw[s];
    }
    smooth(expected_now, expected);
    smooth(raw_now, raw);
    size_t taught = 0;
    for (int i = 0; i < SAMPLES; i++) {
      if (!is_judged(i)) {
        train[taught] = expected[i];
        train_raw[taught++] = raw[i];
      }
    }
    struct accelerometer_calibration fit;
    struct calibration_quality quality;
    ck_assert_int_eq(accelerometer_fit_with_prior(train_raw, train, taught, &prior, &fit, &quality),
                     STATUS_OK);
    double before = 0.0, after = 0.0, judged = (double)SAMPLES - (double)taught;
    for (int i = 0; i < SAMPLES; i++) {
      const vec3 f = expected[i], b = vec3_sub(raw[i], f),
                 a = vec3_sub(accelerometer_apply(&fit, raw[i]), f);
      before += is_judged(i) ? vec3_dot(b, b) / judged : 0.0;
      after += is_judged(i) ? vec3_dot(a, a) / judged : 0.0;
    }
    printf("%s: residual against gravity %.3f m/s^2 before, %.3f after; spread %.4f\n",
           sensor_name[s], sqrt(before), sqrt(after), quality.spread);
    fflush(stdout);
    ck_assert_double_le(sqrt(after), 0.15);
    ck_assert_double_ge(sqrt(before), sqrt(after));
  }
  ck_assert_int_eq(dead, 1);
}
END_TEST

SUITE(calibration_brings_the_gravity_residual_of_a_real_leg_below_015)
