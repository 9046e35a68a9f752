#include "trot.h"

#include "jet.h"
#include "walk_pattern.h"

/* of the time in which a pendulum as long as the leg tips, and of that length */
#define SINGLE      0.6
#define DOUBLE      0.3
#define STEP_LENGTH 0.1
#define STEP_HEIGHT 0.12
#define SETTING_OFF 1.0 /* s: until it has its speed */

static double given_or(double given, double nominal) {
  return given != 0.0 ? given : nominal;
}

void trot_init(struct trot *trot, const struct sim_walk_options *options,
               const struct posture_target *standing, double leg_length, double start_s) {
  const double tips_s = sqrt(leg_length / STANDARD_GRAVITY);
  *trot = (struct trot){
      .start_s = start_s,
      .single_s = given_or(options->step_time, SINGLE * tips_s),
      .double_s = given_or(options->double_time, DOUBLE * tips_s),
      .stride = {given_or(options->step_length, STEP_LENGTH * leg_length), options->step_side, 0.0},
      .turn = options->step_turn,
      .height = given_or(options->step_height, STEP_HEIGHT * leg_length),
      .step = -1,
      .standing = *standing,
  };
  for (size_t i = 0; i < 4; i++) {
    trot->from[i] = trot->to[i] = standing->foot_W[i].p;
  }
}

/* Left front and right hind swing in even steps, the others in odd ones. */
static bool swings(const struct trot *trot, size_t foot, int step) {
  const vec3 from_middle = vec3_sub(trot->standing.foot_W[foot].p, trot->standing.com_W);
  const bool first = (from_middle.x > 0.0) == (from_middle.y > 0.0);
  return first == ((step & 1) == 0);
}

/* On an arc, by so many steps from where the body is now. */
static vec3 along(const struct trot *trot, double steps) {
  return turn_left(trot->turned + 0.5 * steps * trot->turn, vec3_scale(steps, trot->stride));
}

/* Sets off for footholds that the body will be above in the middle of their stance; `speed` in
 * steps a second. */
static void lift(struct trot *trot, double speed) {
  const double stance_s = trot->single_s + 2.0 * trot->double_s;
  const double steps = speed * (trot->single_s + 0.5 * stance_s);
  const vec3 ahead = vec3_add(trot->ahead, along(trot, steps));
  for (size_t i = 0; i < 4; i++) {
    trot->from[i] = trot->to[i];
    if (swings(trot, i, trot->step)) {
      const vec3 home = trot->standing.foot_W[i].p, aside = vec3_sub(home, trot->standing.com_W);
      const vec3 turned = turn_left(trot->turned + steps * trot->turn, aside);
      trot->to[i] = vec3_add(vec3_add(home, ahead), vec3_sub(turned, aside));
      trot->to[i].z += strips_height(&trot->ground, trot->to[i].x, trot->to[i].y);
    }
  }
}

/* Height of the body over where it stood at first: that of its feet, smoothed over a step. */
static double follow_ground(struct trot *trot, double dt) {
  double mean = 0.0;
  for (size_t i = 0; i < 4; i++) {
    mean += 0.25 * (trot->to[i].z - trot->standing.foot_W[i].p.z);
  }
  trot->rise += dt / (trot->single_s + dt) * (mean - trot->rise);
  return trot->rise;
}

void trot_step(struct trot *trot, double t, double dt, struct posture_target *target,
               bool planned[4]) {
  const double period = trot->single_s + trot->double_s;
  const double since = t - trot->start_s;
  const double speed = jet_smooth_step(since, SETTING_OFF).x / period;
  const int step = since > 0.0 ? (int)(since / period) : -1;
  trot->ahead = vec3_add(trot->ahead, along(trot, dt * speed));
  trot->turned += dt * speed * trot->turn;
  if (step > trot->step) {
    trot->step = step;
    lift(trot, speed);
  }
  *target = trot->standing;
  target->com_W = vec3_add(target->com_W, trot->ahead);
  target->com_W.z += follow_ground(trot, dt);
  const mat3 turned = mat3_from_rpy((vec3){0.0, 0.0, trot->turned});
  target->R_WB = mat3_mul(&turned, &target->R_WB);
  const double share = step < 0 ? 1.0 : fmin((since - step * period) / trot->single_s, 1.0);
  const double way = jet_smooth_step(share, 1.0).x;
  for (size_t i = 0; i < 4; i++) {
    target->foot_W[i].p = vec3_axpy(trot->from[i], way, vec3_sub(trot->to[i], trot->from[i]));
    planned[i] = share >= 1.0 || !swings(trot, i, step);
    if (!planned[i]) {
      const double up = 4.0 * share * (1.0 - share);
      target->foot_W[i].p.z += trot->height * up * up;
    }
  }
}
