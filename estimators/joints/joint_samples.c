#include "joints/joint_samples.h"

#include "joints/joint_filter_core.h"
#include "joints/joint_instant.h"
#include "joints/joint_settle.h"
#include "robot/reading_check.h"

#include <math.h>
#include <string.h>

/* A sample may be this much newer than the cycle that brings it: clocks of one machine, s. */
static const double FUTURE_PERIODS = 1.0;
/* Steps of a link's excess noise, of the logarithm of its variance. */
static const double EXCESS_STEP = 0.4;

bool joint_samples_timely(struct joint_filter *f, const struct stream_stamp *stamp, size_t stream,
                          int64_t now_ns) {
  if (!stamp->present || !stamp->fresh) {
    return false;
  }
  const int64_t ahead_ns = (int64_t)(FUTURE_PERIODS * f->settings.period_s * 1e9);
  if (stamp->t_ns <= 0 || stamp->t_ns > now_ns + ahead_ns) {
    f->counters.time_refused++;
    return false;
  }
  if (stamp->t_ns <= f->last_ns[stream]) {
    f->counters.duplicates++;
    return false;
  }
  return true;
}

/* Before the oldest instants are dropped: the next, from whose estimate everything will start, must
 * have taken what has come to it and to those before it in this very cycle. */
static void make_room(struct joint_filter *f) {
  const struct instants *instants = &f->instants;
  const size_t next = instants_next(instants);
  for (size_t i = 1; i <= next; i++) {
    const struct instant *instant = instants->at[i];
    if ((instant->streams & ~instant->filtered) != 0) {
      f->lost = f->lost || !joint_instant_steps(f, i, next);
      return;
    }
  }
}

/* The instant that takes a sample, or NULL; lowers `from` to its index. Nothing is put at or
 * before the last decision: filtered again, its instant would forget what that has opened. */
static struct instant *place(struct joint_filter *f, int64_t t_ns, enum stream stream, size_t bit,
                             size_t *from) {
  const size_t before = f->instants.count;
  joint_settle_step(f);
  if (instants_full(&f->instants)) {
    make_room(f);
  }
  const struct instant *const oldest = f->instants.at[0];
  size_t index;
  if (t_ns - f->decided_ns < f->instants.merge_ns ||
      instants_place(&f->instants, t_ns, stream, &index) != STATUS_OK) {
    f->counters.late_dropped++;
    return NULL;
  }
  f->last_ns[bit] = t_ns;
  if (f->instants.at[0] != oldest) { /* the oldest were dropped: all indices moved down */
    const size_t dropped = before + 1 - f->instants.count;
    *from = *from > dropped ? *from - dropped : 0;
  }
  *from = index < *from ? index : *from;
  return f->instants.at[index];
}

static void take_joints(struct joint_filter *f, const struct sensor_frame *frame, size_t *from) {
  const struct joints_reading *joints = &frame->joints;
  if (!joint_samples_timely(f, &joints->stamp, 0, frame->t_ns)) {
    return;
  }
  struct instant *instant = place(f, joints->stamp.t_ns, STREAM_JOINTS, 0, from);
  if (instant != NULL) {
    for (size_t j = 0; j < f->layout.n; j++) {
      instant->q[j] = joints->q[f->part.joint[j]] - f->guard.joint[j].offset;
    }
    memcpy(instant->contact, f->contact, sizeof(instant->contact));
    for (size_t i = 0; i < f->layout.n_feet; i++) {
      f->contact[i].landed = f->contact[i].again = false; /* told once */
    }
  }
}

static double plausible(double value, double largest, unsigned *given) {
  const bool fine = fabs(value) < largest;
  *given += fine;
  return fine ? value : (double)NAN;
}

/* NaN in place of axes that no body can feel; `given` counts the others. */
static vec3 plausible_axes(vec3 v, double largest, unsigned *given) {
  return (vec3){plausible(v.x, largest, given), plausible(v.y, largest, given),
                plausible(v.z, largest, given)};
}

/* The newest estimate; instants that this cycle has brought have none yet. */
static const double *newest_estimate(const struct joint_filter *f) {
  size_t i = f->instants.count - 1;
  while (i > 0 && f->instants.at[i]->filtered == 0) {
    i--;
  }
  return f->instants.at[i]->x;
}

static void take_imu(struct joint_filter *f, const struct sensor_frame *frame, size_t *from) {
  const struct imu_reading *imu = &frame->imu;
  const bool limbs = f->limbs.n > 0;
  if ((!f->base_imu && !limbs) || !joint_samples_timely(f, &imu->stamp, 1, frame->t_ns)) {
    return;
  }
  unsigned given = 0;
  struct imu_triads limb[LIMBS_MAX];
  vec3 rate = {(double)NAN, (double)NAN, (double)NAN}, force = rate;
  if (f->base_imu) {
    rate = plausible_axes(imu->angular_rate, LARGEST_RATE, &given);
    force = plausible_axes(imu->specific_force, LARGEST_FORCE, &given);
  }
  given += joint_limbs_take(&f->limbs, imu, limb);
  f->counters.imu_rejected += given < 6 * (f->base_imu + f->limbs.n);
  if (given == 0) {
    return;
  }
  struct instant *instant = place(f, imu->stamp.t_ns, STREAM_IMU, 1, from);
  if (instant == NULL) {
    return;
  }
  instant->rate = rate;
  instant->force = force;
  memcpy(instant->limb, limb, f->limbs.n * sizeof(*limb));
  if (f->base_imu && f->robot->imu_link == 0 && imu->has_orientation &&
      is_plausible_orientation(imu->orientation)) {
    const mat3 back = mat3_transpose(&f->robot->imu_placement.R); /* of the base, not of the IMU */
    instant->orientation = quat_mul(imu->orientation, quat_from_mat3(&back));
    instant->has_orientation = true;
  }
}

/* How the links move, by the newest estimate, to screen cells with. */
static void update_links(struct joint_filter *f) {
  const struct joint_layout *l = &f->layout;
  const double *x = newest_estimate(f);
  struct robot_motion motion = {.q = x + l->q, .dq = x + l->dq, .ddq = x + l->ddq};
  motion.base.X_WB = POSE_IDENTITY;
  motion.base.a_B.lin = f->fixed_force;
  if (l->base > 0) {
    motion.base.v_B.ang = vec3_from(x + l->omega);
    motion.base.a_B = (struct motion){vec3_from(x + l->omegadot), vec3_from(x + l->force)};
  }
  if (kinematics_update(&f->kin, &motion) == STATUS_OK) {
    for (size_t i = 0; i < f->skinned->model.n_links; i++) {
      const size_t own = f->part.link[i];
      if (own != ROBOT_NO_LINK) {
        f->omega[i] = kinematics_v_L(&f->kin, own).ang;
        f->expected[i] = kinematics_a_L(&f->kin, own);
      }
    }
    carried_limbs_expect(f);
  }
}

void joint_samples_weaken(struct link_rows *rows, double excess) {
  const double scale = exp(-0.5 * EXCESS_STEP * round(excess / EXCESS_STEP));
  for (unsigned i = 0; i < rows->rank; i++) {
    rows->z[i] *= scale;
    for (size_t k = 0; k < PART_SIZE; k++) {
      rows->W[i][k] *= scale;
    }
  }
}

size_t joint_samples_skin_rows(struct joint_filter *f, int64_t t_ns, struct link_rows *block) {
  size_t count = 0;
  for (size_t i = 0; i < f->fusion.n_links; i++) {
    const struct link_skin *link = &f->fusion.link[i];
    const size_t own = f->part.link[link->link];
    const bool moves = own != ROBOT_NO_LINK && (f->layout.base > 0 || own > 0);
    if (link->rank > 0 && moves) {
      block[count] = skin_fusion_rows(link);
      block[count].link = own;
      joint_samples_weaken(&block[count++], f->links.excess[own]);
    }
  }
  return count + carried_limbs_tell(f, t_ns, block + count);
}

/* What the body has left of the skin's sample for a limb that it carries. */
static void take_given(struct joint_filter *f, size_t *from) {
  struct carried_limb *limb = f->limb;
  struct instant *instant = limb->given ? place(f, limb->given_ns, STREAM_SKIN, 2, from) : NULL;
  limb->given = false;
  if (instant != NULL) {
    memcpy(instant->block, limb->block, limb->n_blocks * sizeof(*limb->block));
    instant->n_blocks = limb->n_blocks;
    instant->carried_rate = limb->rate;
    instant->carried = limb->motion;
    memcpy(instant->carried_noise, limb->noise, 6 * limb->information.n * sizeof(double));
  }
}

static void take_skin(struct joint_filter *f, const struct sensor_frame *frame, size_t *from) {
  const struct skin_reading *skin = &frame->skin;
  if (!joint_samples_timely(f, &skin->stamp, 2, frame->t_ns) ||
      skin_fusion_step(&f->fusion, skin) != STATUS_OK) {
    return;
  }
  update_links(f);
  cell_health_step(&f->health, &f->fusion, skin, f->omega, f->skin_ready ? f->expected : NULL);
  f->counters.cell_rejected = f->fusion.rejected + f->health.outliers;
  const int64_t last_ns = f->last_ns[2];
  struct instant *instant = place(f, skin->stamp.t_ns, STREAM_SKIN, 2, from);
  if (instant != NULL) {
    instant->n_blocks = joint_samples_skin_rows(f, instant->t_ns, instant->block);
    f->skin_ns = instant->t_ns;
    f->preparation.interval_ns = last_ns > 0 ? skin->stamp.t_ns - last_ns : 0;
  }
}

size_t joint_samples_take(struct joint_filter *f, const struct sensor_frame *frame) {
  size_t from = f->instants.count + FILTER_STREAMS;
  take_joints(f, frame, &from);
  take_imu(f, frame, &from);
  if (f->limb != NULL) {
    take_given(f, &from);
  } else {
    take_skin(f, frame, &from);
  }
  from = from > 0 ? from : 1;
  return from < f->instants.count ? from : f->instants.count;
}
