/* An axis: from values to places on the page, and where its ticks go. */
#ifndef PLOT_AXIS_H
#define PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#define AXIS_MAX_TICKS 16

struct plot_axis {
  double low, high;   /* value at either end */
  double start, stop; /* place of either end on the page, in pixels */
  bool log;
};

/* The axis over [low, high], widened to round values (to decades when `log`, low > 0); an empty
 * range is given some room. `ticks` is about how many there should be. */
struct plot_axis axis_over(double low, double high, int ticks, bool log);

/* Place of a value, in pixels. */
double axis_place(const struct plot_axis *axis, double value);

/* Fills `tick` with the round values on the axis and returns how many; `*decimals` is how many
 * digits behind the point they need (logarithmic axes: unused). */
size_t axis_ticks(const struct plot_axis *axis, int wanted, double tick[AXIS_MAX_TICKS],
                  int *decimals);

/* A tick's label, such as 0.25, 1e-3 or 1200. */
void axis_label(const struct plot_axis *axis, double value, int decimals, char *out, size_t size);

#endif
