#include "support/mujoco_robot.h"

#include "urdf/urdf_reader.h"

#include <lapacke.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows at its end. */
struct text {
  char *bytes;
  size_t length, capacity;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format,
                                                         ...) {
  for (;;) {
    va_list list;
    va_start(list, format);
    const size_t room = text->capacity - text->length;
    const int n = vsnprintf(text->bytes + text->length, room, format, list);
    va_end(list);
    if ((size_t)n < room) {
      text->length += (size_t)n;
      return;
    }
    text->capacity = 2 * text->capacity + (size_t)n + 1;
    text->bytes = realloc(text->bytes, text->capacity);
    require(text->bytes != NULL);
  }
}

/* MuJoCo wants principal moments about the centre of mass. Its own way to them from `fullinertia`
 * is good to 1e-9 only. */
static void append_inertial(struct text *text, const struct inertia *body) {
  const vec3 c = vec3_scale(1.0 / body->m, body->h);
  const double xx = body->Ixx - body->m * (c.y * c.y + c.z * c.z);
  const double yy = body->Iyy - body->m * (c.x * c.x + c.z * c.z);
  const double zz = body->Izz - body->m * (c.x * c.x + c.y * c.y);
  const double xy = body->Ixy + body->m * c.x * c.y, xz = body->Ixz + body->m * c.x * c.z;
  const double yz = body->Iyz + body->m * c.y * c.z;
  double axes[9] = {xx, xy, xz, xy, yy, yz, xz, yz, zz}, moment[3];
  require(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', 3, axes, 3, moment) == 0);
  const vec3 x = vec3_from(axes), y = vec3_from(axes + 3), z = vec3_cross(x, y);
  const mat3 R = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
  const quat q = quat_from_mat3(&R);
  append(text,
         "<inertial pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g' mass='%.17g' "
         "diaginertia='%.17g %.17g %.17g'/>",
         c.x, c.y, c.z, q.w, q.x, q.y, q.z, body->m, moment[0], moment[1], moment[2]);
}

static void open_body(struct text *text, const struct model *model, size_t link, bool drives) {
  const struct joint *joint = &model->joint[link - 1];
  const struct pose *X = &joint->placement;
  const quat q = quat_from_mat3(&X->R);
  const bool slides = joint->type == JOINT_PRISMATIC;
  append(text, "<body name='%s' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>",
         model->link_name[link], X->p.x, X->p.y, X->p.z, q.w, q.x, q.y, q.z);
  append(text,
         "<joint name='%s' type='%s' axis='%.17g %.17g %.17g' armature='%.17g' damping='%.17g'/>",
         joint->name, slides ? "slide" : "hinge", joint->axis.x, joint->axis.y, joint->axis.z,
         drives ? joint->rotor_inertia : 0.0, drives ? joint->viscous : 0.0);
  append_inertial(text, &model->inertia[link]);
}

/* Every body depth first, nested as the tree is. */
static void append_tree(struct text *text, const struct model *model, bool drives) {
  int path[MODEL_MAX_JOINTS + 1] = {0};
  size_t depth = 1, next[MODEL_MAX_JOINTS + 1] = {1}; /* the next child to look at, per level */
  while (depth > 0) {
    const int parent = path[depth - 1];
    size_t *child = &next[depth - 1];
    while (*child < model->n_links && model->parent[*child] != parent) {
      (*child)++;
    }
    if (*child < model->n_links) {
      const size_t link = (*child)++;
      open_body(text, model, link, drives);
      path[depth] = (int)link;
      next[depth++] = link + 1;
    } else if (--depth > 0) {
      append(text, "</body>");
    }
  }
}

static void find_names(struct mujoco_robot *robot) {
  const struct model *model = robot->model;
  for (size_t j = 0; j < model->n_joints; j++) {
    const int id = mj_name2id(robot->m, mjOBJ_JOINT, model->joint[j].name);
    require(id >= 0);
    robot->dof[j] = robot->m->jnt_dofadr[id];
    robot->qpos[j] = robot->m->jnt_qposadr[id];
    robot->body[j + 1] = robot->m->jnt_bodyid[id];
  }
  const int base = mj_name2id(robot->m, mjOBJ_BODY, model->link_name[0]);
  robot->body[0] = base >= 0 ? base : 0; /* MuJoCo's URDF reader makes the root part of the world */
}

static void finish(struct mujoco_robot *robot, mjModel *m, const char *error) {
  if (m == NULL) {
    fprintf(stderr, "MuJoCo: %s\n", error);
  }
  require(m != NULL);
  m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT;
  robot->m = m;
  robot->d = mj_makeData(m);
  find_names(robot);
}

void mujoco_from_model(struct mujoco_robot *robot, const struct model *model, bool floating,
                       bool drives) {
  struct text text = {0};
  *robot = (struct mujoco_robot){.model = model, .floating = floating};
  append(&text,
         "<mujoco><compiler angle='radian' balanceinertia='false' boundmass='0' "
         "boundinertia='0' inertiafromgeom='false'/><option gravity='0 0 -9.81'/>"
         "<worldbody><body name='%s'>%s",
         model->link_name[0], floating ? "<freejoint/>" : "");
  append_inertial(&text, &model->inertia[0]);
  append_tree(&text, model, drives);
  append(&text, "</body></worldbody></mujoco>");

  mjVFS *vfs = calloc(1, sizeof(*vfs)); /* a megabyte of file names: too much for the stack */
  mj_defaultVFS(vfs);
  require(mj_makeEmptyFileVFS(vfs, "robot.xml", (int)text.length) == 0);
  memcpy(vfs->filedata[mj_findFileVFS(vfs, "robot.xml")], text.bytes, text.length);
  char error[1000] = "";
  mjModel *m = mj_loadXML("robot.xml", vfs, error, sizeof(error));
  mj_deleteVFS(vfs);
  free(vfs);
  free(text.bytes);
  finish(robot, m, error);
}

void mujoco_from_urdf(struct mujoco_robot *robot, const struct model *model, const char *path) {
  *robot = (struct mujoco_robot){.model = model};
  char error[1000] = "";
  finish(robot, mj_loadXML(path, NULL, error, sizeof(error)), error);
  memset(robot->m->dof_damping, 0, (size_t)robot->m->nv * sizeof(mjtNum));
}

static void set_base(struct mujoco_robot *robot, const struct base_motion *base) {
  mjData *d = robot->d;
  const mat3 *R = &base->X_WB.R;
  const quat q = quat_from_mat3(R);
  const vec3 g = {0.0, 0.0, -STANDARD_GRAVITY};
  vec3_to(base->X_WB.p, d->qpos);
  d->qpos[3] = q.w;
  d->qpos[4] = q.x;
  d->qpos[5] = q.y;
  d->qpos[6] = q.z;
  vec3_to(mat3_mul_vec3(R, base->v_B.lin), d->qvel);
  vec3_to(base->v_B.ang, d->qvel + 3);
  vec3_to(vec3_add(mat3_mul_vec3(R, base->a_B.lin), g), d->qacc);
  vec3_to(base->a_B.ang, d->qacc + 3);
}

void mujoco_set(struct mujoco_robot *robot, const struct robot_motion *motion) {
  for (size_t j = 0; j < robot->model->n_joints; j++) {
    robot->d->qpos[robot->qpos[j]] = motion->q[j];
    robot->d->qvel[robot->dof[j]] = motion->dq != NULL ? motion->dq[j] : 0.0;
    robot->d->qacc[robot->dof[j]] = motion->ddq != NULL ? motion->ddq[j] : 0.0;
  }
  if (robot->floating) {
    set_base(robot, &motion->base);
  }
}

void mujoco_forces(const struct mujoco_robot *robot, const mjtNum *qfrc, struct force *base,
                   double *tau) {
  for (size_t j = 0; j < robot->model->n_joints; j++) {
    tau[j] = qfrc[robot->dof[j]];
  }
  if (robot->floating && base != NULL) {
    const struct pose X = mujoco_pose(robot, 0);
    *base = (struct force){vec3_from(qfrc + 3), mat3_tmul_vec3(&X.R, vec3_from(qfrc))};
  }
}

struct pose mujoco_pose(const struct mujoco_robot *robot, size_t link) {
  const mjtNum *R = robot->d->xmat + 9 * robot->body[link];
  struct pose X = {.p = vec3_from(robot->d->xpos + 3 * robot->body[link])};
  memcpy(X.R.m, R, sizeof(X.R.m));
  return X;
}

struct motion mujoco_velocity(const struct mujoco_robot *robot, size_t link) {
  mjtNum v[6];
  mj_objectVelocity(robot->m, robot->d, mjOBJ_XBODY, robot->body[link], v, 1);
  return (struct motion){vec3_from(v), vec3_from(v + 3)};
}

struct motion mujoco_acceleration(const struct mujoco_robot *robot, size_t link) {
  mjtNum a[6];
  mj_objectAcceleration(robot->m, robot->d, mjOBJ_XBODY, robot->body[link], a, 1);
  return (struct motion){vec3_from(a), vec3_from(a + 3)};
}

static struct text read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  require(file != NULL);
  struct text text = {.capacity = 1 << 20, .bytes = malloc(1 << 20)};
  text.length = fread(text.bytes, 1, text.capacity, file);
  require(text.length < text.capacity);
  fclose(file);
  return text;
}

struct model *model_of_file(const char *path) {
  struct text text = read_file(path);
  struct model *model = calloc(1, sizeof(*model));
  struct arena count = {0};
  require(urdf_read(text.bytes, text.length, &count, model, NULL) == STATUS_OK);
  struct arena arena = test_arena(count.used);
  require(urdf_read(text.bytes, text.length, &arena, model, NULL) == STATUS_OK);
  free(text.bytes);
  return model;
}

struct model *model_of_robot(const char *name) {
  char path[200];
  snprintf(path, sizeof(path), "config/robots/%s.urdf", name);
  return model_of_file(path);
}
