#include "truth_taker.h"

#include <math.h>
#include <stdlib.h>

#define FALLEN_TILT_COS   0.5 /* cosine of 60 degrees */
#define FALLEN_HEIGHT     0.5 /* of the standing height */
#define CONTACT_FORCE_MIN 1.0 /* N: below, a foot only brushes the ground */

/* A ramp rises along its x: its world is turned about y until gravity points down. */
static mat3 ground_in_world(vec3 gravity_G) {
  return mat3_from_rpy((vec3){0.0, -atan2(-gravity_G.x, -gravity_G.z), 0.0});
}

enum status truth_taker_init(struct truth_taker *taker, const struct physics *physics) {
  const struct robot *robot = physics->robot;
  const size_t n = robot->model.n_joints;
  struct truth_taker new = {.velocity = calloc(n + 1, sizeof(struct motion)),
                            .acceleration = calloc(n + 1, sizeof(struct motion)),
                            .joints = calloc(4 * n + 1, sizeof(double))};
  if (new.velocity == NULL || new.acceleration == NULL || new.joints == NULL) {
    truth_taker_free(&new);
    return STATUS_NO_MEMORY;
  }
  new.truth.n_joints = n;
  new.truth.q = new.joints;
  new.truth.dq = new.joints + n;
  new.truth.ddq = new.joints + 2 * n;
  new.truth.tau = new.joints + 3 * n;
  new.truth.n_feet = robot->n_feet;
  new.truth.inertia = physics->inertia;
  new.R_WG = ground_in_world(physics->gravity);
  *taker = new;
  return STATUS_OK;
}

void truth_taker_free(struct truth_taker *taker) {
  free(taker->velocity);
  free(taker->acceleration);
  free(taker->joints);
  *taker = (struct truth_taker){0};
}

void truth_take_links(struct truth_taker *taker, struct physics *physics) {
  physics_accelerations(physics);
  for (size_t i = 0; i < physics->robot->model.n_links; i++) {
    taker->velocity[i] = physics_link_velocity(physics, i);
    taker->acceleration[i] = physics_link_acceleration(physics, i);
  }
}

static void take_joints(struct truth_taker *taker, const struct physics *physics) {
  const size_t n = taker->truth.n_joints;
  for (size_t j = 0; j < n; j++) {
    taker->joints[j] = physics_q(physics, j);
    taker->joints[n + j] = physics_dq(physics, j);
    taker->joints[2 * n + j] = physics_ddq(physics, j);
    taker->joints[3 * n + j] = physics->tau[j];
  }
}

static void take_base(struct truth_taker *taker, const struct physics *physics) {
  struct sim_truth *truth = &taker->truth;
  const struct pose X = physics_link_pose(physics, 0);
  truth->base =
      (struct base_motion){.X_WB = X, .v_B = taker->velocity[0], .a_B = taker->acceleration[0]};
  truth->base_velocity_W = mat3_mul_vec3(&X.R, truth->base.v_B.lin);
  truth->base_acceleration_W = vec3_add(mat3_mul_vec3(&X.R, truth->base.a_B.lin), physics->gravity);
  truth->fallen = taker->standing_height > 0.0 &&
                  (X.R.m[2][2] < FALLEN_TILT_COS || X.p.z < FALLEN_HEIGHT * taker->standing_height);
}

/* A body's centre of mass in the world: place, velocity, acceleration without gravity. */
struct body_motion {
  vec3 c, v, a;
};

static struct body_motion centre_of(const struct truth_taker *taker, const struct physics *physics,
                                    size_t link) {
  const struct inertia *Y = &physics->inertia[link];
  const struct pose X = physics_link_pose(physics, link);
  const struct motion *v = &taker->velocity[link], *a = &taker->acceleration[link];
  const vec3 c_L = vec3_scale(1.0 / Y->m, Y->h);
  const vec3 spin_L = vec3_cross(v->ang, c_L);
  const vec3 v_L = vec3_add(v->lin, spin_L);
  const vec3 a_L = vec3_add(vec3_add(a->lin, vec3_cross(a->ang, c_L)), vec3_cross(v->ang, spin_L));
  return (struct body_motion){pose_apply(&X, c_L), mat3_mul_vec3(&X.R, v_L),
                              vec3_add(mat3_mul_vec3(&X.R, a_L), physics->gravity)};
}

/* I_C x for a body's inertia about its centre of mass, link coordinates. */
static vec3 inertia_about_com_times(const struct inertia *Y, vec3 x) {
  const vec3 c = vec3_scale(1.0 / Y->m, Y->h);
  const vec3 I_O_x = {Y->Ixx * x.x + Y->Ixy * x.y + Y->Ixz * x.z,
                      Y->Ixy * x.x + Y->Iyy * x.y + Y->Iyz * x.z,
                      Y->Ixz * x.x + Y->Iyz * x.y + Y->Izz * x.z};
  return vec3_axpy(I_O_x, Y->m, vec3_cross(c, vec3_cross(c, x)));
}

/* Sums of the bodies, not of forces: the balance of momentum is left to be tested. */
static void take_centroidal(struct truth_taker *taker, const struct physics *physics) {
  struct sim_truth *truth = &taker->truth;
  double mass = 0.0;
  vec3 c = VEC3_ZERO, v = VEC3_ZERO, a = VEC3_ZERO; /* times mass */
  vec3 L = VEC3_ZERO, dL = VEC3_ZERO;               /* about the world's origin, then about c */
  for (size_t i = 0; i < physics->robot->model.n_links; i++) {
    const struct inertia *Y = &physics->inertia[i];
    if (Y->m <= 0.0) {
      continue;
    }
    const struct body_motion b = centre_of(taker, physics, i);
    const vec3 omega = taker->velocity[i].ang;
    const struct pose X = physics_link_pose(physics, i);
    const vec3 spin = inertia_about_com_times(Y, omega);
    const vec3 dspin =
        vec3_add(inertia_about_com_times(Y, taker->acceleration[i].ang), vec3_cross(omega, spin));
    mass += Y->m;
    c = vec3_axpy(c, Y->m, b.c);
    v = vec3_axpy(v, Y->m, b.v);
    a = vec3_axpy(a, Y->m, b.a);
    L = vec3_add(vec3_axpy(L, Y->m, vec3_cross(b.c, b.v)), mat3_mul_vec3(&X.R, spin));
    dL = vec3_add(vec3_axpy(dL, Y->m, vec3_cross(b.c, b.a)), mat3_mul_vec3(&X.R, dspin));
  }
  truth->mass = mass;
  truth->com_W = vec3_scale(1.0 / mass, c);
  truth->com_velocity_W = vec3_scale(1.0 / mass, v);
  truth->com_acceleration_W = vec3_scale(1.0 / mass, a);
  truth->angular_momentum_W = vec3_sub(L, vec3_cross(truth->com_W, v));
  truth->angular_momentum_rate_W = vec3_sub(dL, vec3_cross(truth->com_W, a));
}

/* A wrench about the world's origin, seen from a frame: its coordinates, about its origin. */
static struct force wrench_in(const struct pose *X, const struct force *wrench_W) {
  const vec3 moment_W = vec3_sub(wrench_W->ang, vec3_cross(X->p, wrench_W->lin));
  return (struct force){mat3_tmul_vec3(&X->R, moment_W), mat3_tmul_vec3(&X->R, wrench_W->lin)};
}

static void take_contacts(struct truth_taker *taker, const struct physics *physics) {
  struct sim_truth *truth = &taker->truth;
  const struct robot *robot = physics->robot;
  truth->ground_W = physics_contact_wrench(physics, -1);
  for (size_t k = 0; k < truth->n_feet; k++) {
    const struct pose X = physics_link_pose(physics, robot->foot[k].link);
    const struct force wrench_W = physics_contact_wrench(physics, (int)robot->foot[k].link);
    truth->foot_W[k] = pose_mul(&X, &robot->foot[k].placement);
    truth->foot_wrench[k] = wrench_in(&truth->foot_W[k], &wrench_W);
    truth->foot_contact[k] = vec3_norm(wrench_W.lin) > CONTACT_FORCE_MIN;
  }
}

/* Height of the plane of support: that of the feet, weighed by what they carry. */
static double support_height(const struct sim_truth *truth) {
  double weight = 0.0, sum = 0.0;
  for (size_t k = 0; k < truth->n_feet; k++) {
    const double carried =
        fmax(mat3_mul_vec3(&truth->foot_W[k].R, truth->foot_wrench[k].lin).z, 0.0);
    weight += carried;
    sum += carried * truth->foot_W[k].p.z;
  }
  return weight > 0.0 ? sum / weight : 0.0;
}

/* The point of the plane of support about which the ground's horizontal moment vanishes. */
static void take_cop(struct sim_truth *truth) {
  const struct force *ground = &truth->ground_W;
  const double z = support_height(truth), fz = ground->lin.z;
  truth->cop_valid = fz > SIM_COP_FORCE_MIN;
  truth->cop_W = truth->cop_valid ? (vec3){(z * ground->lin.x - ground->ang.y) / fz,
                                           (z * ground->lin.y + ground->ang.x) / fz, z}
                                  : VEC3_ZERO;
}

void truth_take(struct truth_taker *taker, struct physics *physics, int64_t t_ns) {
  taker->truth.t_ns = t_ns;
  taker->truth.push_force_W = physics->push_force_W;
  taker->truth.push_point_W = physics->push_point_W;
  take_joints(taker, physics);
  take_base(taker, physics);
  take_centroidal(taker, physics);
  take_contacts(taker, physics);
  take_cop(&taker->truth);
}

static struct force turned(const mat3 *R, struct force wrench) {
  return (struct force){mat3_mul_vec3(R, wrench.ang), mat3_mul_vec3(R, wrench.lin)};
}

struct pose truth_link_pose(const struct truth_taker *taker, const struct physics *physics,
                            size_t link) {
  const struct pose X_WG = {taker->R_WG, VEC3_ZERO}, X_GL = physics_link_pose(physics, link);
  return pose_mul(&X_WG, &X_GL);
}

void truth_turn(struct truth_taker *taker) {
  const mat3 *R = &taker->R_WG;
  const struct pose X = {*R, VEC3_ZERO};
  struct sim_truth *world = &taker->world;
  *world = taker->truth;
  world->base.X_WB = pose_mul(&X, &world->base.X_WB);
  vec3 *const direction[] = {
      &world->base_velocity_W, &world->base_acceleration_W, &world->com_W,
      &world->com_velocity_W,  &world->com_acceleration_W,  &world->angular_momentum_W,
      &world->push_force_W,    &world->push_point_W,        &world->angular_momentum_rate_W};
  for (size_t i = 0; i < sizeof(direction) / sizeof(direction[0]); i++) {
    *direction[i] = mat3_mul_vec3(R, *direction[i]);
  }
  for (size_t k = 0; k < world->n_feet; k++) {
    world->foot_W[k] = pose_mul(&X, &world->foot_W[k]);
  }
  world->ground_W = turned(R, world->ground_W);
  take_cop(world);
}
