/* The calibration of every skin cell: a table beside the robot's description, and its use on each
 * reading.
 *
 * CSV with the header `cell,m11,m12,m13,m21,m22,m23,m31,m32,m33,bx,by,bz`: a_cal = M (a_raw - b), M
 * without unit, b in m/s^2. Cells that the table does not name are taken as they are. */
#ifndef CELL_CALIBRATION_H
#define CELL_CALIBRATION_H

#include "common/arena.h"
#include "common/message.h"
#include "common/status.h"
#include "robot/accelerometer_calibration.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"

#define CELL_CALIBRATION_MAX_BYTES ((size_t)8 << 20)
#define CELL_CALIBRATION_MAX_M     10.0  /* a reading in counts is not SI: convert in the driver */
#define CELL_CALIBRATION_MAX_B     100.0 /* m/s^2 */

/* Reads a table for the cells `cell` [n_cells]. [start] [worker] Takes `*calibration` [n_cells]
 * from `arena`. Statuses and messages as cell_table_read; also STATUS_BAD_ARGUMENT for a cell that
 * the robot does not have, or names twice, and STATUS_SINGULAR for an M that has no inverse. */
enum status cell_calibration_read(const char *text, size_t length, const struct skin_cell *cell,
                                  size_t n_cells, struct arena *arena,
                                  struct accelerometer_calibration **calibration,
                                  struct message *error);

/* One line of such a table, with its newline, into `line` of `size` bytes. [any] Returns the length
 * as snprintf does. */
int cell_calibration_print(const char *cell, const struct accelerometer_calibration *calibration,
                           char *line, size_t size);

/* The table's header line, with its newline. */
extern const char cell_calibration_header[];

/* Calibrates the valid readings of a skin sample. [real-time] raw, calibrated: [n_cells][3] m/s^2,
 * cell frames; not the same array. */
void cell_calibration_apply(const struct accelerometer_calibration *calibration, size_t n_cells,
                            const float *raw, float *calibrated);

#endif
