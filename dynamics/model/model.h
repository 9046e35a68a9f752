/* A robot as a tree of rigid bodies, fixed joints already lumped.
 *
 * Link 0 is the base. Joint j moves link j + 1, so there are as many joints as links beside the
 * base, and a link's parent always has a smaller index: a loop upwards from 0 meets parents before
 * children, one downwards children before parents. Every link and fixed joint that was lumped away
 * keeps its name as a frame. A model is built at start (urdf_reader.h) and const afterwards. */
#ifndef MODEL_H
#define MODEL_H

#include "common/status.h"
#include "math/spatial.h"

#include <stddef.h>

/* moving joints; a humanoid with two five-fingered hands has about 60 */
#define MODEL_MAX_JOINTS 128
#define MODEL_NAME_SIZE  64 /* bytes of a name with its final zero */
#define MODEL_NO_JOINT   (-1)

/* The ten inertial parameters of a body about its link frame origin, in link coordinates. Linear in
 * the distribution of mass, hence additive. Flattened in this order: m, hx, hy, hz, Ixx, Ixy, Ixz,
 * Iyy, Iyz, Izz. */
struct inertia {
  double m;                            /* kg */
  vec3 h;                              /* kg m: first moment, m times the centre of mass */
  double Ixx, Ixy, Ixz, Iyy, Iyz, Izz; /* kg m^2, about the origin of the link frame */
};

enum joint_type { JOINT_REVOLUTE, JOINT_CONTINUOUS, JOINT_PRISMATIC };

struct joint {
  char name[MODEL_NAME_SIZE];
  enum joint_type type;
  struct pose placement;  /* pose of the child link frame in the parent link frame at q = 0 */
  vec3 axis;              /* unit vector, child link coordinates (equal in the joint frame) */
  double q_min, q_max;    /* rad or m; -HUGE_VAL, HUGE_VAL where the URDF gives none */
  double dq_max, tau_max; /* rad/s or m/s, N m or N; HUGE_VAL where the URDF gives none */
  double rotor_inertia; /* kg m^2 or kg at the joint side (gear ratio squared included); URDF <rotor
                           inertia> or settings */
  double viscous;       /* N m s/rad: <dynamics damping> */
  double coulomb;       /* N m: <dynamics friction> */
  int mimics;           /* index of the joint that this one follows, or MODEL_NO_JOINT */
  double mimic_ratio, mimic_offset; /* q = ratio * q[mimics] + offset */
};

/* A named place on a link: a lumped URDF link, a fixed joint, a foot, an IMU. */
struct model_frame {
  char name[MODEL_NAME_SIZE];
  size_t link;
  struct pose placement; /* pose of the frame in its link's frame */
  double ball_radius;    /* m: of the sphere that is all by which its body touches; 0: none */
  vec3 ball_centre;      /* m: of that sphere, the frame's coordinates */
};

struct model {
  char name[MODEL_NAME_SIZE];
  size_t n_joints;
  size_t n_links;                     /* n_joints + 1 */
  char (*link_name)[MODEL_NAME_SIZE]; /* [n_links] */
  int *parent;                        /* [n_links] parent link; -1 for the base */
  struct joint *joint;                /* [n_joints] joint[j] moves link j + 1 */
  struct inertia *inertia; /* [n_links] lumped, about each link's origin, link coordinates */
  size_t n_frames;
  struct model_frame *
      frame; /* [n_frames] every URDF link name, then every fixed joint name, then sensors' names */
  size_t n_accelerometers;
  struct model_frame
      *accelerometer; /* [n_accelerometers] URDF <sensor type="accelerometer">, in file order */
};

/* Index of the named thing, or -1. Linear search. [start] */
int model_find_link(const struct model *model, const char *name);
int model_find_joint(const struct model *model, const char *name);
int model_find_frame(const struct model *model, const char *name);

/* True when `link` is `root` or beyond it: joint root - 1 carries it. [any] */
bool model_is_beyond(const struct model *model, size_t link, size_t root);

/* Total mass, kg. [any] */
double model_mass(const struct model *model);

#endif
