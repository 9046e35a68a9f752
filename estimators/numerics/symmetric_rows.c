#include "numerics/symmetric_rows.h"

#include "numerics/matrix_piece.h"

ISA_KERNEL(symmetric_rows)

void ISA(symmetric_rows)(const double *P, size_t stride, size_t first, size_t count, double *rows) {
  if (count == 0) {
    return;
  }
  /* columns down to the diagonal, turned; few are turned as a whole piece */
  piece_turn_all(rows, stride, P + first, stride, first, count < PIECE ? PIECE : count);
  for (size_t k = 0; k < count; k++) {
    for (size_t i = first; i < first + k; i++) {
      rows[k * stride + i] = P[i * stride + first + k];
    }
  }
  /* rows from there on */
  for (size_t k = 0; k < count; k++) {
    const size_t at = first + k;
    piece_copy(rows + k * stride + at, 0, P + at * (stride + 1), 0, 1, stride - at);
  }
}
