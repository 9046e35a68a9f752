#include "posture.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

/* added to J J^T, whose entries are of the order of 1 or the leg's length^2 */
#define DAMPING    1e-4
#define STEP_LIMIT 0.2 /* rad: largest change of a joint in one iteration */
#define KNEE_GUESS 0.6 /* rad: where the iteration starts, so that the knee bends the right way */

/* The joints between the base and a link, from the base outwards. */
static void find_leg(struct leg *leg, const struct model *model, size_t foot, size_t link) {
  leg->foot = foot;
  leg->n_joints = 0;
  for (int i = (int)link; i > 0; i = model->parent[i]) {
    leg->n_joints++;
  }
  leg->held = leg->n_joints >= 6 ? HOLDS_SOLE : leg->n_joints == 5 ? HOLDS_LEVEL : HOLDS_POINT;
  size_t k = leg->n_joints;
  for (int i = (int)link; i > 0; i = model->parent[i]) {
    leg->joint[--k] = (size_t)i - 1;
  }
}

/* How far q is outside of the joint's limits. */
static double beyond(const struct joint *joint, double q) {
  return fmax(0.0, fmax(q - joint->q_max, joint->q_min - q));
}

/* Hip, knee and ankle pitch: the first three joints of the leg with a lateral axis. The knee bends
 * forward, or back where its limits have it so. */
static void bend_knees(struct posture *posture, const struct leg *leg) {
  static const double share[3] = {-1.0, 2.0, -1.0};
  const struct joint *joint = posture->robot->model.joint;
  size_t pitch[3] = {0}, found = 0;
  double guess[3] = {0.0};
  for (size_t k = 0; k < leg->n_joints && found < 3; k++) {
    const double lateral = kinematics_S_B(&posture->kin, leg->joint[k]).ang.y;
    if (fabs(lateral) > 0.8) {
      pitch[found] = leg->joint[k];
      guess[found] = copysign(KNEE_GUESS, lateral) * share[found];
      found++;
    }
  }
  const struct joint *knee = &joint[pitch[found > 1]];
  const bool back = found > 1 && beyond(knee, guess[1]) > beyond(knee, -guess[1]);
  for (size_t i = 0; i < found; i++) {
    posture->q[pitch[i]] = back ? -guess[i] : guess[i];
  }
}

/* Joints of the upper body as near to zero as they can be. */
static void rest_upper_body(struct posture *posture) {
  for (size_t j = 0; j < posture->robot->model.n_joints; j++) {
    const struct joint *joint = &posture->robot->model.joint[j];
    if (!posture->is_leg[j]) {
      posture->q[j] = fmin(fmax(0.0, joint->q_min), joint->q_max);
    }
  }
}

enum status posture_init(struct posture *posture, const struct robot *robot,
                         struct message *error) {
  if (robot->n_feet == 0) {
    message_set(error, "robot %s has no feet: a scenario with free base needs their frames",
                robot->model.name);
    return STATUS_REFUSED;
  }
  struct posture new = {.robot = robot, .n_legs = robot->n_feet};
  struct arena count = {0};
  enum status status = kinematics_init(&new.kin, &robot->model, &count);
  if (status == STATUS_OK) {
    new.memory = aligned_alloc(ARENA_ALIGN, count.used);
    struct arena arena = arena_over(new.memory, count.used);
    status =
        new.memory != NULL ? kinematics_init(&new.kin, &robot->model, &arena) : STATUS_NO_MEMORY;
  }
  if (status == STATUS_OK) {
    status = kinematics_update_position(&new.kin, new.q);
  }
  for (size_t k = 0; status == STATUS_OK && k < new.n_legs; k++) {
    find_leg(&new.leg[k], &robot->model, k, robot->foot[k].link);
    bend_knees(&new, &new.leg[k]);
    for (size_t i = 0; i < new.leg[k].n_joints; i++) {
      new.is_leg[new.leg[k].joint[i]] = true;
    }
  }
  if (status != STATUS_OK) {
    free(new.memory);
    return status;
  }
  rest_upper_body(&new);
  *posture = new;
  return STATUS_OK;
}

void posture_free(struct posture *posture) {
  free(posture->memory);
  *posture = (struct posture){0};
}

vec3 posture_com_B(const struct posture *posture) {
  const struct model *model = &posture->robot->model;
  double mass = 0.0;
  vec3 sum = VEC3_ZERO;
  for (size_t i = 0; i < model->n_links; i++) {
    const struct pose *X = &posture->kin.X_BL[i];
    const struct inertia *Y = &model->inertia[i];
    sum = vec3_add(sum, vec3_axpy(mat3_mul_vec3(&X->R, Y->h), Y->m, X->p));
    mass += Y->m;
  }
  return vec3_scale(1.0 / mass, sum);
}

static struct pose foot_in_base(const struct posture *posture, size_t foot) {
  const struct model_frame *frame = &posture->robot->foot[foot];
  return pose_mul(&posture->kin.X_BL[frame->link], &frame->placement);
}

/* What the leg cannot hold is none of an error or a Jacobian's column. */
static void leave_free(enum foot_hold held, double e[6]) {
  for (int i = held == HOLDS_POINT ? 0 : 2; i < 3 && held != HOLDS_SOLE; i++) {
    e[i] = 0.0;
  }
}

/* How far the foot is from its place: rotation vector and displacement, base coordinates. */
static void foot_error(const struct pose *is, const struct pose *target, enum foot_hold held,
                       double e[6]) {
  const mat3 R = mat3_transpose(&is->R);
  const mat3 turn = mat3_mul(&target->R, &R);
  vec3_to(quat_to_rotation_vector(quat_from_mat3(&turn)), e);
  vec3_to(vec3_sub(target->p, is->p), e + 3);
  leave_free(held, e);
}

/* One step of damped least squares for one leg: dq = J^T (J J^T + lambda 1)^-1 e. */
static void step_leg(struct posture *posture, const struct leg *leg, const struct pose *is,
                     double e[6]) {
  double J[MODEL_MAX_JOINTS][6], A[6][6] = {{0.0}};
  for (size_t k = 0; k < leg->n_joints; k++) {
    const struct motion S = kinematics_S_B(&posture->kin, leg->joint[k]);
    vec3_to(S.ang, J[k]);
    vec3_to(vec3_add(S.lin, vec3_cross(S.ang, is->p)), J[k] + 3);
    leave_free(leg->held, J[k]);
    for (int r = 0; r < 6; r++) {
      for (int c = 0; c < 6; c++) {
        A[r][c] += J[k][r] * J[k][c];
      }
    }
  }
  for (int r = 0; r < 6; r++) {
    A[r][r] += DAMPING * DAMPING;
  }
  if (LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', 6, 1, &A[0][0], 6, e, 6) != 0) {
    return; /* cannot be with damping; the next iteration starts from the same place */
  }
  for (size_t k = 0; k < leg->n_joints; k++) {
    const struct joint *joint = &posture->robot->model.joint[leg->joint[k]];
    double dq = 0.0;
    for (int r = 0; r < 6; r++) {
      dq += J[k][r] * e[r];
    }
    double *q = &posture->q[leg->joint[k]];
    *q += fmin(fmax(dq, -STEP_LIMIT), STEP_LIMIT);
    *q = fmin(fmax(*q, joint->q_min), joint->q_max);
  }
}

static double largest(const double e[6]) {
  double worst = 0.0;
  for (int i = 0; i < 6; i++) {
    worst = fmax(worst, fabs(e[i]));
  }
  return worst;
}

static void place_base(struct posture *posture, const struct posture_target *target) {
  const vec3 com = posture_com_B(posture);
  posture->base_W =
      target->by_base ? target->base_W : vec3_sub(target->com_W, mat3_mul_vec3(&target->R_WB, com));
}

void posture_solve(struct posture *posture, const struct posture_target *target, int iterations) {
  for (int i = 0; i <= iterations; i++) {
    if (kinematics_update_position(&posture->kin, posture->q) != STATUS_OK) {
      return;
    }
    place_base(posture, target);
    const struct pose X_WB = {target->R_WB, posture->base_W};
    const struct pose X_BW = pose_inverse(&X_WB);
    posture->error = 0.0;
    for (size_t k = 0; k < posture->n_legs; k++) {
      const struct leg *leg = &posture->leg[k];
      const struct pose is = foot_in_base(posture, leg->foot);
      const struct pose wanted = pose_mul(&X_BW, &target->foot_W[leg->foot]);
      double e[6];
      foot_error(&is, &wanted, leg->held, e);
      posture->error = fmax(posture->error, largest(e));
      if (i < iterations) {
        step_leg(posture, leg, &is, e);
      }
    }
  }
}

double posture_effort_on_one_leg(const struct posture *posture) {
  const struct model *model = &posture->robot->model;
  const vec3 weight = {0.0, 0.0, model_mass(model) * STANDARD_GRAVITY};
  double most = 0.0;
  for (size_t k = 0; k < posture->n_legs; k++) {
    const struct leg *leg = &posture->leg[k];
    const vec3 moment = vec3_cross(foot_in_base(posture, leg->foot).p, weight);
    for (size_t i = 0; i < leg->n_joints; i++) {
      const struct motion S = kinematics_S_B(&posture->kin, leg->joint[i]);
      const double tau = vec3_dot(S.ang, moment) + vec3_dot(S.lin, weight);
      most = fmax(most, fabs(tau) / model->joint[leg->joint[i]].tau_max);
    }
  }
  return most;
}

double posture_leg_length(struct posture *posture) {
  double q[MODEL_MAX_JOINTS] = {0.0};
  double length = 0.0;
  if (kinematics_update_position(&posture->kin, q) == STATUS_OK) {
    for (size_t k = 0; k < posture->n_legs; k++) {
      length = fmax(length, -foot_in_base(posture, posture->leg[k].foot).p.z);
    }
  }
  return length;
}

/* Where the toes point with all joints at zero, about the base's z, rad: not every description has
 * its base's x ahead. */
static double toes(const struct posture *posture) {
  double ahead = 0.0, left = 0.0;
  for (size_t k = 0; k < posture->n_legs; k++) {
    const struct pose foot = foot_in_base(posture, posture->leg[k].foot);
    ahead += foot.R.m[0][0];
    left += foot.R.m[1][0];
  }
  return atan2(left, ahead);
}

struct posture_target posture_standing(struct posture *posture, double bend) {
  const double height = (1.0 - bend) * posture_leg_length(posture); /* leaves q = 0 in kin */
  const quat turn = quat_from_rotation_vector((vec3){0.0, 0.0, -toes(posture)});
  struct posture_target target = {.R_WB = mat3_from_quat(turn), .by_base = true};
  vec3 middle = VEC3_ZERO;
  for (size_t k = 0; k < posture->n_legs; k++) {
    const vec3 p = mat3_mul_vec3(&target.R_WB, foot_in_base(posture, posture->leg[k].foot).p);
    target.foot_W[posture->leg[k].foot] = (struct pose){MAT3_IDENTITY, {p.x, p.y, 0.0}};
    middle = vec3_axpy(middle, 1.0 / (double)posture->n_legs, p);
  }
  target.base_W = (vec3){0.0, 0.0, height};
  posture_solve(posture, &target, 50);
  /* from base to centre of mass: the same height, above the middle of the feet */
  const vec3 com = vec3_add(posture->base_W, mat3_mul_vec3(&target.R_WB, posture_com_B(posture)));
  target.com_W = (vec3){middle.x, middle.y, com.z};
  target.by_base = false;
  posture_solve(posture, &target, 50);
  target.base_W = posture->base_W;
  return target;
}
