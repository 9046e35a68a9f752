/* The robot described in files: which ones, and reading them. */
#ifndef ROBOT_FILES_H
#define ROBOT_FILES_H

#include "common/message.h"
#include "common/status.h"
#include "robot/placed_frame.h"
#include "robot/robot.h"
#include "urdf/urdf_reader.h"

#define ROBOT_PATH_SIZE 256 /* bytes of a path in the configuration with its final zero */

/* Files and frames that make up the robot. Paths are relative to the configuration file's
 * folder. */
struct robot_settings {
  char urdf[ROBOT_PATH_SIZE];
  char cells[ROBOT_PATH_SIZE]; /* a CSV file, or "urdf" for the URDF's accelerometers, or "" */
  char calibration[ROBOT_PATH_SIZE]; /* a CSV file of cell_calibration.h, or "" */
  double cell_mass, cell_radius,
      cell_height;             /* kg, m, m: of every cell, 0 kg when the URDF has it */
  char imu[PLACED_FRAME_SIZE]; /* frame of the first IMU; "": the base link's frame */
  size_t n_joints;
  char joint[MODEL_MAX_JOINTS][JOINT_STREAM_SIZE]; /* places of the joints stream */
  size_t n_limbs;
  char limb[ROBOT_MAX_LIMBS][PLACED_FRAME_SIZE]; /* frames of the IMUs beside it */
  size_t n_feet;
  char foot[ROBOT_MAX_FEET][PLACED_FRAME_SIZE]; /* sole frames */
  size_t n_wrench;
  char wrench[ROBOT_MAX_WRENCH][PLACED_FRAME_SIZE]; /* frames of force/torque sensors */
  size_t n_switches;
  char contact_switch[ROBOT_MAX_WRENCH][PLACED_FRAME_SIZE]; /* feet that have one */
  bool fixed_base;
  struct urdf_choices choices; /* of what is locked and repaired */
};

/* Reads the files and builds the robot. [start] [worker] `folder` is what relative
 * paths start from; NULL or "" for the working directory.
 * `*robot` (robot_destroy frees it) is written only with STATUS_OK; otherwise `error` says
 * `file:line:column: what, value, limit`. A file beyond its size limit is not read at all. */
enum status robot_load(const struct robot_settings *settings, const char *folder,
                       struct robot **robot, struct message *error);

/* The files that a robot was made of, as they were read: blocks from malloc, or NULL. */
struct robot_texts {
  char *urdf, *cells, *calibration;
  size_t urdf_length, cells_length, calibration_length; /* bytes */
};

/* The same as robot_load; keeps what was read in `*texts`, which robot_texts_free frees, and tells
 * `faults`, or NULL, all names that the robot does not have. [start] [worker] `*texts` is written
 * only with STATUS_OK. */
enum status robot_load_with_texts(const struct robot_settings *settings, const char *folder,
                                  struct robot **robot, struct robot_texts *texts,
                                  struct robot_faults *faults, struct message *error);
void robot_texts_free(struct robot_texts *texts);

/* Names in settings->choices the joints that robot_load reads only where they are locked.
 * [start] A URDF that cannot be read has none; robot_load says why. */
void robot_lock_loose(struct robot_settings *settings, const char *folder);

/* Every link that robot_load refuses with STATUS_NOT_CONSISTENT, where it names the first.
 * [start] [worker] At most `capacity` are written, each complaint beginning with the file's name;
 * the number of all of them is returned, 0 when the file cannot be read. */
size_t robot_inconsistent_links(const struct robot_settings *settings, const char *folder,
                                struct urdf_finding *findings, size_t capacity);

#endif
