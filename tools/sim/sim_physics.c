#include "sim_physics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MuJoCo would write a log file into the working folder; its warnings are counted in mjData. */
static void be_quiet(const char *text) {
  (void)text;
}

static enum status find_addresses(struct physics *physics, struct message *error) {
  const struct model *model = &physics->robot->model;
  char name[32];
  for (size_t i = 0; i < model->n_links; i++) {
    snprintf(name, sizeof(name), "L%zu", i);
    physics->body[i] = mj_name2id(physics->m, mjOBJ_BODY, name);
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    snprintf(name, sizeof(name), "J%zu", j);
    const int id = mj_name2id(physics->m, mjOBJ_JOINT, name);
    if (id < 0) {
      message_set(error, "joint %s is missing in MuJoCo's model", model->joint[j].name);
      return STATUS_REFUSED;
    }
    physics->qpos[j] = physics->m->jnt_qposadr[id];
    physics->dof[j] = physics->m->jnt_dofadr[id];
  }
  return STATUS_OK;
}

enum status physics_init(struct physics *physics, const struct robot *robot,
                         const struct mjcf_options *options, struct message *error) {
  mju_user_warning = be_quiet;
  struct physics new = {
      .robot = robot, .hold_base = options->hold_base, .gravity = options->gravity};
  char *text = mjcf_write(&robot->model, options);
  enum status status = text != NULL ? mjcf_load(text, &new.m, error) : STATUS_NO_MEMORY;
  free(text);
  if (status == STATUS_OK) {
    status = find_addresses(&new, error);
  }
  if (status == STATUS_OK) {
    new.d = mj_makeData(new.m);
    new.inertia = calloc(robot->model.n_links, sizeof(*new.inertia));
    const bool complete = (new.d != NULL) && (new.inertia != NULL);
    status = complete ? STATUS_OK : STATUS_NO_MEMORY;
  }
  if (status != STATUS_OK) {
    physics_free(&new);
    return status;
  }
  memcpy(new.inertia, robot->model.inertia, robot->model.n_links * sizeof(*new.inertia));
  *physics = new;
  return STATUS_OK;
}

void physics_free(struct physics *physics) {
  if (physics->d != NULL) {
    mj_deleteData(physics->d);
  }
  if (physics->m != NULL) {
    mj_deleteModel(physics->m);
  }
  free(physics->inertia);
  *physics = (struct physics){0};
}

void physics_place(struct physics *physics, const struct pose *X_WB, const double *q) {
  mj_resetData(physics->m, physics->d);
  if (!physics->hold_base) {
    const quat r = quat_from_mat3(&X_WB->R);
    const double pose[7] = {X_WB->p.x, X_WB->p.y, X_WB->p.z, r.w, r.x, r.y, r.z};
    memcpy(physics->d->qpos, pose, sizeof(pose));
  }
  for (size_t j = 0; j < physics->robot->model.n_joints; j++) {
    physics->d->qpos[physics->qpos[j]] = q[j];
  }
}

void physics_look(struct physics *physics) {
  mj_fwdPosition(physics->m, physics->d);
  mj_fwdVelocity(physics->m, physics->d);
}

/* (M + ahead) ddq + h = tau is M ddq + h = tau - ahead ddq. */
void physics_look_ahead(struct physics *physics, size_t j, double inertia) {
  physics->m->dof_armature[physics->dof[j]] += inertia - physics->ahead[j];
  physics->ahead[j] = inertia;
}

void physics_forward(struct physics *physics, const double *tau) {
  const struct model *model = &physics->robot->model;
  mjData *d = physics->d;
  for (size_t j = 0; j < model->n_joints; j++) {
    d->qfrc_applied[physics->dof[j]] =
        tau[j] - joint_friction(&model->joint[j], d->qvel[physics->dof[j]]);
  }
  mj_fwdActuation(physics->m, d);
  mj_fwdAcceleration(physics->m, d);
  mj_fwdConstraint(physics->m, d);
  for (size_t j = 0; j < model->n_joints; j++) {
    physics->tau[j] = tau[j] - physics->ahead[j] * d->qacc[physics->dof[j]];
  }
}

bool physics_integrate(struct physics *physics) {
  mj_Euler(physics->m, physics->d);
  const mjWarningStat *warning = physics->d->warning;
  return warning[mjWARN_BADQPOS].number == 0 && warning[mjWARN_BADQVEL].number == 0 &&
         isfinite(physics->d->qpos[0]) && isfinite(physics->d->qvel[physics->m->nv - 1]);
}

void physics_prescribe(struct physics *physics, double t, const double *q, const double *dq,
                       const double *ddq) {
  const struct model *model = &physics->robot->model;
  mjData *d = physics->d;
  d->time = t;
  for (size_t j = 0; j < model->n_joints; j++) {
    d->qpos[physics->qpos[j]] = q[j];
    d->qvel[physics->dof[j]] = dq[j];
    d->qacc[physics->dof[j]] = ddq[j];
  }
  mj_inverse(physics->m, d);
  for (size_t j = 0; j < model->n_joints; j++) {
    physics->tau[j] = d->qfrc_inverse[physics->dof[j]] + joint_friction(&model->joint[j], dq[j]);
  }
}

/* The sums over subtrees that MuJoCo keeps beside the bodies' masses. */
static void add_subtree_mass(mjModel *m, int body, double mass) {
  for (; body > 0; body = m->body_parentid[body]) {
    m->body_subtreemass[body] += mass;
  }
  m->body_subtreemass[0] += mass;
}

void physics_set_inertia(struct physics *physics, size_t link, const struct inertia *Y) {
  mjModel *m = physics->m;
  const int body = physics->body[link];
  const vec3 c = vec3_scale(1.0 / Y->m, Y->h);
  const double xy = Y->Ixy + Y->m * c.x * c.y, xz = Y->Ixz + Y->m * c.x * c.z,
               yz = Y->Iyz + Y->m * c.y * c.z;
  const double I_C[9] = {Y->Ixx - Y->m * (c.y * c.y + c.z * c.z), xy, xz, xy,
                         Y->Iyy - Y->m * (c.x * c.x + c.z * c.z), yz, xz, yz,
                         Y->Izz - Y->m * (c.x * c.x + c.y * c.y)};
  double axes[9];
  add_subtree_mass(m, body, Y->m - m->body_mass[body]);
  m->body_mass[body] = Y->m;
  vec3_to(c, m->body_ipos + 3 * body);
  mju_eig3(m->body_inertia + 3 * body, axes, m->body_iquat + 4 * body, I_C);
  m->body_sameframe[body] = 0;
  physics->inertia[link] = *Y;
}

void physics_push(struct physics *physics, vec3 force_W, vec3 point_W) {
  const int body = physics->body[0];
  const vec3 c = vec3_from(physics->d->xipos + 3 * body);
  double *wrench =
      physics->d->xfrc_applied + 6 * body; /* force, then moment about the body's CoM */
  vec3_to(force_W, wrench);
  vec3_to(vec3_cross(vec3_sub(point_W, c), force_W), wrench + 3);
  physics->push_force_W = force_W;
  physics->push_point_W = point_W;
}

double physics_q(const struct physics *physics, size_t j) {
  return physics->d->qpos[physics->qpos[j]];
}

double physics_dq(const struct physics *physics, size_t j) {
  return physics->d->qvel[physics->dof[j]];
}

double physics_ddq(const struct physics *physics, size_t j) {
  return physics->d->qacc[physics->dof[j]];
}

struct pose physics_link_pose(const struct physics *physics, size_t link) {
  const int body = physics->body[link];
  struct pose X;
  memcpy(X.R.m, physics->d->xmat + 9 * body, sizeof(X.R.m));
  X.p = vec3_from(physics->d->xpos + 3 * body);
  return X;
}

void physics_accelerations(struct physics *physics) {
  mj_rnePostConstraint(physics->m, physics->d);
}

struct motion physics_link_velocity(const struct physics *physics, size_t link) {
  double v[6];
  mj_objectVelocity(physics->m, physics->d, mjOBJ_XBODY, physics->body[link], v, 1);
  return (struct motion){vec3_from(v), vec3_from(v + 3)};
}

struct motion physics_link_acceleration(const struct physics *physics, size_t link) {
  double a[6];
  mj_objectAcceleration(physics->m, physics->d, mjOBJ_XBODY, physics->body[link], a, 1);
  return (struct motion){vec3_from(a), vec3_from(a + 3)};
}

/* The contact normal points from geom1 to geom2, and the force acts on geom2. */
static vec3 contact_force(const struct physics *physics, int i, int *body) {
  const mjContact *contact = &physics->d->contact[i];
  double f[6], f_W[3];
  mj_contactForce(physics->m, physics->d, i, f);
  mju_rotVecMatT(f_W, f, contact->frame);
  const int first = physics->m->geom_bodyid[contact->geom1];
  const int second = physics->m->geom_bodyid[contact->geom2];
  *body = second > 0 ? second : first;
  return second > 0 ? vec3_from(f_W) : vec3_neg(vec3_from(f_W));
}

struct force physics_contact_wrench(const struct physics *physics, int link) {
  struct force sum = {VEC3_ZERO, VEC3_ZERO};
  for (int i = 0; i < physics->d->ncon; i++) {
    int body;
    const vec3 f = contact_force(physics, i, &body);
    if (link < 0 || body == physics->body[link]) {
      sum.lin = vec3_add(sum.lin, f);
      sum.ang = vec3_add(sum.ang, vec3_cross(vec3_from(physics->d->contact[i].pos), f));
    }
  }
  return sum;
}
