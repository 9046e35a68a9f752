#include "inertial/change_detector.h"

#include "numerics/chi_square.h"

#include <math.h>

enum status change_detector_init(struct change_detector *detector, size_t window, double clip,
                                 double quantile) {
  if (window == 0 || window > CHANGE_DETECTOR_MAX_WINDOW) {
    return STATUS_BAD_ARGUMENT;
  }
  /* clipped samples must be able to reach the bound at all */
  for (size_t rows = 1; rows <= INERTIAL_MAX_ROWS; rows++) {
    const double reach = (double)(window * rows) * clip * clip;
    if (!(reach > chi_square_bound(rows, quantile))) {
      return STATUS_OUT_OF_RANGE;
    }
  }
  *detector = (struct change_detector){.window = window, .clip = clip, .quantile = quantile};
  return STATUS_OK;
}

void change_detector_reset(struct change_detector *detector) {
  detector->filled = 0;
  detector->next = 0;
}

static void take(struct change_detector *detector, const double *white, size_t rows) {
  /* innovations of other rows cannot be summed with these */
  if (rows != detector->rows) {
    change_detector_reset(detector);
    detector->rows = rows;
  }
  /* clipped, so that one outlier alone is no change */
  for (size_t i = 0; i < rows; i++) {
    detector->sample[detector->next][i] = fmax(-detector->clip, fmin(detector->clip, white[i]));
  }
  /* into the ring */
  detector->next = (detector->next + 1) % detector->window;
  detector->filled += detector->filled < detector->window;
}

bool change_detector_step(struct change_detector *detector, const double *white, size_t rows,
                          double *statistic) {
  take(detector, white, rows);
  /* squared sums over the window: what points the same way adds up, noise does not */
  double squared = 0.0;
  for (size_t i = 0; i < rows; i++) {
    double sum = 0.0;
    for (size_t k = 0; k < detector->filled; k++) {
      sum += detector->sample[k][i];
    }
    squared += sum * sum / (double)detector->window;
  }
  /* against the bound; a window not yet full decides nothing */
  const double share = squared / chi_square_bound(rows, detector->quantile);
  if (statistic != NULL) {
    *statistic = share;
  }
  if (share <= 1.0 || detector->filled < detector->window) {
    return false;
  }
  change_detector_reset(detector);
  return true;
}
