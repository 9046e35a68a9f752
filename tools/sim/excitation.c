#include "excitation.h"

#include "sim_random.h"

enum { DRAW_EXCITATION = 200, DRAW_POSES = 1000 };

#define FADE_SECONDS   1.0  /* sines grow to their amplitude */
#define RANGE_SHARE    0.40 /* largest excursion, as a share of the joint's range */
#define SPEED_SHARE    0.70 /* largest speed, as a share of the joint's limit */
#define PEAK           1.95 /* largest |value| of the sum of sines of unit amplitude */
#define WOBBLE         0.3  /* how much the amplitude varies */
#define SECOND_SINE    0.5  /* amplitude of the second sine */
#define SATURATION     0.6  /* of the sine's own peak velocity */
#define RUN_ACCELERATE 0.4  /* s, to full speed */
#define RUN_CRUISE     0.4  /* s */
#define RUN_PERIOD     2.4  /* s, there and back, with rests */
#define RUN_REACH      1.9  /* of the amplitude, all to one side of the centre */
#define FREE_RANGE     1.5  /* rad or m, about zero, for a joint without limits */

static const struct band {
  double low_hz, high_hz, amplitude; /* amplitude: rad or m, mean */
} bands[] = {
    [EXCITE_REST] = {1.0, 1.0, 0.0},        [EXCITE_SLOW] = {0.15, 0.5, 0.45},
    [EXCITE_MEDIUM] = {0.3, 1.0, 0.4},      [EXCITE_FAST] = {1.0, 2.5, 0.15},
    [EXCITE_SATURATION] = {0.3, 1.0, 0.45}, [EXCITE_STOPS] = {1.0, 1.0, 0.5},
    [EXCITE_POSES] = {1.0, 1.0, 0.0},
};

static struct joint_excitation draw(const struct joint *joint, const struct band *band,
                                    double scale, struct sim_random *random) {
  const double tau = 2.0 * M_PI;
  const double low = fmax(joint->q_min, -FREE_RANGE), high = fmin(joint->q_max, FREE_RANGE);
  struct joint_excitation e = {
      .omega = tau * sim_uniform(random, band->low_hz, band->high_hz),
      .phase = sim_uniform(random, 0.0, tau),
      .omega2 = tau * sim_uniform(random, band->low_hz, band->high_hz),
      .phase2 = sim_uniform(random, 0.0, tau),
      .omega_a = tau * 0.3 * sim_uniform(random, band->low_hz, band->high_hz),
      .phase_a = sim_uniform(random, 0.0, tau),
      .low = low + 0.1 * (high - low),
      .high = high - 0.1 * (high - low),
  };
  const double wanted = scale * band->amplitude * sim_uniform(random, 0.7, 1.3);
  const double by_range = RANGE_SHARE * (high - low) / PEAK;
  const double by_speed = SPEED_SHARE * joint->dq_max / (PEAK * fmax(e.omega, e.omega2));
  e.amplitude = fmin(wanted, fmin(by_range, by_speed));
  const double reach = PEAK * e.amplitude;
  e.centre = fmin(fmax(0.0, low + reach), high - reach);
  return e;
}

void excitation_init(struct excitation *excitation, const struct model *model,
                     enum excitation_kind kind, double scale, uint64_t seed, double start_s) {
  struct sim_random random = sim_random_from(seed, DRAW_EXCITATION);
  *excitation = (struct excitation){
      .kind = kind, .n_joints = model->n_joints, .seed = seed, .start_s = start_s};
  for (size_t j = 0; j < model->n_joints; j++) {
    excitation->joint[j] = draw(&model->joint[j], &bands[kind], scale, &random);
    excitation->joint[j].follower = follower_of(model, j);
  }
}

static struct jet sines(const struct joint_excitation *e, double t) {
  const struct jet wobble =
      jet_add(jet_constant(1.0), jet_scale(WOBBLE, jet_sin(e->omega_a, t, e->phase_a)));
  const struct jet sum = jet_add(jet_sin(e->omega, t, e->phase),
                                 jet_scale(SECOND_SINE, jet_sin(e->omega2, t, e->phase2)));
  return jet_scale(e->amplitude, jet_mul(wobble, sum));
}

/* The integral of omega clamp(cos theta, +-SATURATION) over time, odd about theta = 0, which lies
 * between the corners at acos(SATURATION). */
static struct jet saturated(const struct joint_excitation *e, double t) {
  const double corner = acos(SATURATION);
  const double theta = remainder(e->omega * t + e->phase, 2.0 * M_PI); /* in [-pi, pi] */
  const double sign = fabs(theta) > 0.5 * M_PI ? -1.0 : 1.0;
  /* mirrored about +-pi/2 into [-pi/2, pi/2], where q is the same and dq has the other sign */
  const double u = sign > 0.0 ? theta : copysign(M_PI, theta) - theta;
  const double offset = SATURATION * corner - sin(corner);
  if (fabs(u) < corner) {
    return (struct jet){e->amplitude * SATURATION * u, sign * e->amplitude * SATURATION * e->omega,
                        0.0};
  }
  return (struct jet){e->amplitude * (sin(u) + copysign(1.0, u) * offset),
                      sign * e->amplitude * e->omega * cos(u),
                      -e->amplitude * e->omega * e->omega * sin(u)};
}

/* One run of unit speed: a smooth start, constant speed, and a stop within 10 ms. */
static struct jet run(double t) {
  const double cruise_end = RUN_ACCELERATE + RUN_CRUISE, length = EXCITATION_STOP_SECONDS;
  if (t < RUN_ACCELERATE) {
    const double k = M_PI / RUN_ACCELERATE;
    return (struct jet){0.5 * (t - sin(k * t) / k), 0.5 * (1.0 - cos(k * t)), 0.5 * k * sin(k * t)};
  }
  const double cruised = 0.5 * RUN_ACCELERATE + (fmin(t, cruise_end) - RUN_ACCELERATE);
  if (t < cruise_end) {
    return (struct jet){cruised, 1.0, 0.0};
  }
  const double u = fmin(t - cruise_end, length);
  const bool stopping = t - cruise_end < length;
  return (struct jet){cruised + u - 0.5 * u * u / length, 1.0 - u / length,
                      stopping ? -1.0 / length : 0.0};
}

/* There and back, again and again; each joint begins at its own time. */
static struct jet runs(const struct joint_excitation *e, double t) {
  const double since = t - e->phase / (2.0 * M_PI) * 0.5 * RUN_PERIOD;
  if (since < 0.0) {
    return jet_constant(0.0);
  }
  const double reach = 0.5 * RUN_ACCELERATE + RUN_CRUISE + 0.5 * EXCITATION_STOP_SECONDS;
  const double u = fmod(since, RUN_PERIOD);
  const bool back = u >= 0.5 * RUN_PERIOD;
  const struct jet there = run(back ? u - 0.5 * RUN_PERIOD : u);
  const struct jet way = back ? jet_add(jet_constant(reach), jet_scale(-1.0, there)) : there;
  return jet_scale(RUN_REACH * e->amplitude / reach, way);
}

static double pose(const struct excitation *excitation, size_t j, uint64_t number) {
  const struct joint_excitation *e = &excitation->joint[j];
  struct sim_random random = sim_random_from(excitation->seed, DRAW_POSES + (number << 8) + j);
  return number == 0 ? e->centre : sim_uniform(&random, e->low, e->high);
}

static struct jet poses(const struct excitation *excitation, size_t j, double t) {
  const uint64_t number = (uint64_t)(t / EXCITATION_POSE_SECONDS);
  const double since = t - (double)number * EXCITATION_POSE_SECONDS;
  const double from = pose(excitation, j, number), to = pose(excitation, j, number + 1);
  return jet_add(jet_constant(from),
                 jet_scale(to - from, jet_smooth_step(since, EXCITATION_POSE_MOVE)));
}

static struct jet own_motion(const struct excitation *excitation, size_t j, double t) {
  const struct joint_excitation *e = &excitation->joint[j];
  const double since = fmax(t - excitation->start_s, 0.0);
  const struct jet fade = jet_smooth_step(since, FADE_SECONDS);
  struct jet motion = jet_constant(0.0);
  switch (excitation->kind) {
  case EXCITE_REST:
    break;
  case EXCITE_SLOW:
  case EXCITE_MEDIUM:
  case EXCITE_FAST:
    motion = jet_mul(fade, sines(e, since));
    break;
  case EXCITE_SATURATION:
    motion = jet_mul(fade, saturated(e, since));
    break;
  case EXCITE_STOPS:
    motion = runs(e, since);
    break;
  case EXCITE_POSES:
    return poses(excitation, j, since);
  }
  return jet_add(jet_constant(e->centre), motion);
}

struct jet excitation_at(const struct excitation *excitation, size_t j, double t) {
  const struct follower *f = &excitation->joint[j].follower;
  const struct jet leader = own_motion(excitation, f->leader, t);
  return f->leader == j ? leader : jet_add(jet_constant(f->offset), jet_scale(f->ratio, leader));
}
