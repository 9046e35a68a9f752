#include "centroidal/sensed_cop.h"

#include <math.h>
#include <stddef.h>

/* One measurement counts no more than that, times usual, for how much they scatter. */
static const double READING_COUNTS = 9.0;
/* Memory of how alike the motion's errors are, s. */
static const double ALIKE_S = 0.5;
/* Beyond so many deviations of their difference both points contradict each other. */
static const double CONTRADICT = 4.0;

static void take_axis(struct sensed_axis *axis, double felt, double motion, double told,
                      double since, bool follows) {
  const double apart = felt - motion, share = fmin(since / ALIKE_S, 1.0);
  axis->sd = sensor_scatter_next(&axis->scatter, felt, since, told, READING_COUNTS);
  if (follows) {
    axis->square += share * (0.5 * (apart * apart + axis->apart * axis->apart) - axis->square);
    axis->product += share * (apart * axis->apart - axis->product);
  }
  axis->apart = apart;
}

void sensed_cop_take(struct sensed_cop *s, int64_t t_ns, vec3 felt_W, vec3 motion_W, double told) {
  const double since = 1e-9 * (double)(t_ns - s->t_ns);
  const bool follows = s->t_ns > 0 && since < ALIKE_S;
  if (t_ns == s->t_ns) {
    return;
  }
  take_axis(&s->axis[0], felt_W.x, motion_W.x, told, since, follows);
  take_axis(&s->axis[1], felt_W.y, motion_W.y, told, since, follows);
  s->since_s = follows ? since : s->since_s;
  s->t_ns = t_ns;
}

/* What is left of the motion's error after `age` s. */
static double left_of(const struct sensed_axis *axis, double since, double age) {
  const double alike = axis->square > 0.0 ? fmax(axis->product / axis->square, 0.0) : 1.0;
  return age > 0.0 && since > 0.0 ? pow(fmin(alike, 1.0), age / since) : 1.0;
}

/* The motion's error e of variance v was told as e + noise of variance s; now it is left e + rest,
 * of variance v still. */
static void weigh_axis(const struct sensed_axis *axis, double left, double apart, double *position,
                       double *sd) {
  const double v = *sd * *sd, s = axis->sd * axis->sd, gain = left * v / (v + s);
  const bool contradict = apart * apart > CONTRADICT * CONTRADICT * (v + s);
  *position += gain * apart;
  *sd = hypot(sqrt(v * (1.0 - left * gain)), contradict ? 0.5 * left * apart : 0.0);
}

void sensed_cop_weigh(const struct sensed_cop *s, int64_t now_ns, vec3 apart_W, vec3 *cop_W,
                      vec3 *sd) {
  const double age = 1e-9 * (double)(now_ns - s->t_ns);
  weigh_axis(&s->axis[0], left_of(&s->axis[0], s->since_s, age), apart_W.x, &cop_W->x, &sd->x);
  weigh_axis(&s->axis[1], left_of(&s->axis[1], s->since_s, age), apart_W.y, &cop_W->y, &sd->y);
}
