#include "urdf/urdf_model.h"

#include "common/name_index.h"
#include "urdf/urdf_tree.h"

#include <math.h>
#include <string.h>

static void take_counts(const struct urdf_stages *stages, struct model *model) {
  const struct urdf_document *d = &stages->document;
  *model = (struct model){.n_links = stages->bodies.n, .n_joints = stages->bodies.n - 1};
  memcpy(model->name, d->name, sizeof(model->name));
  model->n_frames = stages->tree.n_order;
  for (size_t i = 1; i < stages->tree.n_order; i++) {
    const long above = stages->tree.joint_above[stages->tree.order[i]];
    model->n_frames += d->joint[above].type == URDF_FIXED;
  }
  for (size_t i = 0; i < d->n_sensors; i++) {
    model->n_frames += d->sensor[i].parent[0] != '\0';
    model->n_accelerometers += d->sensor[i].is_accelerometer;
  }
}

static void take_arrays(struct arena *arena, struct model *model) {
  model->link_name = arena_take(arena, model->n_links, sizeof(*model->link_name));
  model->parent = ARENA_ARRAY(arena, int, model->n_links);
  model->joint = ARENA_ARRAY(arena, struct joint, model->n_joints);
  model->inertia = ARENA_ARRAY(arena, struct inertia, model->n_links);
  model->frame = ARENA_ARRAY(arena, struct model_frame, model->n_frames);
  model->accelerometer = ARENA_ARRAY(arena, struct model_frame, model->n_accelerometers);
}

/* Index in the model of a document's moving joint. */
static int model_joint(const struct urdf_stages *stages, size_t joint) {
  const long child = name_index_find(&stages->tree.links, stages->document.joint[joint].child);
  return (int)stages->bodies.of_link[child] - 1;
}

static void fill_limits(const struct urdf_joint *from, struct joint *to) {
  const bool bounded = from->type != URDF_CONTINUOUS && (from->lower != 0.0 || from->upper != 0.0);
  to->q_min = bounded ? from->lower : -HUGE_VAL;
  to->q_max = bounded ? from->upper : HUGE_VAL;
  to->dq_max = from->velocity > 0.0 ? from->velocity : HUGE_VAL;
  to->tau_max = from->effort > 0.0 ? from->effort : HUGE_VAL;
}

static void fill_mimic(const struct urdf_stages *stages, size_t joint, struct joint *to) {
  struct urdf_mimic mimic = {.leader = joint};
  struct message unused = {""}; /* check_mimics has resolved it before */
  urdf_mimic_resolve(&stages->document, &stages->tree, joint, &mimic, &unused);
  const bool follows = mimic.leader != joint;
  to->mimics = follows ? model_joint(stages, mimic.leader) : MODEL_NO_JOINT;
  to->mimic_ratio = follows ? mimic.ratio : 0.0;
  to->mimic_offset = follows ? mimic.offset : 0.0;
}

static void fill_joint(const struct urdf_stages *stages, size_t link, struct joint *to) {
  static const enum joint_type types[] = {[URDF_REVOLUTE] = JOINT_REVOLUTE,
                                          [URDF_CONTINUOUS] = JOINT_CONTINUOUS,
                                          [URDF_PRISMATIC] = JOINT_PRISMATIC};
  const size_t above = (size_t)stages->tree.joint_above[link];
  const struct urdf_joint *from = &stages->document.joint[above];
  memcpy(to->name, from->name, sizeof(to->name));
  to->type = types[from->type];
  to->placement = pose_mul(&stages->bodies.in_body[stages->tree.parent[link]], &from->origin);
  to->axis = from->axis;
  to->rotor_inertia = from->rotor_inertia;
  to->viscous = from->damping;
  to->coulomb = from->friction;
  fill_limits(from, to);
  fill_mimic(stages, above, to);
}

static void fill_bodies(const struct urdf_stages *stages, struct model *model) {
  for (size_t b = 0; b < model->n_links; b++) {
    const size_t link = stages->bodies.link[b];
    memcpy(model->link_name[b], stages->document.link[link].name, MODEL_NAME_SIZE);
    model->inertia[b] = stages->bodies.inertia[b];
    model->parent[b] = -1;
    if (b > 0) {
      model->parent[b] = (int)stages->bodies.of_link[stages->tree.parent[link]];
      fill_joint(stages, link, &model->joint[b - 1]);
    }
  }
}

static struct model_frame frame_on(const struct urdf_stages *stages,
                                   const char name[MODEL_NAME_SIZE], size_t link,
                                   const struct pose *in_link) {
  struct model_frame frame = {.link = (size_t)stages->bodies.of_link[link],
                              .placement = pose_mul(&stages->bodies.in_body[link], in_link)};
  memcpy(frame.name, name, MODEL_NAME_SIZE);
  return frame;
}

/* A link's own frame, with the ball by which it touches. */
static struct model_frame frame_of(const struct urdf_stages *stages,
                                   const char name[MODEL_NAME_SIZE], size_t link) {
  const struct urdf_link *from = &stages->document.link[link];
  struct model_frame frame = frame_on(stages, name, link, &POSE_IDENTITY);
  if (from->n_collisions == 1) {
    frame.ball_radius = from->sphere_radius;
    frame.ball_centre = from->sphere_origin.p;
  }
  return frame;
}

static void fill_frames(const struct urdf_stages *stages, struct model *model) {
  const struct urdf_document *d = &stages->document;
  const struct urdf_tree *tree = &stages->tree;
  struct model_frame *frame = model->frame, *accelerometer = model->accelerometer;
  for (size_t i = 0; i < tree->n_order; i++) {
    *frame++ = frame_of(stages, d->link[tree->order[i]].name, tree->order[i]);
  }
  for (size_t i = 1; i < tree->n_order; i++) { /* a fixed joint's frame is its child's */
    const struct urdf_joint *joint = &d->joint[tree->joint_above[tree->order[i]]];
    if (joint->type == URDF_FIXED) {
      *frame++ = frame_of(stages, joint->name, tree->order[i]);
    }
  }
  for (size_t i = 0; i < d->n_sensors; i++) {
    const struct urdf_sensor *sensor = &d->sensor[i];
    if (sensor->parent[0] != '\0') {
      const size_t link = (size_t)name_index_find(&tree->links, sensor->parent);
      *frame = frame_on(stages, sensor->name, link, &sensor->origin);
      if (sensor->is_accelerometer) {
        *accelerometer++ = *frame;
      }
      frame++;
    }
  }
}

enum status urdf_model_build(const struct urdf_stages *stages, struct arena *arena,
                             struct model *model, struct message *error) {
  struct model result;
  take_counts(stages, &result);
  take_arrays(arena, &result);
  if (arena->failed) {
    message_set(error, "1:1: no memory for a model of %zu links", result.n_links);
    return STATUS_NO_MEMORY;
  }
  if (!arena_is_counting(arena)) {
    fill_bodies(stages, &result);
    fill_frames(stages, &result);
  }
  *model = result;
  return STATUS_OK;
}
