/* A robot as the estimators see it: its rigid bodies, and where its sensors sit. Built at start,
 * const afterwards. */
#ifndef ROBOT_H
#define ROBOT_H

#include "model.h"

#include <stdint.h>

#define ROBOT_MAX_CELLS  16384
#define ROBOT_MAX_FEET   8
#define ROBOT_MAX_WRENCH 8
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
  bool fixed_base;
  size_t n_cells;
  struct skin_cell *cell;             /* [n_cells] in the order of the skin stream */
  struct cell_neighbours *neighbours; /* [n_cells] */
  size_t imu_link;
  struct pose imu_placement; /* pose of the IMU frame in its link's frame */
  size_t n_feet;
  struct model_frame
      foot[ROBOT_MAX_FEET]; /* sole frames: origin at the sole's centre, z out of the ground */
  size_t n_wrench;
  struct wrench_sensor wrench[ROBOT_MAX_WRENCH];
};

#endif
