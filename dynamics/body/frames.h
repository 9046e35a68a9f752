/* Motion of any frame that is fixed to a link: a foot, an IMU, a skin cell. All: [any]. */
#ifndef FRAMES_H
#define FRAMES_H

#include "body/kinematics.h"

/* Accelerations are classical and proper, as in kinematics.h. */
struct frame_motion {
  struct pose X_BF;       /* pose of the frame in the base frame */
  struct motion v_B, a_B; /* of the frame's origin, base coordinates */
  struct motion v_F, a_F; /* in the frame's coordinates: what gyroscope and accelerometer read */
};

/* Pose of the frame placed on `link`, base frame. Needs positions only. */
static inline struct pose frame_pose(const struct kinematics *kin, size_t link,
                                     const struct pose *placement) {
  return pose_mul(&kin->X_BL[link], placement);
}

/* placement: pose of the frame in its link's frame.
 * STATUS_BAD_ARGUMENT: no such link, or `kin` has no accelerations. */
enum status frame_motion(const struct kinematics *kin, size_t link, const struct pose *placement,
                         struct frame_motion *out);

#endif
