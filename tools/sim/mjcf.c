#include "mjcf.h"

#include "followers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WATER_DENSITY 1000.0 /* kg/m^3: of the ball that stands for a link without shapes */

static void write_pose(FILE *out, const struct pose *X) {
  const quat q = quat_from_mat3(&X->R);
  fprintf(out, " pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'", X->p.x, X->p.y, X->p.z,
          q.w, q.x, q.y, q.z);
}

/* Mass, centre of mass and inertia about it, body axes: the parallel-axis theorem backwards. */
static void write_inertial(FILE *out, const struct inertia *Y) {
  const vec3 c = vec3_scale(1.0 / Y->m, Y->h);
  fprintf(out,
          "<inertial mass='%.17g' pos='%.17g %.17g %.17g' "
          "fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>\n",
          Y->m, c.x, c.y, c.z, Y->Ixx - Y->m * (c.y * c.y + c.z * c.z),
          Y->Iyy - Y->m * (c.x * c.x + c.z * c.z), Y->Izz - Y->m * (c.x * c.x + c.y * c.y),
          Y->Ixy + Y->m * c.x * c.y, Y->Ixz + Y->m * c.x * c.z, Y->Iyz + Y->m * c.y * c.z);
}

static void write_shape(FILE *out, const struct shape *shape, size_t link, size_t number) {
  static const char *const type[] = {"box", "cylinder", "sphere"};
  fprintf(out, "<geom name='L%zu.%zu' type='%s'", link, number, type[shape->type]);
  if (shape->type == SHAPE_CYLINDER) {
    fprintf(out, " size='%.17g %.17g'", shape->size.x, 0.5 * shape->size.z);
  } else {
    const double half = shape->type == SHAPE_BOX ? 0.5 : 1.0;
    fprintf(out, " size='%.17g %.17g %.17g'", half * shape->size.x, half * shape->size.y,
            half * shape->size.z);
  }
  write_pose(out, &shape->placement);
  fputs("/>\n", out);
}

/* Shape `number` of a link, or, where there are none, the one ball of water of its mass at its
 * centre of mass. False beyond the last. */
static bool shape_of(const struct model *model, size_t link, const struct shapes *shapes,
                     size_t number, struct shape *shape) {
  size_t seen = 0;
  for (size_t i = 0; shapes != NULL && i < shapes->count; i++) {
    if (shapes->shape[i].link == link && seen++ == number) {
      *shape = shapes->shape[i];
      return true;
    }
  }
  const struct inertia *Y = &model->inertia[link];
  const double radius = cbrt(3.0 * Y->m / (4.0 * M_PI * WATER_DENSITY));
  *shape = (struct shape){.type = SHAPE_SPHERE,
                          .placement = {MAT3_IDENTITY, vec3_scale(1.0 / Y->m, Y->h)},
                          .size = {radius, radius, radius}};
  return seen == 0 && number == 0;
}

static void write_shapes(FILE *out, const struct model *model, size_t link,
                         const struct shapes *shapes) {
  struct shape shape;
  for (size_t k = 0; shape_of(model, link, shapes, k, &shape); k++) {
    write_shape(out, &shape, link, k);
  }
}

static void open_body(FILE *out, const struct model *model, size_t link,
                      const struct mjcf_options *options) {
  const struct pose one = {MAT3_IDENTITY, VEC3_ZERO};
  fprintf(out, "<body name='L%zu'", link);
  write_pose(out, link > 0 ? &model->joint[link - 1].placement : &one);
  fputs(">\n", out);
  if (model->inertia[link].m > 0.0) { /* a held base may be massless */
    write_inertial(out, &model->inertia[link]);
  }
  if (link > 0) {
    const struct joint *joint = &model->joint[link - 1];
    fprintf(out, "<joint name='J%zu' type='%s' axis='%.17g %.17g %.17g' armature='%.17g'/>\n",
            link - 1, joint->type == JOINT_PRISMATIC ? "slide" : "hinge", joint->axis.x,
            joint->axis.y, joint->axis.z, joint->rotor_inertia);
  } else if (!options->hold_base) {
    fputs("<freejoint/>\n", out);
  }
  if (!options->hold_base) {
    write_shapes(out, model, link, options->shapes);
  }
}

/* First child of `link` with an index above `after`, or 0. */
static size_t next_child(const struct model *model, size_t link, size_t after) {
  for (size_t i = after + 1; i < model->n_links; i++) {
    if (model->parent[i] == (int)link) {
      return i;
    }
  }
  return 0;
}

/* The tree as nested elements: down to the next child, up when there is none. */
static void write_tree(FILE *out, const struct model *model, const struct mjcf_options *options) {
  size_t last_child[MODEL_MAX_JOINTS + 1];
  for (size_t i = 0; i < model->n_links; i++) {
    last_child[i] = i;
  }
  size_t link = 0;
  open_body(out, model, 0, options);
  for (size_t open = 1; open > 0;) {
    const size_t child = next_child(model, link, last_child[link]);
    if (child > 0) {
      last_child[link] = child;
      link = child;
      open_body(out, model, link, options);
      open++;
    } else {
      fputs("</body>\n", out);
      link = link > 0 ? (size_t)model->parent[link] : 0;
      open--;
    }
  }
}

static void write_ground(FILE *out, const struct mjcf_options *options) {
  fprintf(out, "<geom name='ground' type='plane' size='0 0 1' pos='0 0 %.17g'/>\n",
          options->ground_z);
  for (size_t i = 0; i < options->n_blocks; i++) {
    const struct block *block = &options->block[i];
    const quat q = quat_from_rotation_vector(block->tilt);
    const struct pose placement = {mat3_from_quat(q), block->centre};
    fprintf(out, "<geom name='block%zu' type='box' size='%.17g %.17g %.17g'", i,
            0.5 * block->size.x, 0.5 * block->size.y, 0.5 * block->size.z);
    write_pose(out, &placement);
    fputs("/>\n", out);
  }
}

static void write_pair(FILE *out, const struct mjcf_options *options, const char *ground,
                       double friction, size_t link, size_t number) {
  fprintf(out,
          "<pair geom1='%s' geom2='L%zu.%zu' condim='3' friction='%.17g %.17g 0 0 0' "
          "solref='%.17g %.17g' solimp='0.9 0.98 0.002'/>\n",
          ground, link, number, friction, friction, options->contact_time_s, options->rebound);
}

/* What may touch: the robot's shapes the ground and its blocks, never each other. Naming the pairs
 * saves MuJoCo from searching them at every step. */
static void write_pairs(FILE *out, const struct model *model, const struct mjcf_options *options) {
  struct shape shape;
  for (size_t link = 0; link < model->n_links; link++) {
    for (size_t k = 0; shape_of(model, link, options->shapes, k, &shape); k++) {
      write_pair(out, options, "ground", options->friction, link, k);
      for (size_t i = 0; i < options->n_blocks; i++) {
        char name[32];
        snprintf(name, sizeof(name), "block%zu", i);
        write_pair(out, options, name, options->block[i].friction, link, k);
      }
    }
  }
}

/* What couples a joint to the one that it mimics. */
static void write_followers(FILE *out, const struct model *model) {
  fputs("<equality>\n", out);
  for (size_t j = 0; j < model->n_joints; j++) {
    const struct follower f = follower_of(model, j);
    if (f.leader != j) {
      fprintf(out, "<joint joint1='J%zu' joint2='J%zu' polycoef='%.17g %.17g 0 0 0'/>\n", j,
              f.leader, f.offset, f.ratio);
    }
  }
  fputs("</equality>\n", out);
}

char *mjcf_write(const struct model *model, const struct mjcf_options *options) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) {
    return NULL;
  }
  fprintf(out,
          "<mujoco>\n<compiler angle='radian' coordinate='local' inertiafromgeom='false' "
          "balanceinertia='false' boundmass='0' boundinertia='0'/>\n"
          "<option timestep='%.17g' gravity='%.17g %.17g %.17g' integrator='Euler' cone='elliptic' "
          "impratio='10' iterations='100' tolerance='1e-12' collision='predefined'/>\n"
          "<size njmax='600' nconmax='200'/>\n"
          "<default><geom contype='0' conaffinity='0'/>"
          "<joint damping='0' frictionloss='0' limited='false'/></default>\n<worldbody>\n",
          options->step_s, options->gravity.x, options->gravity.y, options->gravity.z);
  if (!options->hold_base) {
    write_ground(out, options);
  }
  write_tree(out, model, options);
  fputs("</worldbody>\n<contact>\n", out);
  if (!options->hold_base) {
    write_pairs(out, model, options);
  }
  fputs("</contact>\n", out);
  if (!options->hold_base) {
    write_followers(out, model);
  }
  fputs("</mujoco>\n", out);
  if (fclose(out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}

enum status mjcf_load(const char *text, mjModel **compiled, struct message *error) {
  const size_t length = strlen(text);
  mjVFS *vfs = malloc(sizeof(*vfs)); /* 2 MB: not for the stack */
  if (vfs == NULL) {
    return STATUS_NO_MEMORY;
  }
  mj_defaultVFS(vfs);
  char reason[MESSAGE_SIZE - 16] = "out of memory";
  mjModel *loaded = NULL;
  if (mj_makeEmptyFileVFS(vfs, "robot.xml", (int)length) == 0) {
    memcpy(vfs->filedata[mj_findFileVFS(vfs, "robot.xml")], text, length);
    loaded = mj_loadXML("robot.xml", vfs, reason, (int)sizeof(reason));
  }
  mj_deleteVFS(vfs);
  free(vfs);
  if (loaded == NULL) {
    message_set(error, "MuJoCo: %s", reason);
    return STATUS_REFUSED;
  }
  *compiled = loaded;
  return STATUS_OK;
}
