#include "joints/stance_slide.h"

#include "joints/joint_filter_core.h"
#include "joints/stance_speed.h"

#include <math.h>

/* Feet that stand do not slide so far, m. */
static const double SLIDES = 0.01;

/* What a push on trial has made the base faster by, while it goes on and when it has ended. A base
 * that trots is pushed by as much besides, which its feet do not deny: only what has jumped counts.
 */
static void gain(struct stance_slide *slide, const struct imu_judge *judge, int64_t t_ns,
                 double dt) {
  const struct triad_judge *push = &judge->triad[IMU_ACCELEROMETER];
  const double age = 1e-9 * (double)(t_ns - push->first_ns);
  slide->gained = age < dt ? VEC3_ZERO : slide->gained; /* of a trial before */
  slide->gained = imu_judge_on_trial(judge, IMU_ACCELEROMETER, t_ns)
                      ? vec3_axpy(slide->gained, fmin(dt, age), push->off)
                      : VEC3_ZERO;
}

unsigned stance_slide_step(struct joint_filter *f, const struct instant *now) {
  struct stance_slide *slide = &f->slide;
  const double dt = 1e-9 * fmax((double)(now->t_ns - slide->seen_ns), 0.0);
  unsigned accused = 0;
  gain(slide, &f->judge, now->t_ns, dt);
  for (unsigned t = 0; t < IMU_TRIADS; t++) {
    const struct triad_judge *triad = &f->judge.triad[t];
    const double age = 1e-9 * (double)(now->t_ns - triad->began_ns);
    const bool tried = imu_judge_on_trial(&f->judge, (enum imu_triad)t, now->t_ns);
    double speed = 0.0;
    if (tried) {
      speed = t == IMU_GYRO ? stance_speed_by_turn(f, now, triad->jump)
                            : stance_speed_by_push(f, now, slide->gained);
    }
    slide->way[t] = tried ? fmax(slide->way[t] + speed * dt, 0.0) : 0.0;
    slide->for_s[t] = slide->way[t] > 0.0 ? slide->for_s[t] + dt : 0.0;
    accused |= (unsigned)(slide->way[t] > SLIDES && slide->for_s[t] > 0.5 * age) << t;
  }
  slide->seen_ns = now->t_ns;
  return accused;
}
