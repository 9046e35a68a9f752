/* A motion of harmonics, and how large it may be. */
#include "identify/fit/excitation_designer.h"

#include <math.h>

/* rad/s; rad: where the description has no limit. */
static const double FREE_SPEED = 3.0, FREE_REACH = 1.5;
/* s: between instants that are looked at; what a motion keeps below its limits in between. */
static const double BETWEEN = 0.02, KEPT = 0.99;

void excitation_design_at(const struct excitation_design *design, size_t j, double t, double *q,
                          double *dq, double *ddq) {
  const double w = 2.0 * M_PI / design->period;
  *q = design->centre[j];
  *dq = *ddq = 0.0;
  for (int h = 0; h < design->harmonics; h++) {
    const double f = w * (h + 1), s = sin(f * t), c = cos(f * t);
    const double a = design->a[j][h], b = design->b[j][h];
    *q += a * s + b * c;
    *dq += f * (a * c - b * s);
    *ddq -= f * f * (a * s + b * c);
  }
}

void designer_rest_at_ends(struct excitation_design *design, size_t j) {
  design->a[j][0] = design->b[j][0] = 0.0;
  for (int h = 1; h < design->harmonics; h++) {
    design->a[j][0] -= (h + 1) * design->a[j][h];
    design->b[j][0] -= (h + 1) * (h + 1) * design->b[j][h];
  }
}

void designer_scale(struct excitation_design *design, size_t j, double scale) {
  for (int h = 0; h < design->harmonics; h++) {
    design->a[j][h] *= scale;
    design->b[j][h] *= scale;
  }
}

void designer_shrink_joint(const struct designer *d, struct excitation_design *design, size_t j,
                           double scale) {
  designer_scale(design, j, scale);
  design->centre[j] = d->home[j] + scale * (design->centre[j] - d->home[j]);
}

void designer_fill_range(const struct designer *d, struct excitation_design *design, size_t j) {
  const struct joint *joint = &d->u->model->joint[j];
  const bool limited = isfinite(joint->q_min) && isfinite(joint->q_max);
  const double middle = limited ? 0.5 * (joint->q_min + joint->q_max) : 0.0;
  const double reach = limited ? 0.5 * (joint->q_max - joint->q_min) : FREE_REACH;
  const double speed = isfinite(joint->dq_max) ? joint->dq_max : FREE_SPEED;
  double low = HUGE_VAL, high = -HUGE_VAL, fastest = 1e-12, hardest = 1e-12;
  design->centre[j] = 0.0;
  for (double t = 0.0; t < design->period; t += BETWEEN) {
    double q, dq, ddq;
    excitation_design_at(design, j, t, &q, &dq, &ddq);
    low = fmin(low, q);
    high = fmax(high, q);
    fastest = fmax(fastest, fabs(dq));
    hardest = fmax(hardest, fabs(ddq));
  }
  const double half = fmax(0.5 * (high - low), 1e-12), share = d->settings->share;
  const double most =
      fmin(fmin(share * fmin(reach, 2.0 * FREE_REACH) / half, share * speed / fastest),
           d->settings->acceleration / hardest);
  designer_scale(design, j, KEPT * most);
  design->centre[j] = middle - 0.5 * (high + low) * KEPT * most;
}
