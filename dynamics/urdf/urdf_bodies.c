#include "urdf/urdf_bodies.h"

#include "inertia/inertia.h"

#include <stdlib.h>

static bool is_fixed(const struct urdf_document *document, const struct urdf_tree *tree,
                     size_t link) {
  const long joint = tree->joint_above[link];
  return joint >= 0 && document->joint[joint].type == URDF_FIXED;
}

struct inertia urdf_inertial_about(const struct urdf_inertial *inertial, const struct pose *link) {
  const struct inertia at_com = {.m = inertial->m,
                                 .Ixx = inertial->Ixx,
                                 .Ixy = inertial->Ixy,
                                 .Ixz = inertial->Ixz,
                                 .Iyy = inertial->Iyy,
                                 .Iyz = inertial->Iyz,
                                 .Izz = inertial->Izz};
  /* from the axes of <inertial> to those of the body */
  const struct pose X = pose_mul(link, &inertial->placement);
  return inertia_transform(&X, &at_com);
}

/* Counted before lumping, so that a message can name the first joint too many. */
static enum status check_moving(const struct urdf_document *document, const struct urdf_tree *tree,
                                struct message *error) {
  size_t moving = 0;
  for (size_t i = 1; i < tree->n_order; i++) {
    if (is_fixed(document, tree, tree->order[i])) {
      continue;
    }
    const struct urdf_joint *joint = &document->joint[tree->joint_above[tree->order[i]]];
    if (++moving > MODEL_MAX_JOINTS) {
      message_set(error, "%lu:%lu: joint '%s': more than %d moving joints", joint->place.line,
                  joint->place.column, joint->name, MODEL_MAX_JOINTS);
      return STATUS_OUT_OF_RANGE;
    }
  }
  /* a robot that cannot move is no robot here */
  if (moving == 0) {
    const struct urdf_link *base = &document->link[tree->order[0]];
    message_set(error, "%lu:%lu: link '%s': no joint moves: 1 to %d must", base->place.line,
                base->place.column, base->name, MODEL_MAX_JOINTS);
    return STATUS_OUT_OF_RANGE;
  }
  return STATUS_OK;
}

static enum status take_arrays(const struct urdf_document *document, struct urdf_bodies *bodies,
                               struct message *error) {
  const size_t n = document->n_links;
  bodies->link = calloc(n, sizeof(*bodies->link));
  bodies->inertia = calloc(n, sizeof(*bodies->inertia));
  bodies->of_link = calloc(n, sizeof(*bodies->of_link));
  bodies->in_body = calloc(n, sizeof(*bodies->in_body));
  if (bodies->link == NULL || bodies->inertia == NULL || bodies->of_link == NULL ||
      bodies->in_body == NULL) {
    message_set(error, "1:1: no memory for %zu bodies", n);
    return STATUS_NO_MEMORY;
  }
  for (size_t i = 0; i < n; i++) {
    bodies->of_link[i] = -1;
  }
  return STATUS_OK;
}

/* Every link joins its parent's body or, behind a moving joint, begins the next one. */
static void lump(const struct urdf_document *document, const struct urdf_tree *tree,
                 struct urdf_bodies *bodies) {
  for (size_t i = 0; i < tree->n_order; i++) {
    const size_t link = tree->order[i];
    if (i > 0 && is_fixed(document, tree, link)) {
      /* behind a fixed joint: the parent's body goes on */
      const size_t parent = (size_t)tree->parent[link];
      const struct pose *origin = &document->joint[tree->joint_above[link]].origin;
      bodies->of_link[link] = bodies->of_link[parent];
      bodies->in_body[link] = pose_mul(&bodies->in_body[parent], origin);
    } else {
      /* behind a moving one: the next body */
      bodies->of_link[link] = (long)bodies->n;
      bodies->in_body[link] = POSE_IDENTITY;
      bodies->link[bodies->n++] = link;
    }
    if (document->link[link].has_inertial) {
      /* what weighs adds up about the body's origin */
      struct inertia *sum = &bodies->inertia[bodies->of_link[link]];
      const struct inertia part =
          urdf_inertial_about(&document->link[link].inertial, &bodies->in_body[link]);
      *sum = inertia_add(sum, &part);
    }
  }
}

enum status urdf_bodies_lump(const struct urdf_document *document, const struct urdf_tree *tree,
                             struct urdf_bodies *bodies, struct message *error) {
  enum status status = check_moving(document, tree, error);
  if (status != STATUS_OK) {
    return status;
  }
  struct urdf_bodies result = {0};
  status = take_arrays(document, &result, error);
  if (status != STATUS_OK) {
    urdf_bodies_free(&result);
    return status;
  }
  lump(document, tree, &result);
  *bodies = result;
  return STATUS_OK;
}

void urdf_bodies_free(struct urdf_bodies *bodies) {
  free(bodies->link);
  free(bodies->inertia);
  free(bodies->of_link);
  free(bodies->in_body);
  *bodies = (struct urdf_bodies){0};
}
