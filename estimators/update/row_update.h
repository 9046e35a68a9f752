/* A measurement of few rows, each of which sees few states: encoders, IMU and feet between two
 * looks of the skin.
 *
 * Rows are linear about the state and whitened: nu = h (x_true - x) + noise of unit covariance. The
 * update is the textbook's in covariance form, Pyy = H P H^T + 1 and P - Pxy Pyy^-1 Pyx. Rows come
 * in groups (one sensor each); a group that contradicts can be weakened before it is taken.
 *
 *   row_update_begin(&u);
 *   row_update_row(&u, nu);  row_update_term(&u, state, h);  ...
 *   row_update_expect(&u, P);
 *   row_update_group_nis(&u, first, count) ... row_update_weaken(&u, first, count, weight)
 *   row_update_apply(&u, x, P);
 *
 * The last rows may wait: the estimate takes them, the covariance does not (encoder_rows.h). */
#ifndef ROW_UPDATE_H
#define ROW_UPDATE_H

#include "common/arena.h"
#include "common/status.h"
#include "process/joint_process.h"

#include <stdint.h>

struct row_update {
  const struct joint_layout *layout;
  size_t rows_max, terms_max;
  size_t rows;
  size_t taken;    /* rows before those that wait */
  size_t *terms;   /* [rows_max] how many states each row sees */
  uint16_t *state; /* [rows_max][terms_max] */
  double *h;       /* [rows_max][terms_max] whitened */
  double *nu;      /* [rows_max] whitened innovations */
  double *noise;   /* [rows_max] variance, 1 but for weakened rows */
  uint16_t *place; /* [layout size] where a state that rows see stands in `seen` */
  double *seen; /* [layout size + SYMMETRIC_ROWS_SPILL][layout stride] whole rows of P, of these */
  double *Pyx;  /* [rows_max][layout stride] of the rows that do not wait */
  double *Pyy;  /* [rows_max][stride of rows_max] likewise; upper triangle, noise included */
  double *gain; /* [rows_max] */
  double *dx;   /* [layout stride] what the last update corrected of x */
  double nis;   /* of the last update: nu^T Pyy^-1 nu, chi-square of `taken` degrees */
};

/* [start] STATUS_NO_MEMORY. */
enum status row_update_init(struct row_update *update, const struct joint_layout *layout,
                            size_t rows_max, struct arena *arena);

/* Forgets the rows of before. [real-time] */
void row_update_begin(struct row_update *update);

/* A new row, and one state that it sees. [real-time] Beyond rows_max nothing is added. */
void row_update_row(struct row_update *update, double nu);
void row_update_term(struct row_update *update, size_t state, double h);

/* Rows from here on wait. [real-time] */
void row_update_wait(struct row_update *update);

/* Pyx and Pyy of the rows that do not wait under the prior P [size][stride], its upper triangle.
 * [real-time] */
void row_update_expect(struct row_update *update, const double *P);

/* nu^T Pyy^-1 nu of `count` <= ROW_GROUP_MAX rows alone, chi-square of `count`. [real-time] After
 * row_update_expect. HUGE_VAL where their Pyy is not positive definite. */
enum { ROW_GROUP_MAX = 8 };
double row_update_group_nis(const struct row_update *update, size_t first, size_t count);

/* Gives the noise of these rows a variance of 1/weight, weight in (0, 1]. [real-time] */
void row_update_weaken(struct row_update *update, size_t first, size_t count, double weight);

/* Takes the rows but those that wait: x [size] and P [size][stride], its upper triangle, become the
 * posterior. [real-time] STATUS_SINGULAR: nothing changes. */
enum status row_update_apply(struct row_update *update, double *x, double *P);

/* Takes those that wait into the estimate alone: x [size] becomes the posterior's of all rows.
 * [real-time] After row_update_apply, P as that has left it. STATUS_SINGULAR: nothing changes. */
enum status row_update_apply_waiting(struct row_update *update, double *x, const double *P);

#endif
