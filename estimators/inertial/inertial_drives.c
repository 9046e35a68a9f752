#include "inertial/inertial_drives.h"

#include "model/joint_drive.h"

#include <math.h>

/* A joint slower than this may stick, rad/s, where nothing else is told. */
static const double DEAD_ZONE = 5.0 * COULOMB_RAMP;
/* Standard deviation of friction as a share of Coulomb's: anywhere within +-1, and in motion. */
static const double STUCK_SHARE = 0.577, MOVING_SHARE = 0.03;

static bool fits(const struct drive_list *list, size_t n_joints) {
  return list->n <= 1 || list->n == n_joints;
}

static double value_of(const struct drive_list *list, size_t joint, double fallback) {
  return list->n == 0 ? fallback : list->value[list->n == 1 ? 0 : joint];
}

enum status inertial_drives_set(const struct drive_settings *s, const struct model *model,
                                double noise, double offset_error, struct inertial_drive *drive) {
  const struct drive_list *const list[] = {&s->gain,    &s->gain_error, &s->offset,
                                           &s->viscous, &s->coulomb,    &s->offset_error,
                                           &s->noise,   &s->dead_zone};
  bool sound = s->effort == DRIVE_TORQUE || s->gain.n > 0;
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    sound = sound && fits(list[i], model->n_joints);
  }
  for (size_t j = 0; sound && drive != NULL && j < model->n_joints; j++) {
    const struct joint *joint = &model->joint[j];
    drive[j] = (struct inertial_drive){
        .gain = value_of(&s->gain, j, 1.0),
        .gain_error = value_of(&s->gain_error, j, 0.0),
        .offset = value_of(&s->offset, j, 0.0),
        .viscous = value_of(&s->viscous, j, joint->viscous),
        .coulomb = value_of(&s->coulomb, j, joint->coulomb),
        .dead_zone = value_of(&s->dead_zone, j, DEAD_ZONE),
        .offset_error = value_of(&s->offset_error, j, offset_error),
        .noise = joint_numbers_of(&s->noise_of, joint->name, value_of(&s->noise, j, noise))};
  }
  return sound ? STATUS_OK : STATUS_BAD_ARGUMENT;
}

/* Coulomb's friction rises to its full value over a fifth of the dead zone. */
double inertial_drive_friction(const struct inertial_drive *drive, double dq) {
  const double ramps = DEAD_ZONE / drive->dead_zone;
  return drive->viscous * dq + drive->coulomb * coulomb_share(ramps * dq);
}

double inertial_drive_error(const struct inertial_drive *drive, double dq) {
  return (fabs(dq) < drive->dead_zone ? STUCK_SHARE : MOVING_SHARE) * drive->coulomb;
}
