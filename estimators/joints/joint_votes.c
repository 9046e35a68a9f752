#include "joints/joint_votes.h"

#include "joints/joint_base_start.h"
#include "joints/joint_doubt.h"
#include "joints/joint_feet.h"
#include "joints/joint_filter_core.h"
#include "joints/stance_speed.h"
#include "process/base_process.h"
#include "sensors/imu_judge.h"

#include <math.h>

/* Strain of a foot that speaks against an IMU on trial; so many times its usual one where that is
 * more than 1. */
static const double FOOT_AGAINST = 10.0;
/* Feet that stand do not slide so far, m. */
static const double SLIDES = 0.01;
/* A body that rings from a strike is pulled downwards for no longer, as a rule; legs that are
 * struck hard pull it for up to 9 ms, and never for so long. */
static const int64_t RINGS_NS = 5000000, LONGEST_RING_NS = 10000000;
/* Triads that jump within so short a time do so together. */
static const int64_t TOGETHER_NS = 5000000;
/* Nothing that hangs moves for longer without coming to rest. */
static const int64_t SWING_NS = 1000000000;
/* So long after its start a robot may turn out to hang, ns. */
static const int64_t START_NS = 1000000000;
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
/* So long after links were far off encoders speak against them, not against the IMU. */
static const int64_t FAR_TIME_NS = 30000000;
/* One part of so many links that are far off at once are many. */
enum { MANY_PART = 3 };
/* Normalised innovation per axis below which the IMU has felt nothing unusual, and of that of the
 * skin beside it. */
static const double IMU_QUIET = 4.0, IMU_QUIET_SHARE = 0.1;

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
  struct noticed_excess *noticed = &f->noticed;
  double mean = 0.0;
  noticed->first_ns = noticed->first_ns > 0 ? noticed->first_ns : now->t_ns;
  for (size_t b = 0; b < now->n_blocks; b++) {
    mean += f->link_excess[now->block[b].link] / (double)now->n_blocks;
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
      learn_excess(&f->link_excess[now->block[b].link], nis, f->preparation.interval_ns);
    }
    *beside = now->block[b].link == f->robot->imu_link ? nis : *beside;
    count += far[b];
    sum += nis * rank;
    row += rank;
  }
  f->nis[2] = row > 0 ? sum / (double)row : 0.0;
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

static bool is_tried(const struct joint_filter *f, const struct instant *now) {
  return imu_judge_tries(&f->judge, now->t_ns);
}

static bool jumped_far(const struct joint_filter *f, const struct instant *now,
                       enum imu_triad triad, double far) {
  return imu_judge_on_trial(&f->judge, triad, now->t_ns) &&
         vec3_norm(f->judge.triad[triad].jump) > far;
}

/* Whether skin speaks against an IMU on trial: at once where it does not feel a large jump at all,
 * else for longer than a strike lasts. */
static bool skin_denies(struct joint_filter *f, const struct instant *now, bool base, bool many,
                        bool *at_once) {
  *at_once = (many && jumped_far(f, now, IMU_GYRO, LARGE_TURN)) ||
             (base && jumped_far(f, now, IMU_ACCELEROMETER, LARGE_PUSH));
  f->skin_against_imu = many && base ? f->skin_against_imu + 1 : 0;
  return *at_once || (is_tried(f, now) && f->skin_against_imu >= AGAINST_IMU);
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

size_t joint_votes_links(struct joint_filter *f, struct instant *now, bool *convict) {
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
  f->skin_far_ns = count > 0 ? now->t_ns : f->skin_far_ns;
  bool denied;
  const bool base = base_is_far(f, now, far, many);
  *convict = skin_denies(f, now, base, many, &denied);
  const double quiet = fmax(IMU_QUIET, IMU_QUIET_SHARE * beside);
  const bool felt = !(now->streams & STREAM_IMU) || now->imu_nis > quiet || is_tried(f, now);
  for (size_t b = 0; b < now->n_blocks; b++) {
    uint8_t *times = &f->link_far[now->block[b].link];
    *times = far[b] ? (uint8_t)(*times < UINT8_MAX ? *times + 1 : UINT8_MAX) : 0;
    const bool alone = far[b] && !own[b] && (*times > LONG_FAR || !near[b]);
    wrong[b] = wrong[b] || denied || (many && base ? !felt : alone);
  }
  return leave_out(f, now, wrong);
}

/* One that is merely dragged may as well roll, or rock about an edge after a landing. */
static bool strains(const struct joint_filter *f, size_t foot) {
  return f->foot_strain[foot] > FOOT_AGAINST * fmax(f->foot_usual[foot], 1.0);
}

/* Skin and feet against the accelerometer. */
static bool force_is_denied(const struct joint_filter *f, const struct instant *now) {
  struct dragged_foot foot[ROBOT_MAX_FEET];
  size_t n = 0;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    if (now->contact[i].stands) {
      foot[n++] = (struct dragged_foot){.drag = f->foot_drag[i] / fmax(f->foot_usual[i], 1.0),
                                        .way = f->foot_mean[i],
                                        .felt = now->contact[i].felt,
                                        .turns = now->contact[i].turns};
    }
  }
  const mat3 R_WB = mat3_from_quat(base_process_rotation(&f->layout, now->x));
  return force_witness_denies(&f->witness, foot, n, &R_WB, now->t_ns);
}

static bool has_stood(const struct joint_filter *f) {
  bool stood = false;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    stood = stood || f->landed_ns[i] > 0;
  }
  return stood;
}

/* What hangs swings, and what has fallen lies: either comes to rest again and again. One that is
 * not seen to for long may have any velocity; one that has hung from the start any height. Feet
 * that were taken to stand at the start have told what is not so. */
static void watch_hanging(struct joint_filter *f, struct instant *now) {
  const bool begins = f->hanging && f->hanging_ns == 0 && f->base_started;
  if (begins && has_stood(f) && now->t_ns - f->started_ns < START_NS) {
    joint_base_start_again(f);
    return;
  }
  if (begins && !has_stood(f)) {
    joint_doubt_height(f, now);
  }
  if (!f->hanging || f->hanging_ns == 0 || now->rests) {
    f->hanging_ns = f->hanging ? now->t_ns : 0;
  } else if (now->t_ns - f->hanging_ns > SWING_NS && f->base_started) {
    joint_doubt_velocity(f, now);
    f->hanging_ns = now->t_ns;
  }
}

/* What a push on trial has made the base faster by, while it goes on and when it has ended. A base
 * that trots is pushed by as much besides, which its feet do not deny: only what has jumped counts.
 */
static void gain(struct joint_filter *f, int64_t t_ns, double dt) {
  const struct triad_judge *push = &f->judge.triad[IMU_ACCELEROMETER];
  const double age = 1e-9 * (double)(t_ns - push->first_ns);
  f->gained = age < dt ? VEC3_ZERO : f->gained; /* of a trial before */
  f->gained = imu_judge_on_trial(&f->judge, IMU_ACCELEROMETER, t_ns)
                  ? vec3_axpy(f->gained, fmin(dt, age), push->off)
                  : VEC3_ZERO;
}

/* The triads on trial against which feet speak that stand: they slide as they would if it
 * were wrong, and have done so for most of the trial. What a foot's speed is off by from instant to
 * instant speaks as much for them as against. */
static unsigned slid_by(struct joint_filter *f, const struct instant *now) {
  const double dt = 1e-9 * fmax((double)(now->t_ns - f->slid_ns), 0.0);
  unsigned accused = 0;
  gain(f, now->t_ns, dt);
  for (unsigned t = 0; t < IMU_TRIADS; t++) {
    const struct triad_judge *triad = &f->judge.triad[t];
    const double age = 1e-9 * (double)(now->t_ns - triad->began_ns);
    const bool tried = imu_judge_on_trial(&f->judge, (enum imu_triad)t, now->t_ns);
    double speed = 0.0;
    if (tried) {
      speed = t == IMU_GYRO ? stance_speed_by_turn(f, now, triad->jump)
                            : stance_speed_by_push(f, now, f->gained);
    }
    f->slid[t] = tried ? fmax(f->slid[t] + speed * dt, 0.0) : 0.0;
    f->slides_s[t] = f->slid[t] > 0.0 ? f->slides_s[t] + dt : 0.0;
    accused |= (unsigned)(f->slid[t] > SLIDES && f->slides_s[t] > 0.5 * age) << t;
  }
  f->slid_ns = now->t_ns;
  return accused;
}

/* The triads on trial against which soles speak, when the IMU sees more of a blow than one reading:
 * else that passes for a jump. */
static unsigned denied_by_soles(struct joint_filter *f, const struct instant *now) {
  const mat3 R_WB = mat3_from_quat(base_process_rotation(&f->layout, now->x));
  struct stance_foot foot[ROBOT_MAX_FEET];
  unsigned accused = 0;
  if (!imu_judge_tries(&f->judge, now->t_ns)) {
    return 0;
  }
  stance_feet(f, now, foot);
  for (unsigned t = 0; t < IMU_TRIADS; t++) {
    const enum imu_triad triad = (enum imu_triad)t;
    if (imu_judge_on_trial(&f->judge, triad, now->t_ns) &&
        stance_hear(&f->stance, triad, &f->judge.triad[t], foot, f->layout.n_feet, &R_WB,
                    now->t_ns)) {
      accused |= 1u << t;
    }
  }
  return accused;
}

/* Both triads where feet strain, or encoders are far off. Without skin encoders know nothing of
 * the base: what they say against the prediction is that their joints are livelier than was
 * believed. */
static unsigned strained_by(const struct joint_filter *f, const struct instant *now) {
  const bool skin = now->t_ns - f->last_ns[2] < FAR_TIME_NS;
  bool against = skin && f->doubt_ns == now->t_ns && now->t_ns - f->skin_far_ns > FAR_TIME_NS;
  bool witness = skin;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    const struct base_contact *contact = &now->contact[i];
    const bool flat = contact->stands && !contact->turns && !contact->steep;
    witness = witness || flat;
    against = against || (flat && strains(f, i));
  }
  return against && witness ? IMU_BOTH : 0;
}

/* It has been read for so long. */
static bool is_read(int64_t since_ns, const struct instant *now, int64_t for_ns) {
  return since_ns > 0 && now->t_ns - since_ns >= for_ns;
}

/* Both triads are on trial since the same moment: what makes one wrong makes the other. */
static bool jumped_together(const struct joint_filter *f, const struct instant *now) {
  const struct triad_judge *triad = f->judge.triad;
  const int64_t apart = triad[IMU_GYRO].first_ns - triad[IMU_ACCELEROMETER].first_ns;
  return imu_judge_on_trial(&f->judge, IMU_GYRO, now->t_ns) &&
         imu_judge_on_trial(&f->judge, IMU_ACCELEROMETER, now->t_ns) && apart < TOGETHER_NS &&
         apart > -TOGETHER_NS;
}

/* What is accused for a pull is refused until that is over. After one that no strike explains that
 * is when something is read to carry the body: while nothing does, one that is turned round reads
 * the same as one that is not, and strikes have it read the other for some ms. The gyro beside it
 * is refused too, where soles tell how the base turns. */
static void refuse_pulled(struct joint_filter *f, const struct instant *now, unsigned accused,
                          bool pulled) {
  f->pulled_triads = pulled ? f->pulled_triads | accused : f->pulled_triads & ~accused;
  if (pulled && f->judge.triad[IMU_ACCELEROMETER].convicted && joint_feet_soles_stand(f, now)) {
    imu_judge_refuse(&f->judge, IMU_GYRO, now->t_ns);
    f->pulled_triads |= 1u << IMU_GYRO;
  }
  for (unsigned t = 0; t < IMU_TRIADS; t++) {
    f->pulled_triads &= ~((unsigned)!f->judge.triad[t].convicted << t);
  }
  const bool goes_on = f->pull_goes_on || is_read(f->pulled_ns, now, LONGEST_RING_NS);
  f->pull_goes_on = goes_on && !is_read(f->carried_ns, now, LONGEST_RING_NS);
  imu_judge_end(&f->judge, f->pulled_triads,
                f->pull_goes_on     ? IMU_GOES_ON
                : f->pulled_ns == 0 ? IMU_OVER
                                    : IMU_UNSAID);
}

/* Feet that stand are dragged alike by a turn as by a push: of two on trial it is the one after
 * which they were. */
static enum imu_triad last_to_jump(const struct joint_filter *f, const struct instant *now) {
  const struct triad_judge *triad = f->judge.triad;
  const bool gyro = imu_judge_on_trial(&f->judge, IMU_GYRO, now->t_ns) &&
                    triad[IMU_GYRO].first_ns > triad[IMU_ACCELEROMETER].first_ns;
  return gyro ? IMU_GYRO : IMU_ACCELEROMETER;
}

void joint_votes_imu(struct joint_filter *f, struct instant *now) {
  watch_hanging(f, now);
  if (!f->base_imu) {
    return;
  }
  const bool soles = f->layout.n_soles > 0 && f->imu_follows; /* they tell of a jump */
  unsigned accused = strained_by(f, now) | (soles ? denied_by_soles(f, now) : slid_by(f, now));
  const bool pulled = is_read(f->pulled_ns, now, RINGS_NS);
  accused |= (unsigned)pulled << IMU_ACCELEROMETER;
  if (f->base_started && force_is_denied(f, now)) {
    if (!imu_judge_on_trial(&f->judge, IMU_ACCELEROMETER, now->t_ns)) {
      joint_doubt_force(f, now);
    } else {
      accused |= (unsigned)!soles << last_to_jump(f, now);
    }
  }
  accused = accused != 0 && jumped_together(f, now) ? IMU_BOTH : accused;
  joint_doubt_convict(f, now, accused);
  refuse_pulled(f, now, accused, pulled);
}
