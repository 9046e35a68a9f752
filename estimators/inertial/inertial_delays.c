#include "inertial/inertial_delays.h"

#include <math.h>

/* Delays up to this, s, are looked for over this, s. */
static const double LARGEST = 12e-3, TIME = 5.0;
/* Delays are told when known to this, s. */
static const double WORST = 1e-3;

void inertial_delays_reset(struct inertial_delays *delays) {
  misalignment_init(&delays->wrench, TIME, LARGEST);
  misalignment_init(&delays->torque, TIME, LARGEST);
  row_block_empty(&delays->instants);
}

void inertial_delays_break(struct inertial_delays *delays) {
  misalignment_break(&delays->wrench);
  misalignment_break(&delays->torque);
  row_block_empty(&delays->instants);
}

void inertial_delays_take(struct inertial_delays *delays, const struct inertial_measurement *m,
                          const double *residual, const double *noise) {
  struct row_block *instants = &delays->instants;
  struct misalignment_sample wrench, torque;
  for (size_t k = 0; k < INERTIAL_MAX_ROWS; k++) {
    wrench.force[k] = torque.force[k] = (double)NAN; /* until there is one */
  }
  for (size_t r = 0; r < instants->rows; r++) {
    /* base rows speak of the wrenches' stamps, some joints' of the torques' */
    const size_t row = instants->row[r];
    const bool is_base = row < ROBOT_BASE_ROWS;
    const int at = is_base ? (int)row : inertial_measurement_torque_only(m, row);
    if (at >= 0) {
      struct misalignment_sample *sample = is_base ? &wrench : &torque;
      sample->residual[at] = residual[r] / noise[r];
      sample->force[at] = instants->force[r] / noise[r];
      sample->rate[at] = instants->rate[r];
    }
  }
  misalignment_step(&delays->wrench, instants->time, &wrench, ROBOT_BASE_ROWS);
  misalignment_step(&delays->torque, instants->time, &torque, m->n_joints);
  row_block_empty(instants);
}

struct inertial_delay inertial_delay_of(const struct misalignment *misalignment) {
  struct inertial_delay delay = {.known = false};
  delay.known = misalignment_delay(misalignment, WORST, &delay.s, &delay.sd_s);
  return delay;
}
