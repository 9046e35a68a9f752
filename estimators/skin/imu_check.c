#include "skin/imu_check.h"

#include "model/motion.h"
#include "robot/reading_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Slower than this both rates forget, s: gyro bias and what cells' errors integrate to. */
static const double PASS_S = 0.2;
/* Memory of the comparison, and for how long noise in it hangs together, s. */
static const double MEMORY_S = 8.0, CORRELATION_S = 0.1;
/* Evidence before anything is said, s of skin. */
static const double ENOUGH_S = 0.5;
/* A mounting is out when another agrees better by so many deviations, and by more than motion of
 * other axes could leak into an axis of each: a blow upon skin that is a little wrong. */
static const double GATE = 5.0, LEAK = 0.1;
/* ... nor is noise motion, (rad/s)^2 and (m/s^2)^2. */
static const double LEAST = 1e-6;
/* A reading farther from the skin's instant than this is not compared, s; nor are rates passed
 * over a longer silence. */
static const double APART_S = 5e-3, SILENCE_S = 0.1;

enum { ORDERS = 6, SIGNS = 8, WAYS = ORDERS * SIGNS };
static const int order[ORDERS][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

void imu_check_reset(struct imu_check *check, const struct robot *robot) {
  *check = (struct imu_check){.robot = robot};
}

void imu_check_adopt(struct imu_check *check, const struct imu_check *previous) {
  const struct robot *robot = check->robot, *before = previous->robot;
  if (robot->imu_link == before->imu_link &&
      memcmp(&robot->imu_placement, &before->imu_placement, sizeof(struct pose)) == 0) {
    *check = *previous;
    check->robot = robot;
  }
}

/* -- readings --------------------------------------------------------------------------------- */

/* One step of a first-order high pass: what came through before, plus the input's change. */
static vec3 pass(vec3 before, vec3 change, double dt) {
  return vec3_scale(exp(-dt / PASS_S), vec3_add(before, change));
}

void imu_check_reading(struct imu_check *check, const struct imu_reading *imu) {
  if (!imu->stamp.present || !imu->stamp.fresh || imu->stamp.t_ns <= check->last.stamp.t_ns ||
      !is_plausible(imu->angular_rate, LARGEST_RATE) ||
      !is_plausible(imu->specific_force, LARGEST_FORCE)) {
    return;
  }
  const double dt = (double)(imu->stamp.t_ns - check->last.stamp.t_ns) * 1e-9;
  const vec3 once = check->rate_once;
  vec3 twice = check->reading[check->newest].rate;
  if (dt < SILENCE_S) {
    check->rate_once = pass(once, vec3_sub(imu->angular_rate, check->last.angular_rate), dt);
    twice = pass(twice, vec3_sub(check->rate_once, once), dt);
  }
  check->last = *imu;
  check->newest = (check->newest + 1) % IMU_CHECK_READINGS;
  check->reading[check->newest].t_ns = imu->stamp.t_ns;
  check->reading[check->newest].force = imu->specific_force;
  check->reading[check->newest].rate = twice;
}

/* Index of the reading nearest to t_ns, or -1 when none is near. */
static int nearest(const struct imu_check *check, int64_t t_ns) {
  double apart = APART_S;
  int found = -1;
  for (int i = 0; i < IMU_CHECK_READINGS; i++) {
    const double d = fabs((double)(check->reading[i].t_ns - t_ns)) * 1e-9;
    if (d < apart) {
      apart = d;
      found = i;
    }
  }
  return found;
}

/* -- matching --------------------------------------------------------------------------------- */

static void add(struct triad_match *match, vec3 reading, vec3 expected, double dt) {
  const double keep = exp(-dt / MEMORY_S);
  double z[3], r[3];
  vec3_to(reading, z);
  vec3_to(expected, r);
  for (int i = 0; i < 3; i++) {
    match->reading[i] = keep * match->reading[i] + dt * z[i] * z[i];
    match->expected[i] = keep * match->expected[i] + dt * r[i] * r[i];
    for (int k = 0; k < 3; k++) {
      match->moment[i][k] = keep * match->moment[i][k] + dt * z[i] * r[k];
    }
  }
  match->weight = keep * match->weight + dt;
}

/* One way of mounting: reading i is of axis[i] > 0 along, of -axis[i] against. */
struct mounting {
  int8_t axis[3];
};

static struct mounting mounting_of(int way) {
  const int *taken = order[way / SIGNS];
  struct mounting m;
  for (int i = 0; i < 3; i++) {
    m.axis[i] = (int8_t)(way >> i & 1 ? -taken[i] - 1 : taken[i] + 1);
  }
  return m;
}

/* Mean product of reading i and what this mounting expects of it. */
static double product(const struct triad_match *match, const struct mounting *m, int i) {
  const double moment = match->moment[i][abs(m->axis[i]) - 1] / match->weight;
  return m->axis[i] > 0 ? moment : -moment;
}

static double agreement(const struct triad_match *match, const struct mounting *m) {
  return product(match, m, 0) + product(match, m, 1) + product(match, m, 2);
}

static int axes_changed(const struct mounting *m) {
  int changed = 0;
  for (int i = 0; i < 3; i++) {
    changed += m->axis[i] != i + 1;
  }
  return changed;
}

/* True when `other` explains the readings so much worse than `best` that noise cannot be why. The
 * mean squares of what remains differ by twice the difference of the agreements, in which readings
 * and expectations that had nothing to do with each other would leave a product of their own
 * deviations, less by the root of how often the window sees anything new. What leaks from the axis
 * about which a body falls hangs together with it and is no noise. */
static bool is_refuted(const struct triad_match *match, const struct mounting *best,
                       const struct mounting *other) {
  const double seen = match->weight / CORRELATION_S, square = match->weight * match->weight;
  double variance = 0.0, readings = 0.0, expectations = 0.0;
  for (int i = 0; i < 3; i++) {
    readings += match->reading[i];
    expectations += match->expected[i];
    if (best->axis[i] != other->axis[i]) {
      const double expected =
          match->expected[abs(best->axis[i]) - 1] + match->expected[abs(other->axis[i]) - 1];
      variance += match->reading[i] * expected / square / seen;
    }
  }
  const double worse = agreement(match, best) - agreement(match, other);
  const double leaked = LEAK * LEAK * sqrt(readings * expectations) / match->weight;
  return worse > fmax(GATE * sqrt(variance), fmax(leaked, LEAST));
}

static struct mounting best_mounting(const struct triad_match *match) {
  struct mounting best = mounting_of(0);
  for (int way = 1; way < WAYS; way++) {
    const struct mounting m = mounting_of(way);
    best = agreement(match, &m) > agreement(match, &best) ? m : best;
  }
  return best;
}

/* How many ways of mounting stand beside the best; `simplest` is the one among them that changes
 * the fewest axes. */
static int standing_mountings(const struct triad_match *match, struct mounting *simplest) {
  const struct mounting best = best_mounting(match);
  int count = 0;
  *simplest = best;
  for (int way = 0; way < WAYS; way++) {
    const struct mounting m = mounting_of(way);
    if (!is_refuted(match, &best, &m)) {
      count++;
      *simplest = axes_changed(&m) < axes_changed(simplest) ? m : *simplest;
    }
  }
  return count;
}

/* The mounting is called right only when no other explains the readings, wrong as soon as the right
 * one does not; what was said stays said while the body rests. */
static void judge(struct triad_match *match) {
  struct mounting m;
  if (match->weight < ENOUGH_S) {
    return;
  }
  if (standing_mountings(match, &m) == 1 || axes_changed(&m) > 0) {
    memcpy(match->axis, m.axis, sizeof(match->axis));
  }
}

void imu_check_skin(struct imu_check *check, const struct link_skin *skin, int64_t t_ns) {
  struct motion felt;
  if (t_ns <= check->skin_ns || skin_fusion_solve(skin, check->omega, &felt, NULL) != STATUS_OK) {
    return;
  }
  const double dt = (double)(t_ns - check->skin_ns) * 1e-9;
  const bool follows = check->skin_ns > 0 && dt < SILENCE_S;
  check->skin_ns = t_ns;
  if (follows) {
    const vec3 mean = vec3_scale(0.5, vec3_add(check->omegadot, felt.ang)), once = check->omega;
    check->omega = pass(once, vec3_scale(dt, mean), dt);
    check->rate_skin = pass(check->rate_skin, vec3_sub(check->omega, once), dt);
  }
  check->omegadot = felt.ang;
  const int i = nearest(check, t_ns);
  if (!follows || i < 0) {
    return;
  }
  const struct pose *imu = &check->robot->imu_placement;
  const vec3 force = point_acceleration(&felt, check->omega, imu->p);
  add(&check->gyro, check->reading[i].rate, mat3_tmul_vec3(&imu->R, check->rate_skin), dt);
  add(&check->accelerometer, check->reading[i].force, mat3_tmul_vec3(&imu->R, force), dt);
  judge(&check->gyro);
  judge(&check->accelerometer);
}

/* -- verdict ---------------------------------------------------------------------------------- */

static uint32_t wrong_axes(const struct triad_match *match) {
  uint32_t bits = 0;
  for (int i = 0; i < 3; i++) {
    bits |= match->axis[i] != 0 && match->axis[i] != i + 1 ? 1u << i : 0u;
  }
  return bits;
}

uint32_t imu_check_suspect(const struct imu_check *check) {
  return wrong_axes(&check->gyro) | wrong_axes(&check->accelerometer) << 3;
}
