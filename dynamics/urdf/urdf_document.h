/* A URDF as it is written: links, joints and sensors in the order of the file, each value checked
 * on its own, names not yet resolved. */
#ifndef URDF_DOCUMENT_H
#define URDF_DOCUMENT_H

#include "common/message.h"
#include "common/status.h"
#include "model/model.h"
#include "urdf/urdf_choices.h"
#include "urdf/urdf_xml.h"

#include <stdbool.h>
#include <stddef.h>

#define URDF_MAX_LINKS   4096 /* moving or fixed; real humanoids have up to about 250 */
#define URDF_MAX_SENSORS 16384

#define URDF_MAX_DISTANCE 100.0 /* m, of any origin from the next */
#define URDF_MAX_ANGLE    12.6  /* rad, two turns: more are degrees by mistake */
#define URDF_MAX_MASS     1e5   /* kg, one link */
#define URDF_MAX_INERTIA  1e7   /* kg m^2, one link */
#define URDF_MAX_FACTOR   1e6   /* multipliers, gear ratios, limits, damping */

/* <inertial>: moments about the centre of mass, in the axes of `placement`. */
struct urdf_inertial {
  struct pose placement; /* of the inertial frame in the link frame; its origin is the centre */
  double m;              /* kg, >= 0 */
  double Ixx, Ixy, Ixz, Iyy, Iyz, Izz; /* kg m^2 */
};

struct urdf_link {
  char name[MODEL_NAME_SIZE];
  struct xml_place place; /* of the opening tag, like every place below */
  bool has_inertial, has_origin;
  struct xml_place inertial_place, origin_place, mass_place, inertia_place;
  struct urdf_inertial inertial;
  size_t n_collisions;
  double sphere_radius;      /* m: of the last collision, 0 where it is no sphere */
  struct pose sphere_origin; /* of the last collision in the link frame */
};

enum urdf_joint_type {
  URDF_REVOLUTE,
  URDF_CONTINUOUS,
  URDF_PRISMATIC,
  URDF_FIXED,
  URDF_FLOATING,
  URDF_PLANAR
};

/* It has one coordinate. */
static inline bool urdf_joint_moves(enum urdf_joint_type type) {
  return type == URDF_REVOLUTE || type == URDF_CONTINUOUS || type == URDF_PRISMATIC;
}

struct urdf_joint {
  char name[MODEL_NAME_SIZE];
  struct xml_place place;
  enum urdf_joint_type type;
  char parent[MODEL_NAME_SIZE], child[MODEL_NAME_SIZE]; /* links' names */
  struct pose origin; /* pose of the child link frame in the parent link frame at q = 0 */
  vec3 axis;          /* unit vector, joint frame */
  bool has_limit;
  double lower, upper, velocity, effort; /* as written, 0 where nothing is */
  double damping, friction;              /* >= 0 */
  bool has_dynamics, has_rotor;
  struct xml_place dynamics_place, rotor_place;
  double rotor_inertia; /* kg m^2 or kg, at the joint */
  bool has_mimic;
  char mimic[MODEL_NAME_SIZE]; /* joint's name */
  struct xml_place mimic_place;
  double multiplier, offset;
  double held_at; /* rad or m: what a joint that was made fixed is held at */
};

/* Its coordinate is another's. */
static inline bool urdf_joint_follows(const struct urdf_joint *joint) {
  return joint->has_mimic && urdf_joint_moves(joint->type);
}

struct urdf_sensor {
  char name[MODEL_NAME_SIZE];
  struct xml_place place;
  bool is_accelerometer;
  char parent[MODEL_NAME_SIZE]; /* link's name; "" for a sensor within a joint, which has no pose */
  struct pose origin;           /* pose of the sensor frame in the parent link frame */
};

struct urdf_document {
  char name[MODEL_NAME_SIZE];
  size_t n_links, n_joints, n_sensors;
  struct urdf_link *link;     /* [n_links] */
  struct urdf_joint *joint;   /* [n_joints] */
  struct urdf_sensor *sensor; /* [n_sensors] */
};

/* Reads `text`; [start] [worker]. Only with STATUS_OK is there something to free. Of an element
 * that stands there once too often the first counts, as for other readers; `notes` (may be NULL)
 * tells. Statuses and messages as urdf_read; `error` is not NULL. */
enum status urdf_document_read(const char *text, size_t length, struct urdf_document *document,
                               struct urdf_notes *notes, struct message *error);
void urdf_document_free(struct urdf_document *document);

#endif
