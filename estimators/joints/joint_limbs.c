#include "joints/joint_limbs.h"

#include "numerics/dense_matrix.h"
#include "robot/reading_check.h"
#include "update/joint_jump.h"

#include <math.h>
#include <string.h>

/* Huber's bound, deviations per row: beyond, a triad's innovation counts less. */
static const double HUBER = 3.0;
/* Samples over which a limb's innovations are averaged, the largest that counts, and the mean
 * beyond which something is wrong with it. */
static const double STRAIN_MEMORY = 50.0, STRAIN_CAP = 20.0, STRAIN_WRONG = 4.0;
/* Normalised innovation squared per row from which a reading is far off; after so many more than
 * others its triad is in doubt, after twice as many refused; and the weight of a refused one. */
static const double FAR = 16.0, REFUSED_WEIGHT = 1e-12;
enum { FAR_DOUBTED = 5, FAR_READINGS = 10 };
/* A strike and its echo surprise for so many samples; what was not spent comes back as slowly. */
static const double CREDIT = 8.0, CREDIT_BACK = 0.1;
/* No motor accelerates a joint more, per s^2: so far an acceleration is opened at most. */
static const double LARGEST_ACCELERATION = 500.0;

size_t joint_limbs_count(const struct robot *robot) {
  return robot->n_limbs + (robot->fixed_base && robot->imu_link != 0);
}

void joint_limbs_init(struct joint_limbs *limbs, const struct robot *robot, double rate_sd,
                      double force_sd, double density) {
  *limbs = (struct joint_limbs){.first_elsewhere = robot->fixed_base && robot->imu_link != 0};
  if (limbs->first_elsewhere) {
    limbs->imu[limbs->n++] =
        (struct limb_imu){robot->imu_link, robot->imu_placement, rate_sd, force_sd};
  }
  for (size_t k = 0; k < robot->n_limbs; k++) {
    const struct model_frame *frame = &robot->limb[k];
    limbs->imu[limbs->n++] = (struct limb_imu){frame->link, frame->placement, rate_sd, force_sd};
  }
  for (size_t k = 0; k < limbs->n; k++) {
    base_liveliness_init(&limbs->liveliness[k], density);
  }
  joint_limbs_reset(limbs);
}

void joint_limbs_reset(struct joint_limbs *limbs) {
  limbs->judged_ns = 0;
  for (size_t k = 0; k < limbs->n; k++) {
    limbs->strain[k] = 1.0;
    for (int t = 0; t < LIMB_TRIADS; t++) {
      limbs->trust[k][t] = (struct limb_trust){.far = 0};
    }
    limbs->heard_ns[k] = 0;
    limbs->credit[k] = CREDIT;
    base_liveliness_reset(&limbs->liveliness[k]);
  }
}

/* NaN in place of axes that no body can feel; `given` counts the others. */
static vec3 plausible(vec3 v, double largest, unsigned *given) {
  double axis[3];
  vec3_to(v, axis);
  for (int i = 0; i < 3; i++) {
    const bool fine = fabs(axis[i]) < largest;
    *given += fine;
    axis[i] = fine ? axis[i] : (double)NAN;
  }
  return vec3_from(axis);
}

unsigned joint_limbs_take(const struct joint_limbs *limbs, const struct imu_reading *reading,
                          struct imu_triads *limb) {
  const vec3 nothing = {(double)NAN, (double)NAN, (double)NAN};
  const size_t shift = limbs->first_elsewhere;
  unsigned given = 0;
  for (size_t k = 0; k < limbs->n; k++) {
    struct imu_triads read = {nothing, nothing};
    if (k < shift) {
      read = (struct imu_triads){reading->specific_force, reading->angular_rate};
    } else if (k - shift < reading->n_limbs) {
      read = reading->limb[k - shift];
    }
    limb[k].angular_rate = plausible(read.angular_rate, LARGEST_RATE, &given);
    limb[k].specific_force = plausible(read.specific_force, LARGEST_FORCE, &given);
  }
  return given;
}

bool joint_limbs_well(const struct joint_limbs *limbs, int64_t t_ns, double timeout_s) {
  bool well = true;
  for (size_t k = 0; k < limbs->n; k++) {
    const double silent_s = 1e-9 * (double)(t_ns - limbs->heard_ns[k]);
    well = well && silent_s < timeout_s && limbs->strain[k] < STRAIN_WRONG;
    for (int t = 0; t < LIMB_TRIADS; t++) {
      const struct limb_trust *trust = &limbs->trust[k][t];
      well = well && !trust->refused && trust->far < FAR_DOUBTED;
    }
  }
  return well;
}

void joint_limbs_add(const struct joint_limbs *limbs, struct row_update *rows,
                     const struct kinematics *kin, const struct imu_triads *limb, bool forces,
                     const double *x, struct limb_group group[LIMBS_MAX]) {
  for (size_t k = 0; k < limbs->n; k++) {
    const size_t first = rows->rows;
    const size_t bias = rows->layout->limb + 6 * k;
    limb_rows_gyro(rows, kin, &limbs->imu[k], bias, limb[k].angular_rate, x);
    const size_t between = rows->rows;
    if (forces) {
      limb_rows_accelerometer(rows, kin, &limbs->imu[k], bias + 3, limb[k].specific_force, x);
    }
    group[k] = (struct limb_group){first, between - first, rows->rows - between};
  }
}

static bool is_in(size_t state, size_t from, size_t count) {
  return state >= from && state < from + count;
}

/* One row's surprise beyond what is expected, as a variance of each joint's acceleration that it
 * sees; 0 for none. Divided among them as the least motion that explains it would be. */
static double surprise(const struct row_update *rows, size_t row, const double turned[3],
                       const double pushed[3]) {
  const struct joint_layout *l = rows->layout;
  const size_t first = row * rows->terms_max;
  double expected = rows->Pyy[row * (matrix_stride(rows->rows_max) + 1)], lever = 0.0;
  for (size_t t = first; t < first + rows->terms[row]; t++) {
    const double square = rows->h[t] * rows->h[t];
    if (is_in(rows->state[t], l->ddq, l->n)) {
      lever += square;
    } else if (is_in(rows->state[t], l->force, l->base)) {
      expected += square * pushed[rows->state[t] - l->force];
    } else if (is_in(rows->state[t], l->omegadot, l->base)) {
      expected += square * turned[rows->state[t] - l->omegadot];
    }
  }
  const double felt = rows->nu[row] * rows->nu[row];
  return felt > JUMP_GATE * expected && lever > 0.0 ? (felt - expected) / lever : 0.0;
}

/* Opens what row `row` sees by `gained`. */
static void open_joints(const struct row_update *rows, size_t row, double gained, double dt,
                        double *open_dq, double *open_ddq) {
  const struct joint_layout *l = rows->layout;
  const double most = fmin(gained, LARGEST_ACCELERATION * LARGEST_ACCELERATION);
  const size_t first = row * rows->terms_max;
  for (size_t t = first; t < first + rows->terms[row]; t++) {
    if (is_in(rows->state[t], l->ddq, l->n)) {
      const size_t j = rows->state[t] - l->ddq;
      open_ddq[j] = fmax(open_ddq[j], most);
      /* when between two samples it began is not known */
      open_dq[j] = fmax(open_dq[j], most * dt * dt / 12.0);
    }
  }
}

bool joint_limbs_on_trial(const struct joint_limbs *limbs, size_t k) {
  const struct limb_trust *trust = limbs->trust[k];
  return !trust[0].refused && !trust[1].refused &&
         (trust[0].far > 0 || trust[1].far > 0 || limbs->credit[k] < CREDIT);
}

void joint_limbs_convict(struct joint_limbs *limbs, size_t k) {
  for (int t = 0; t < LIMB_TRIADS; t++) {
    limbs->trust[k][t].far = FAR_READINGS;
    limbs->trust[k][t].refused = true;
  }
}

void joint_limbs_enliven(const struct joint_limbs *limbs, const struct model *model,
                         double *density) {
  for (size_t k = 0; k < limbs->n; k++) {
    for (size_t i = limbs->imu[k].link; i > 0; i = (size_t)model->parent[i]) {
      density[i - 1] = fmax(density[i - 1], limbs->liveliness[k].density);
    }
  }
}

bool joint_limbs_surprised(const struct joint_limbs *limbs, const struct row_update *rows,
                           const struct limb_group group[LIMBS_MAX]) {
  bool surprised = false;
  for (size_t k = 0; k < limbs->n; k++) {
    const size_t first = group[k].first + group[k].rates;
    for (size_t row = first; row < first + group[k].forces; row++) {
      surprised = surprised || rows->nu[row] * rows->nu[row] > JUMP_GATE;
    }
  }
  return surprised;
}

void joint_limbs_open(struct joint_limbs *limbs, const struct row_update *rows,
                      const struct limb_group group[LIMBS_MAX], const struct motion *base,
                      double dt, double *open_dq, double *open_ddq) {
  double turned[3], pushed[3];
  vec3_to(base->ang, turned);
  vec3_to(base->lin, pushed);
  for (size_t k = 0; k < limbs->n; k++) {
    bool surprised = false;
    for (size_t i = 0; i < group[k].forces; i++) {
      const size_t row = group[k].first + group[k].rates + i;
      const double gained = surprise(rows, row, turned, pushed);
      surprised = surprised || gained > 0.0;
      if (gained > 0.0 && limbs->credit[k] >= 1.0) {
        open_joints(rows, row, gained, dt, open_dq, open_ddq);
      }
    }
    limbs->credit[k] -= surprised ? fmin(limbs->credit[k], 1.0) : 0.0;
  }
}

/* Refuses a triad that goes on contradicting, and takes back one that has agreed for as long. */
static void weigh_trust(struct limb_trust *trust, bool far) {
  if (far && trust->far < FAR_READINGS) {
    trust->far++;
  } else if (!far && trust->far > 0) {
    trust->far--;
  }
  trust->refused = trust->refused ? trust->far > 0 : trust->far == FAR_READINGS;
}

/* A triad counts less where it contradicts. Returns its normalised innovation squared. */
static double press(struct row_update *rows, size_t first, size_t count, struct limb_trust *trust,
                    bool fresh) {
  const double nis = row_update_group_nis(rows, first, count);
  const double bound = HUBER * HUBER * (double)count;
  if (fresh && count > 0) {
    weigh_trust(trust, nis > FAR * (double)count);
  }
  if (trust->refused) {
    row_update_weaken(rows, first, count, REFUSED_WEIGHT);
  } else if (nis > bound) {
    row_update_weaken(rows, first, count, bound / nis);
  }
  return nis;
}

void joint_limbs_judge(struct joint_limbs *limbs, struct row_update *rows,
                       const struct limb_group group[LIMBS_MAX], int64_t t_ns, bool fresh) {
  const double dt = limbs->judged_ns > 0 ? 1e-9 * (double)(t_ns - limbs->judged_ns) : 0.0;
  limbs->judged_ns = fresh ? t_ns : limbs->judged_ns;
  for (size_t k = 0; k < limbs->n; k++) {
    const struct limb_group *g = &group[k];
    struct limb_trust *trust = limbs->trust[k];
    const size_t count = g->rates + g->forces;
    const double forces = press(rows, g->first + g->rates, g->forces, &trust[1], fresh);
    const double nis = forces + press(rows, g->first, g->rates, &trust[0], fresh);
    if (fresh && g->forces > 0) {
      base_liveliness_step(&limbs->liveliness[k], forces / (double)g->forces, dt);
    }
    if (fresh && count > 0) {
      limbs->credit[k] = fmin(limbs->credit[k] + CREDIT_BACK, CREDIT);
      limbs->heard_ns[k] = t_ns;
      limbs->strain[k] +=
          (fmin(nis / (double)count, STRAIN_CAP) - limbs->strain[k]) / STRAIN_MEMORY;
    }
  }
}
