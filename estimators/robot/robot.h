/* A robot as the estimators see it: its rigid bodies, and where its sensors sit. Built at start,
 * const afterwards. */
#ifndef ROBOT_H
#define ROBOT_H

#include "common/message.h"
#include "common/status.h"
#include "inertia/skin_mass.h"
#include "model/model.h"
#include "robot/accelerometer_calibration.h"
#include "robot/joint_stream.h"
#include "urdf/urdf_choices.h"

#include <stdbool.h>
#include <stdint.h>

#define ROBOT_MAX_CELLS  16384
#define ROBOT_MAX_FEET   8
#define ROBOT_MAX_SOLES  2 /* a robot with more feet stands on points: they turn freely */
#define ROBOT_MAX_WRENCH 8 /* with contact switches */
#define ROBOT_MAX_LIMBS  8 /* IMUs beside the first */
#define CELL_NEIGHBOURS  8 /* most mesh neighbours kept per cell; hexagonal cells have six */

/* One artificial-skin cell with its accelerometer. */
struct skin_cell {
  char name[MODEL_NAME_SIZE];
  size_t link;           /* index into model.link */
  struct pose placement; /* pose of the cell frame in its link's frame; z is the outward normal */
};

/* The cells' mesh: which cells touch which, derived from positions on the same link. */
struct cell_neighbours {
  uint8_t count;
  uint16_t cell[CELL_NEIGHBOURS];
};

struct wrench_sensor {
  char name[MODEL_NAME_SIZE];
  size_t link;           /* the link on which the measured force acts, distal side */
  struct pose placement; /* pose of the sensor frame in its link's frame */
};

struct robot {
  struct model model;
  uint64_t model_hash; /* of bodies, joints and their parameters: learned values belong to it */
  struct joint_stream joints; /* how their driver has them */
  bool fixed_base;
  bool inertia_unknown; /* the model's is a stand-in: nothing that needs it is estimated */
  size_t n_cells;
  struct skin_cell *cell;             /* [n_cells] in the order of the skin stream */
  struct cell_neighbours *neighbours; /* [n_cells] */
  struct accelerometer_calibration
      *calibration; /* [n_cells], or NULL: readings are taken as they are */
  size_t imu_link;
  struct pose imu_placement; /* pose of the IMU frame in its link's frame */
  size_t n_limbs;
  struct model_frame limb[ROBOT_MAX_LIMBS]; /* frames of the other IMUs, in the stream's order */
  size_t n_feet;
  struct model_frame
      foot[ROBOT_MAX_FEET]; /* sole frames: origin at the sole's centre, z out of the ground; of a
                               ball at its centre, `ball_radius` above the ground */
  size_t n_wrench;
  struct wrench_sensor wrench[ROBOT_MAX_WRENCH];
  size_t n_switches;                    /* contact switches, behind the sensors in their stream */
  size_t switch_foot[ROBOT_MAX_WRENCH]; /* [n_switches] index into foot */
  struct urdf_notes notes; /* what was read in spite of a fault, beginning with the file's name */
};

enum robot_cells {
  ROBOT_CELLS_NONE,
  ROBOT_CELLS_TABLE, /* CSV, cell_table.h */
  ROBOT_CELLS_URDF   /* every <sensor type="accelerometer"> of the URDF is a cell */
};

#define ROBOT_MAX_FAULTS 16

/* What is wrong with the names of frames and joints: all are counted, the first are kept. */
struct robot_faults {
  size_t n;
  struct message fault[ROBOT_MAX_FAULTS];
};

/* What a robot is made of: texts and names. All pointers are borrowed for the call. */
struct robot_source {
  const char *urdf_name; /* shown before line and column in messages, usually the file's name */
  const char *urdf;
  size_t urdf_length; /* bytes */
  struct urdf_choices choices;
  enum robot_cells cells;
  const char *table_name; /* as urdf_name; only with ROBOT_CELLS_TABLE */
  const char *table;
  size_t table_length; /* bytes */
  struct skin_cell_body
      cell_body; /* every cell's own mass, added to its link; mass 0: the URDF has it */
  const char *calibration_name; /* as urdf_name */
  const char *calibration;      /* CSV of cell_calibration.h, or NULL for none */
  size_t calibration_length;    /* bytes */
  const char *imu;              /* a frame, placed_frame.h; NULL or "": the base link's frame */
  size_t n_joints;
  const char *joint[MODEL_MAX_JOINTS]; /* places of the stream, joint_stream.h; none: the URDF's */
  size_t n_limbs;
  const char *limb[ROBOT_MAX_LIMBS]; /* frames: of the IMUs beside the first */
  size_t n_feet;
  const char *foot[ROBOT_MAX_FEET]; /* frames */
  size_t n_wrench;
  const char *wrench[ROBOT_MAX_WRENCH]; /* frames */
  size_t n_switches;
  const char *contact_switch[ROBOT_MAX_WRENCH]; /* feet, by their frames' names */
  bool fixed_base;
  struct robot_faults *faults; /* gets every name that is wrong; NULL: only the first is told */
};

/* Builds a robot in one block of memory. [start] [worker] `*robot` is written only with STATUS_OK;
 * otherwise `error` says `name:line:column: what, value, limit`. Statuses of urdf_read and
 * cell_table_read; STATUS_BAD_ARGUMENT also for a frame that the URDF does not have, and
 * STATUS_NOT_CONSISTENT for a floating base without mass. */
enum status robot_create(const struct robot_source *source, struct robot **robot,
                         struct message *error);
void robot_destroy(struct robot *robot); /* NULL is allowed */

#endif
