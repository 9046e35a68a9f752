#include "joints/link_votes.h"

#include "joints/joint_doubt.h"
#include "joints/joint_filter_core.h"
#include "process/base_process.h"
#include "sensors/imu_judge.h"
#include "sensors/imu_pull.h"

#include <math.h>
#include <string.h>

/* Normalised innovation per row beyond which a link's skin is far off. */
static const double LINK_FAR = 30.0;
/* Memory of a link's excess noise, s; the largest innovation that counts; e^10 times the
 * variance. */
static const double EXCESS_TIME = 0.3, EXCESS_CAP = 6.0, EXCESS_MOST = 10.0;
/* So much more of it, on average of all links, is noticed. */
static const double EXCESS_NOTICED = 1.0;
/* ... and for so long after the first sample, ns: three times what it takes to notice. */
static const int64_t BEGINNING_NS = 1000000000;
/* Samples in a row after which a link is wrong whatever its neighbours are. */
enum { LONG_FAR = 5 };
/* Jumps on trial so large that skin which does not feel them decides at once, rad/s, m/s^2. */
static const double LARGE_TURN = 1.0, LARGE_PUSH = 60.0;
/* So many samples of skin in a row speak against an IMU on trial: a strike and its end are over. */
enum { AGAINST_IMU = 3 };
/* One part of so many links that are far off at once are many. */
enum { MANY_PART = 3 };
/* Normalised innovation per axis below which the IMU has felt nothing unusual, and of that of the
 * skin beside it. */
static const double IMU_QUIET = 4.0, IMU_QUIET_SHARE = 0.1;

void link_votes_reset(struct link_votes *links, size_t n_links) {
  links->noticed = (struct noticed_excess){.excess = 0.0};
  memset(links->excess, 0, n_links * sizeof(*links->excess));
}

/* What a link's skin scatters by beyond the noise that it is said to have (gain, mounting, delay, a
 * soft holder) shows in motion: its noise grows until innovations are as large as they should
 * be. */
static void learn_excess(double *excess, double nis, int64_t interval_ns) {
  const double share = fmin(1e-9 * (double)interval_ns / EXCESS_TIME, 0.1);
  *excess += share * (fmin(nis, EXCESS_CAP) - 1.0);
  *excess = fmin(fmax(*excess, 0.0), EXCESS_MOST);
}

/* What skin told of the accelerometer until its noise was noticed has passed for its bias. Later
 * that is known by what was told before, and skin that only then begins to scatter adds little. */
static void notice_excess(struct joint_filter *f, struct instant *now) {
  struct noticed_excess *noticed = &f->links.noticed;
  double mean = 0.0;
  noticed->first_ns = noticed->first_ns > 0 ? noticed->first_ns : now->t_ns;
  for (size_t b = 0; b < now->n_blocks; b++) {
    mean += f->links.excess[now->block[b].link] / (double)now->n_blocks;
  }
  if (mean > noticed->excess + EXCESS_NOTICED && now->t_ns - noticed->first_ns < BEGINNING_NS) {
    joint_doubt_skin(f, now, exp(mean - noticed->excess));
    noticed->excess = mean;
  }
}

/* What a link's skin reads that a jump of its own joint's acceleration does not explain, a row. */
static double unexplained(const struct joint_filter *f, const struct link_rows *block, size_t row) {
  if (block->link == 0 || block->rank < 2) {
    return HUGE_VAL;
  }
  const struct joint *joint = &f->robot->model.joint[block->link - 1];
  const size_t part = joint->type == JOINT_PRISMATIC ? PART_VDOT : PART_OMEGADOT;
  double axis[3], way[ROWS_MAX] = {0.0};
  vec3_to(joint->axis, axis);
  for (unsigned i = 0; i < block->rank; i++) {
    for (size_t k = 0; k < 3; k++) {
      way[i] += block->W[i][part + k] * axis[k];
    }
  }
  return joint_update_block_rest(&f->update, row, block->rank, way) / (block->rank - 1);
}

/* Which blocks of skin are far off; returns how many. Those whose own cells contradict each other
 * are wrong, and no witnesses of what others are. `own`: no more than their own joint is. Notes the
 * innovation of all; `beside`: of the skin of the link that carries the IMU. */
static size_t find_far(struct joint_filter *f, const struct instant *now, bool *far, bool *own,
                       bool *wrong, double *beside) {
  size_t row = 0, count = 0;
  double sum = 0.0;
  *beside = 0.0;
  for (size_t b = 0; b < now->n_blocks; b++) {
    const unsigned rank = now->block[b].rank;
    const double nis = joint_update_block_nis(&f->update, row, rank) / rank;
    wrong[b] = now->block[b].torn;
    far[b] = nis > LINK_FAR && !wrong[b];
    own[b] = far[b] && unexplained(f, &now->block[b], row) < LINK_FAR;
    if (!wrong[b]) {
      learn_excess(&f->links.excess[now->block[b].link], nis, f->preparation.interval_ns);
    }
    *beside = now->block[b].link == f->robot->imu_link ? nis : *beside;
    count += far[b];
    sum += nis * rank;
    row += rank;
  }
  f->fit.nis[2] = row > 0 ? sum / (double)row : 0.0;
  return count;
}

/* Which of them have a neighbour in the tree that is far off too: a strike goes through several. */
static void find_near(const struct joint_filter *f, const struct instant *now, const bool *far,
                      bool *near) {
  const int *parent = f->robot->model.parent;
  for (size_t b = 0; b < now->n_blocks; b++) {
    near[b] = false;
    for (size_t c = 0; c < now->n_blocks; c++) {
      const int link = (int)now->block[b].link, other = (int)now->block[c].link;
      near[b] = near[b] || (far[c] && (parent[link] == other || parent[other] == link));
    }
  }
}

/* The skin of the link that carries the IMU feels another motion than the IMU; without skin there:
 * many links do. */
static bool base_is_far(const struct joint_filter *f, const struct instant *now, const bool *far,
                        bool many) {
  for (size_t b = 0; b < now->n_blocks; b++) {
    if (now->block[b].link == f->robot->imu_link) {
      return far[b];
    }
  }
  return many;
}

static bool jumped_far(const struct joint_filter *f, const struct instant *now,
                       enum imu_triad triad, double far) {
  return imu_judge_on_trial(&f->judge, triad, now->t_ns) &&
         vec3_norm(f->judge.triad[triad].jump) > far;
}

/* Skin as a whole feels that something pulls the body to the ground, of which it is no witness. */
static bool feels_pulled(const struct joint_filter *f, const struct instant *now) {
  const mat3 R_WB = mat3_from_quat(base_process_rotation(&f->layout, now->x));
  const vec3 force = vec3_add(vec3_from(now->x + f->layout.force), f->witness.sample);
  return f->witness.skin_ns == now->t_ns && imu_pull_is(mat3_mul_vec3(&R_WB, force).z);
}

/* Whether skin speaks against an IMU on trial: at once where it does not feel a large jump at all,
 * else for longer than a strike lasts. */
static bool skin_denies(struct joint_filter *f, const struct instant *now, bool base, bool many,
                        bool *at_once) {
  *at_once = (many && jumped_far(f, now, IMU_GYRO, LARGE_TURN)) ||
             (base && jumped_far(f, now, IMU_ACCELEROMETER, LARGE_PUSH));
  f->links.against_imu = many && base ? f->links.against_imu + 1 : 0;
  return *at_once || (imu_judge_tries(&f->judge, now->t_ns) && f->links.against_imu >= AGAINST_IMU);
}

/* Takes the blocks that are wrong out of an instant; returns how many. */
static size_t leave_out(struct joint_filter *f, struct instant *now, const bool *wrong) {
  const size_t before = now->n_blocks;
  size_t kept = 0;
  for (size_t b = 0; b < before; b++) {
    if (!wrong[b]) {
      now->block[kept++] = now->block[b];
    }
  }
  now->n_blocks = kept;
  f->counters.link_rejected += before - kept;
  return before - kept;
}

size_t link_votes_take(struct joint_filter *f, struct instant *now, bool *convict) {
  bool far[MODEL_MAX_JOINTS + 1], near[MODEL_MAX_JOINTS + 1], wrong[MODEL_MAX_JOINTS + 1];
  bool own[MODEL_MAX_JOINTS + 1];
  double beside;
  const size_t count = find_far(f, now, far, own, wrong, &beside);
  const bool many = count * MANY_PART >= now->n_blocks && count > 1;
  find_near(f, now, far, near);
  if (f->base_imu) {
    notice_excess(f, now);
    force_witness_skin(&f->witness, now->block, now->n_blocks, f->update.points.nu, f->kin.X_BL,
                       now->t_ns);
  }
  f->links.far_ns = count > 0 ? now->t_ns : f->links.far_ns;
  bool denied;
  const bool base = base_is_far(f, now, far, many);
  const bool pulled = many && f->base_imu && feels_pulled(f, now);
  *convict = skin_denies(f, now, base && !pulled, many && !pulled, &denied);
  const double quiet = fmax(IMU_QUIET, IMU_QUIET_SHARE * beside);
  const bool felt =
      !(now->streams & STREAM_IMU) || now->imu_nis > quiet || imu_judge_tries(&f->judge, now->t_ns);
  for (size_t b = 0; b < now->n_blocks; b++) {
    uint8_t *times = &f->links.far[now->block[b].link];
    *times = far[b] ? (uint8_t)(*times < UINT8_MAX ? *times + 1 : UINT8_MAX) : 0;
    const bool alone = far[b] && !own[b] && (*times > LONG_FAR || !near[b]);
    wrong[b] = wrong[b] || denied || (many && base ? !felt : alone);
  }
  return leave_out(f, now, wrong);
}
