#include "mjcf.h"

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

static void write_shape(FILE *out, const struct shape *shape) {
  static const char *const type[] = {"box", "cylinder", "sphere"};
  fprintf(out, "<geom type='%s'", type[shape->type]);
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

/* The shapes of a link, or a ball of water of its mass at its centre of mass. */
static void write_shapes(FILE *out, const struct model *model, size_t link,
                         const struct shapes *shapes) {
  size_t written = 0;
  for (size_t i = 0; shapes != NULL && i < shapes->count; i++) {
    if (shapes->shape[i].link == link) {
      write_shape(out, &shapes->shape[i]);
      written++;
    }
  }
  if (written == 0) {
    const struct inertia *Y = &model->inertia[link];
    const double radius = cbrt(3.0 * Y->m / (4.0 * M_PI * WATER_DENSITY));
    write_shape(out, &(struct shape){.type = SHAPE_SPHERE,
                                     .placement = {MAT3_IDENTITY, vec3_scale(1.0 / Y->m, Y->h)},
                                     .size = {radius, radius, radius}});
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

/* The ground decides friction and hardness alone (priority), and only it touches (contype). */
static void write_ground(FILE *out, const struct mjcf_options *options) {
  fprintf(out,
          "<geom name='ground' type='plane' size='0 0 1' contype='1' conaffinity='0' priority='1' "
          "friction='%.17g 0.005 0.0001' solref='%.17g %.17g'/>\n",
          options->friction, options->contact_time_s, options->rebound);
  for (size_t i = 0; i < options->n_blocks; i++) {
    const struct block *block = &options->block[i];
    fprintf(out,
            "<geom type='box' contype='1' conaffinity='0' priority='2' pos='%.17g %.17g %.17g' "
            "size='%.17g %.17g %.17g' friction='%.17g 0.005 0.0001' solref='%.17g %.17g'/>\n",
            block->centre.x, block->centre.y, block->centre.z, 0.5 * block->size.x,
            0.5 * block->size.y, 0.5 * block->size.z, block->friction, options->contact_time_s,
            options->rebound);
  }
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
          "<option timestep='%.17g' gravity='0 0 %.17g' integrator='Euler' cone='elliptic' "
          "impratio='10' iterations='100' tolerance='1e-12'/>\n"
          "<size njmax='600' nconmax='200'/>\n"
          "<default><geom contype='0' conaffinity='1' condim='3' solimp='0.9 0.98 0.002'/>"
          "<joint damping='0' frictionloss='0' limited='false'/></default>\n<worldbody>\n",
          options->step_s, -STANDARD_GRAVITY);
  if (!options->hold_base) {
    write_ground(out, options);
  }
  write_tree(out, model, options);
  fputs("</worldbody>\n</mujoco>\n", out);
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
