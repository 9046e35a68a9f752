/* Skin cells from a table: CSV text with the header `cell,link,x,y,z,qx,qy,qz,qw` (columns in any
 * order), one cell a line, in the order of the skin stream.
 *
 * `cell` is a unique name, `link` any link or frame of the URDF, x y z the cell's position in that
 * frame in m, qx qy qz qw its orientation (z is the outward normal), a quaternion that need be unit
 * only to CELL_QUATERNION_SLACK and is normalised. Empty lines and lines that begin with # are
 * passed over. No quotes; either line ending; a byte order mark is allowed. */
#ifndef CELL_TABLE_H
#define CELL_TABLE_H

#include "common/arena.h"
#include "common/message.h"
#include "common/status.h"
#include "robot/robot.h"

#include <stddef.h>

#define CELL_TABLE_MAX_BYTES  ((size_t)8 << 20)
#define CELL_MAX_DISTANCE     10.0 /* m from the frame it is given in */
#define CELL_QUATERNION_SLACK 0.01 /* of the norm: two printed decimals */

/* Takes `*cells` [*n_cells] from `arena` and fills them. [start] [worker] Allocates while it works.
 * Over a counting arena only the lines are counted; `model` may then lack its arrays. Outputs are
 * written only with STATUS_OK; otherwise `error` holds `line: column name: value, limit` and the
 * status is
 *   STATUS_BAD_ARGUMENT  header, columns, a number, a name, an unknown link
 *   STATUS_NOT_FINITE    NaN or Inf
 *   STATUS_OUT_OF_RANGE  a limit above, ROBOT_MAX_CELLS, a quaternion that is not unit
 *   STATUS_TOO_FEW       no cell at all
 *   STATUS_NO_MEMORY */
enum status cell_table_read(const char *text, size_t length, const struct model *model,
                            struct arena *arena, struct skin_cell **cells, size_t *n_cells,
                            struct message *error);

/* The same from the model's accelerometers: every one of them is a cell. STATUS_TOO_FEW: none;
 * STATUS_OUT_OF_RANGE: more than ROBOT_MAX_CELLS. */
enum status cell_table_from_model(const struct model *model, struct arena *arena,
                                  struct skin_cell **cells, size_t *n_cells, struct message *error);

#endif
