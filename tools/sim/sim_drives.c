#include "sim_drives.h"

#include "sim_random.h"

enum { DRAW_ZEROS = 410 };

#define MOTOR_HZ     40.0  /* the rotor follows the torque that winds its gear up so fast */
#define CROSSING_S   0.005 /* from one flank of the play to the other */
#define HOLDING_PART 0.01  /* of the largest effort: less does not move the gear from a flank */

void sim_drives_init(struct sim_drives *drives, const struct sim_options *options) {
  const struct sim_joint_noise *error = &options->joints;
  const double period_s = sim_sensor_period(options);
  *drives = (struct sim_drives){.model = &options->robot->model,
                                .error = *error,
                                .period_s = period_s,
                                .exists = error->flex > 0.0 || error->backlash > 0.0 ||
                                          error->ripple > 0.0 || error->zero > 0.0,
                                .follow = 1.0 - exp(-2.0 * M_PI * MOTOR_HZ * period_s)};
  struct sim_random random = sim_random_from(options->seed, DRAW_ZEROS);
  for (size_t j = 0; j < MODEL_MAX_JOINTS; j++) {
    drives->zero[j] = error->zero * sim_normal(&random);
  }
}

/* The torque in the gear, share of the largest effort; 0 where nobody tells that. */
static double wind_up(struct sim_drives *drives, size_t j, double tau) {
  double *torque = drives->torque[j];
  const double largest = drives->model->joint[j].tau_max;
  torque[0] = drives->begun ? torque[0] + drives->follow * (tau - torque[0]) : tau;
  torque[1] = drives->begun ? torque[1] + drives->follow * (torque[0] - torque[1]) : tau;
  return largest < HUGE_VAL ? torque[1] / largest : 0.0;
}

/* Which flank of the play the gear is at or how far on its way there: -1 to 1. */
static double cross_play(struct sim_drives *drives, size_t j, double wound) {
  const double most = 2.0 * drives->period_s / CROSSING_S;
  double *play = &drives->play[j];
  const double towards = fabs(wound) > HOLDING_PART ? copysign(1.0, wound) - *play : 0.0;
  *play += drives->begun ? fmin(fmax(towards, -most), most) : towards;
  return *play;
}

void sim_drives_step(struct sim_drives *drives, const struct sim_truth *truth) {
  const struct sim_joint_noise *error = &drives->error;
  for (size_t j = 0; j < truth->n_joints; j++) {
    const double turn = drives->model->joint[j].type == JOINT_PRISMATIC ? 1.0 : 2.0 * M_PI;
    const double wave = 2.0 * M_PI * error->ripple_waves / turn * truth->q[j] + (double)j;
    const double wound = wind_up(drives, j, truth->tau[j]);
    const double off = drives->zero[j] + error->flex * wound +
                       0.5 * error->backlash * cross_play(drives, j, wound) +
                       error->ripple * sin(wave);
    drives->dq[j] = drives->begun ? (off - drives->off[j]) / drives->period_s : 0.0;
    drives->off[j] = off;
  }
  drives->begun = true;
}
