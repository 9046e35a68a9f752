#include "sensors/imu_judge.h"

#include <math.h>

/* Normalised innovation, per axis, beyond which a reading has jumped: six deviations of three. */
static const double JUMPED = 12.0;
/* No blow turns or pushes a base by more from one reading to the next, rad/s and m/s^2. */
static const double LARGEST_JUMP[IMU_TRIADS] = {8.0, 400.0};
/* Two readings agree when the cosine between their innovations is larger than this, and neither is
 * so many times the other. */
static const double AGREE_COS = 0.5, AGREE_SIZE = 4.0;
/* A blow lasts so long: where readings are further apart it may be in one of them alone. */
static const int64_t BLOW_NS = 2000000;
/* How long after a jump others may speak against it, and how long it is refused at most. */
static const int64_t TRIAL_NS = 150000000, REFUSED_NS = 1500000000;
/* How long readings may be far off before it is the estimate that has strayed. */
static const int64_t STRAYED_NS = 300000000, STRAYED_REFUSED_NS = 1000000000;
/* A refused reading is back when it is off by no more than this part of its jump; for long, by no
 * more than others can tell, rad/s. */
static const double BACK_SHARE = 0.3, OTHERS_TELL = 0.04;
/* ... on average over so many: what others tell scatters from reading to reading. */
enum { AVERAGED = 5 };
/* A reading is still off when it is by more than this part of its jump: that of a blow is not. */
static const double STAYS_SHARE = 0.5;
/* By so little it is off in every step, as the base moves on: rad/s and m/s^2. */
static const double MOVES_ON[IMU_TRIADS] = {0.5, 5.0};
/* Triads that jump so close to each other do so at one time. */
static const int64_t TOGETHER_NS = 2000000;
/* Readings in a row that end a refusal, and one for a small jump. */
enum { WELL_AGAIN = 5, WELL_FOR_LONG = 100 };

const double imu_smallest_jump[IMU_TRIADS] = {0.2, 2.0};

void imu_judge_reset(struct imu_judge *judge) {
  *judge = (struct imu_judge){.gyro_bias = VEC3_ZERO};
}

static bool on_trial(const struct triad_judge *t, int64_t t_ns) {
  return t->began_ns > 0 && !t->convicted && t_ns - t->began_ns < TRIAL_NS;
}

static bool stays_off(const struct triad_judge *t) {
  return vec3_norm(t->excess) > STAYS_SHARE * vec3_norm(t->jump);
}

bool imu_jumps_agree(vec3 a, vec3 b, double ratio) {
  const double size = vec3_norm(a), other = vec3_norm(b);
  return vec3_dot(a, b) > AGREE_COS * size * other && size < ratio * other && other < ratio * size;
}

/* A jump that the next reading has confirmed begins a trial, or belongs to that of a larger one:
 * it goes on from that, or is the way back. A larger one that does neither is tried anew. */
static void follow(struct triad_judge *t, int64_t t_ns, vec3 expected, vec3 innovation) {
  const bool goes_on = on_trial(t, t_ns), larger = vec3_norm(innovation) > vec3_norm(t->jump);
  const double off = vec3_norm(t->off), left = vec3_norm(vec3_add(t->off, innovation));
  const bool back = stays_off(t) && left < STAYS_SHARE * off,
             further = stays_off(t) &&
                       vec3_dot(innovation, t->off) > AGREE_COS * vec3_norm(innovation) * off;
  if (!goes_on || (larger && !further && !back)) {
    t->first_ns = t_ns;
    t->before = expected;
    t->off = VEC3_ZERO;
  }
  if (!goes_on || (larger && !back)) {
    t->began_ns = t_ns;
    t->jump = innovation;
  }
  t->off = vec3_add(t->off, innovation);
}

static void average(struct triad_judge *t, bool jumped, vec3 innovation) {
  t->quiet = jumped ? 0 : t->quiet < AVERAGED ? t->quiet + 1 : AVERAGED;
  const double share = 1.0 / fmax(t->quiet, 1.0);
  t->mean = vec3_axpy(t->mean, share, vec3_sub(innovation, t->mean));
}

/* A refused triad: back when it agrees on average for some time, or when its time is over. When it
 * is known that what it was refused for has ended, it need not be nearer than others can tell;
 * while that is known to go on, that it agrees is by chance. */
static enum imu_verdict judge_refused(struct triad_judge *t, int64_t t_ns, bool jumped,
                                      vec3 expected, vec3 innovation) {
  const double least = t->needs == WELL_FOR_LONG ? OTHERS_TELL : 0.0,
               near = fmax(BACK_SHARE * vec3_norm(t->jump), least);
  average(t, jumped, innovation);
  const bool still_off = vec3_norm(t->mean) > near;
  const bool over = t->cause == IMU_OVER || (t->cause == IMU_UNSAID && !still_off);
  t->well = jumped || !over ? 0 : t->well + 1;
  const bool back = t->well >= t->needs;
  if (!back && t_ns - t->convicted_ns < REFUSED_NS) {
    return IMU_LEAVE;
  }
  t->convicted = false;
  t->jump = innovation;
  if (back && still_off) {
    follow(t, t_ns, expected, innovation); /* others may speak against it again */
  }
  return back ? IMU_USE : IMU_ANEW;
}

static enum imu_verdict judge_reading(struct triad_judge *t, enum imu_triad triad, int64_t t_ns,
                                      double nis, vec3 expected, vec3 innovation) {
  const bool jumped = nis > JUMPED, seldom = t->read_ns > 0 && t_ns - t->read_ns > BLOW_NS;
  t->read_ns = t_ns;
  t->far_ns = !jumped ? 0 : t->far_ns > 0 ? t->far_ns : t_ns;
  if (jumped && t_ns - t->far_ns > (t->convicted ? STRAYED_REFUSED_NS : STRAYED_NS)) {
    const bool refused = t->convicted;
    t->convicted = false;
    follow(t, t_ns, expected, innovation);
    return refused ? IMU_ANEW : IMU_USE;
  }
  if (t->convicted) {
    return judge_refused(t, t_ns, jumped, expected, innovation);
  }
  const bool again = !seldom && imu_jumps_agree(innovation, t->refused, AGREE_SIZE);
  t->refused = jumped ? innovation : VEC3_ZERO;
  if (!jumped && !again) {
    return IMU_USE;
  }
  if ((!seldom && !again) || vec3_norm(innovation) > LARGEST_JUMP[triad]) {
    return IMU_LEAVE;
  }
  if (vec3_norm(innovation) > imu_smallest_jump[triad]) {
    follow(t, t_ns, expected, innovation);
  }
  return IMU_USE;
}

enum imu_verdict imu_judge_reading(struct imu_judge *judge, enum imu_triad triad, int64_t t_ns,
                                   double nis, vec3 expected, vec3 innovation) {
  struct triad_judge *t = &judge->triad[triad];
  if (t->denied) {
    return IMU_LEAVE;
  }
  const enum imu_verdict verdict = judge_reading(t, triad, t_ns, nis, expected, innovation);
  if (verdict != IMU_LEAVE) {
    t->excess = vec3_sub(vec3_add(expected, innovation), t->before);
  }
  return verdict;
}

bool imu_judge_on_trial(const struct imu_judge *judge, enum imu_triad triad, int64_t t_ns) {
  return on_trial(&judge->triad[triad], t_ns);
}

bool imu_judge_stays_off(const struct imu_judge *judge, enum imu_triad triad, int64_t t_ns) {
  const struct triad_judge *t = &judge->triad[triad];
  return on_trial(t, t_ns) && stays_off(t) && vec3_norm(t->excess) > MOVES_ON[triad];
}

bool imu_judge_tries(const struct imu_judge *judge, int64_t t_ns) {
  return on_trial(&judge->triad[IMU_GYRO], t_ns) ||
         on_trial(&judge->triad[IMU_ACCELEROMETER], t_ns);
}

unsigned imu_judge_believed(const struct imu_judge *judge) {
  unsigned believed = 0;
  for (unsigned triad = 0; triad < IMU_TRIADS; triad++) {
    believed |= (unsigned)!judge->triad[triad].convicted << triad;
  }
  return believed;
}

void imu_judge_refuse(struct imu_judge *judge, enum imu_triad triad, int64_t t_ns) {
  struct triad_judge *t = &judge->triad[triad];
  if (!t->convicted) {
    t->convicted = true;
    t->cause = IMU_UNSAID;
    t->convicted_ns = t_ns;
    t->well = t->quiet = 0;
    t->needs = WELL_AGAIN;
    t->began_ns = 0;
  }
}

void imu_judge_refuse_jump(struct imu_judge *judge, enum imu_triad triad, vec3 jump, int64_t t_ns) {
  imu_judge_refuse(judge, triad, t_ns);
  judge->triad[triad].jump = jump;
  judge->triad[triad].needs = WELL_FOR_LONG;
}

/* Triads that have jumped at one time have one fault, where both are still off. */
static bool jumped_together(const struct imu_judge *judge, int64_t t_ns) {
  const int64_t apart = judge->triad[IMU_GYRO].began_ns - judge->triad[IMU_ACCELEROMETER].began_ns;
  return imu_judge_stays_off(judge, IMU_GYRO, t_ns) &&
         imu_judge_stays_off(judge, IMU_ACCELEROMETER, t_ns) && apart <= TOGETHER_NS &&
         -apart <= TOGETHER_NS;
}

unsigned imu_judge_convict(struct imu_judge *judge, unsigned accused, int64_t t_ns) {
  unsigned refused = 0;
  accused = accused != 0 && jumped_together(judge, t_ns) ? IMU_BOTH : accused;
  for (unsigned triad = 0; triad < IMU_TRIADS; triad++) {
    if ((accused & (1u << triad)) && imu_judge_on_trial(judge, (enum imu_triad)triad, t_ns)) {
      imu_judge_refuse(judge, (enum imu_triad)triad, t_ns);
      refused |= 1u << triad;
    }
  }
  return refused;
}

void imu_judge_end(struct imu_judge *judge, unsigned triads, enum imu_cause cause) {
  for (unsigned triad = 0; triad < IMU_TRIADS; triad++) {
    if (triads & (1u << triad)) {
      judge->triad[triad].cause = cause;
    }
  }
}

void imu_judge_deny(struct imu_judge *judge, unsigned triads) {
  for (unsigned triad = 0; triad < IMU_TRIADS; triad++) {
    struct triad_judge *t = &judge->triad[triad];
    const bool denied = (triads & (1u << triad)) != 0;
    t->convicted = denied || (t->convicted && !t->denied);
    t->denied = denied;
  }
}
