#include "support/walk_invariant.h"

#include "support/give_up.h"
#include "support/invariant_ekf.h"

#include <math.h>

/* Of the weight: a foot stands; it no longer does. */
static const double SHARE_DOWN = 0.2, SHARE_UP = 0.1;

void walk_run_invariant(struct walk_log *log, const struct robot *robot, struct walk_said *said) {
  const struct invariant_settings settings = invariant_defaults();
  struct invariant_ekf ekf;
  bool stands[INVARIANT_FEET] = {false};
  said->rows = 0;
  if (!invariant_ekf_init(&ekf, robot, &settings)) {
    give_up("invariant EKF", "no memory");
  }
  for (size_t row = 0; row < log->n; row++) {
    const struct sensor_frame frame = walk_log_frame(log, robot, row);
    double f[WALK_LOG_FEET];
    struct pose X_WB;
    walk_log_forces(log, row, f);
    for (size_t k = 0; k < WALK_LOG_FEET; k++) {
      stands[k] = f[k] > (stands[k] ? SHARE_UP : SHARE_DOWN) * (f[0] + f[1]);
    }
    invariant_ekf_step(&ekf, frame.t_ns, frame.imu.specific_force, frame.imu.angular_rate,
                       frame.joints.q, stands);
    invariant_ekf_base(&ekf, frame.imu.angular_rate, &X_WB, &said->v[row]);
    said->R[row] = X_WB.R;
    said->p[row] = X_WB.p;
    said->cop_y[row] = said->com_v[row].x = (double)NAN;
    said->rows++;
  }
  invariant_ekf_free(&ekf);
}
