#include "inertial/inertial_delays.h"

#include <math.h>
#include <string.h>

/* Delays up to this, s, are looked for over this, s. */
static const double LARGEST = 12e-3, TIME = 5.0;
/* Delays are told when known to this, s. */
static const double WORST = 1e-3;

/* Instants are averaged over this, s: long enough for slow motion, short enough for steps. */
static const double TOGETHER = 10e-3;

void inertial_delays_reset(struct inertial_delays *delays) {
  misalignment_init(&delays->wrench, TIME, LARGEST);
  misalignment_init(&delays->torque, TIME, LARGEST);
  delays->count = 0;
}

void inertial_delays_break(struct inertial_delays *delays) {
  misalignment_break(&delays->wrench);
  misalignment_break(&delays->torque);
  delays->count = 0;
}

/* Adds an instant's rows to the sums; a row that comes or goes begins them anew. */
static void add(struct inertial_delays *delays, double dt, const struct inertial_measurement *m,
                const double *residual, const double *noise) {
  struct misalignment_sample *sum = &delays->sum;
  if (delays->count == 0 || delays->rows != m->n_rows ||
      memcmp(delays->row, m->row, m->n_rows * sizeof(*m->row)) != 0) {
    delays->count = 0;
    delays->time_s = 0.0;
    delays->rows = m->n_rows;
    memcpy(delays->row, m->row, m->n_rows * sizeof(*m->row));
    *sum = (struct misalignment_sample){.rate = {0.0}};
  }
  for (size_t r = 0; r < m->n_rows; r++) {
    sum->residual[r] += residual[r] / noise[r];
    sum->force[r] += m->force[r] / noise[r];
    sum->rate[r] += m->rate[r];
  }
  delays->count++;
  delays->time_s += dt;
}

/* One row's means. */
static void sample_row(const struct inertial_delays *delays, size_t r,
                       struct misalignment_sample *sample, size_t at) {
  const double share = 1.0 / (double)delays->count;
  sample->residual[at] = share * delays->sum.residual[r];
  sample->force[at] = share * delays->sum.force[r];
  sample->rate[at] = share * delays->sum.rate[r];
}

void inertial_delays_take(struct inertial_delays *delays, double dt,
                          const struct inertial_measurement *m, const double *residual,
                          const double *noise) {
  struct misalignment_sample wrench, torque;
  add(delays, dt, m, residual, noise);
  if (delays->time_s + 0.5 * dt < TOGETHER) {
    return;
  }
  for (size_t k = 0; k < INERTIAL_MAX_ROWS; k++) {
    wrench.force[k] = torque.force[k] = (double)NAN; /* until there is one */
  }
  for (size_t r = 0; r < m->n_rows; r++) {
    /* base rows speak of the wrenches' stamps, some joints' of the torques' */
    const int k = inertial_measurement_torque_only(m, m->row[r]);
    if (m->row[r] < ROBOT_BASE_ROWS) {
      sample_row(delays, r, &wrench, m->row[r]);
    } else if (k >= 0) {
      sample_row(delays, r, &torque, (size_t)k);
    }
  }
  misalignment_step(&delays->wrench, delays->time_s, &wrench, ROBOT_BASE_ROWS);
  misalignment_step(&delays->torque, delays->time_s, &torque, m->n_joints);
  delays->count = 0;
}

struct inertial_delay inertial_delay_of(const struct misalignment *misalignment) {
  struct inertial_delay delay = {.known = false};
  delay.known = misalignment_delay(misalignment, WORST, &delay.s, &delay.sd_s);
  return delay;
}
