#include "urdf/urdf_lock.h"

#include "model/name_suggestion.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pattern and where its joints are held. */
struct lock {
  char pattern[URDF_LOCKED_SIZE];
  double position; /* rad or m */
};

/* What has no coordinate to be held at stays where it is, and is named in full. */
static bool is_meant(const struct lock *lock, const struct urdf_joint *joint) {
  const bool named = strcmp(lock->pattern, joint->name) == 0;
  return urdf_joint_moves(joint->type) ? named || fnmatch(lock->pattern, joint->name, 0) == 0
         : joint->type != URDF_FIXED   ? named && lock->position == 0.0
                                       : false;
}

static bool is_borne(const struct lock *lock, const struct urdf_document *document) {
  for (size_t j = 0; j < document->n_joints; j++) {
    if (is_meant(lock, &document->joint[j])) {
      return true;
    }
  }
  return false;
}

/* A name may have a '=' of its own: the last one begins a position unless a joint bears it all. */
static enum status read_lock(const char *text, const struct urdf_document *document,
                             struct lock *lock, struct message *error) {
  char *end = NULL;
  memcpy(lock->pattern, text, URDF_LOCKED_SIZE);
  lock->pattern[URDF_LOCKED_SIZE - 1] = '\0';
  lock->position = 0.0;
  char *equals = strrchr(lock->pattern, '=');
  if (equals == NULL || is_borne(lock, document)) {
    return STATUS_OK;
  }
  *equals = '\0';
  lock->position = strtod(equals + 1, &end);
  if (end == equals + 1 || *end != '\0' || !isfinite(lock->position)) {
    message_set(error, "1:1: locked '%.90s': '%.40s' is not a position", text, equals + 1);
    return STATUS_BAD_ARGUMENT;
  }
  return STATUS_OK;
}

/* The child's frame where the joint stands at `q`. */
static void hold(struct urdf_joint *joint, double q) {
  struct pose moved = POSE_IDENTITY;
  if (joint->type == URDF_PRISMATIC) {
    moved.p = vec3_scale(q, joint->axis);
  } else if (urdf_joint_moves(joint->type)) {
    moved.R = mat3_from_axis_angle(joint->axis, q);
  }
  joint->origin = pose_mul(&joint->origin, &moved);
  joint->type = URDF_FIXED;
  joint->held_at = q;
}

static enum status lock_matching(struct urdf_document *document, const struct lock *lock,
                                 struct urdf_notes *notes, struct message *error) {
  size_t held = 0;
  for (size_t j = 0; j < document->n_joints; j++) {
    struct urdf_joint *joint = &document->joint[j];
    if (is_meant(lock, joint)) {
      hold(joint, lock->position);
      urdf_note(notes, &joint->place, "joint '%s': held fast at %g, without a place in the stream",
                joint->name, lock->position);
      held++;
    }
  }
  if (held == 0) {
    char meant[NAME_SUGGESTION_SIZE];
    suggest_of(lock->pattern, document->joint->name, document->n_joints, sizeof(*document->joint),
               meant);
    message_set(error, "1:1: locked '%.90s': no moving joint has this name%s", lock->pattern,
                meant);
    return STATUS_BAD_ARGUMENT;
  }
  return STATUS_OK;
}

/* Children come after their parents in the tree's order: from its end, mass is handed up. */
static void lock_massless(struct urdf_document *document, const struct urdf_tree *tree,
                          bool *has_mass, struct urdf_notes *notes) {
  for (size_t i = tree->n_order; i-- > 1;) {
    const size_t link = tree->order[i];
    struct urdf_joint *joint = &document->joint[tree->joint_above[link]];
    has_mass[link] = has_mass[link] || document->link[link].inertial.m > 0.0;
    if (has_mass[link]) {
      has_mass[tree->parent[link]] = true;
    } else if (urdf_joint_moves(joint->type)) {
      hold(joint, 0.0);
      urdf_note(notes, &joint->place,
                "joint '%s': moves nothing that has mass: held fast, without a place in the stream",
                joint->name);
    }
  }
}

enum status urdf_lock_named(struct urdf_document *document, const struct urdf_choices *choices,
                            struct urdf_notes *notes, struct message *error) {
  for (size_t i = 0; i < choices->n_locked; i++) {
    struct lock lock;
    enum status status = read_lock(choices->locked[i], document, &lock, error);
    if (status == STATUS_OK) {
      status = lock_matching(document, &lock, notes, error);
    }
    if (status != STATUS_OK) {
      return status;
    }
  }
  return STATUS_OK;
}

void urdf_lock_followers(struct urdf_document *document, const struct urdf_tree *tree,
                         struct urdf_notes *notes) {
  for (size_t j = 0; j < document->n_joints; j++) {
    struct urdf_joint *joint = &document->joint[j];
    struct urdf_mimic mimic;
    struct message later; /* whoever reads on refuses what cannot be followed */
    if (!urdf_joint_follows(joint) ||
        urdf_mimic_resolve(document, tree, j, &mimic, &later) != STATUS_OK) {
      continue;
    }
    const struct urdf_joint *leader = &document->joint[mimic.leader];
    if (mimic.ratio == 0.0 || !urdf_joint_moves(leader->type)) {
      hold(joint, mimic.ratio * leader->held_at + mimic.offset);
      urdf_note(notes, &joint->mimic_place,
                "joint '%s': follows '%s', %s: held fast at %g, without a place in the stream",
                joint->name, joint->mimic, mimic.ratio == 0.0 ? "0 times" : "which does not move",
                joint->held_at);
    }
  }
}

enum status urdf_lock_loose(const char *text, size_t length, struct urdf_choices *choices,
                            struct message *error) {
  struct urdf_document document;
  enum status status = urdf_document_read(text, length, &document, NULL, error);
  if (status != STATUS_OK) {
    return status;
  }
  for (size_t j = 0; j < document.n_joints && choices->n_locked < URDF_MAX_LOCKED; j++) {
    if (urdf_joint_is_loose(&document, &document.joint[j])) {
      memcpy(choices->locked[choices->n_locked++], document.joint[j].name, MODEL_NAME_SIZE);
    }
  }
  urdf_document_free(&document);
  return STATUS_OK;
}

enum status urdf_lock_massless(struct urdf_document *document, const struct urdf_tree *tree,
                               struct urdf_notes *notes, struct message *error) {
  bool *has_mass = calloc(document->n_links, sizeof(*has_mass));
  if (has_mass == NULL) {
    message_set(error, "1:1: no memory for %zu links", document->n_links);
    return STATUS_NO_MEMORY;
  }
  lock_massless(document, tree, has_mass, notes);
  free(has_mass);
  return STATUS_OK;
}
