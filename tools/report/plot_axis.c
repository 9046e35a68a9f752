#include "plot_axis.h"

#include <math.h>
#include <stdio.h>

/* Rounding noise allowed when a tick is compared with the end of its axis, in steps. */
static const double TICK_SLACK = 1e-6;

/* The step among 1, 2, 5 times a power of ten that gives about `wanted` intervals. */
static double round_step(double span, int wanted) {
  const double raw = span / wanted, magnitude = pow(10.0, floor(log10(raw)));
  const double fraction = raw / magnitude;
  const double nice = fraction < 1.5 ? 1.0 : fraction < 3.5 ? 2.0 : fraction < 7.5 ? 5.0 : 10.0;
  return nice * magnitude;
}

struct plot_axis axis_over(double low, double high, int ticks, bool log) {
  struct plot_axis axis = {.log = log};
  if (log) {
    axis.low = pow(10.0, floor(log10(low) + TICK_SLACK));
    axis.high = pow(10.0, ceil(log10(high) - TICK_SLACK));
    if (axis.high <= axis.low) {
      axis.high = 10.0 * axis.low;
    }
    return axis;
  }
  if (!(high - low > 1e-12 * (fabs(low) + fabs(high)))) {
    const double room = low == 0.0 ? 1.0 : 0.5 * fabs(low);
    low -= room;
    high += room;
  }
  const double step = round_step(high - low, ticks);
  axis.low = step * floor(low / step + TICK_SLACK);
  axis.high = step * ceil(high / step - TICK_SLACK);
  return axis;
}

double axis_place(const struct plot_axis *axis, double value) {
  const double share = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                                 : (value - axis->low) / (axis->high - axis->low);
  return axis->start + share * (axis->stop - axis->start);
}

static size_t decade_ticks(const struct plot_axis *axis, double tick[AXIS_MAX_TICKS]) {
  const double first = floor(log10(axis->low) + TICK_SLACK);
  const double last = ceil(log10(axis->high) - TICK_SLACK);
  const double every = ceil((last - first + 1.0) / AXIS_MAX_TICKS);
  size_t n = 0;
  for (double exponent = first; exponent <= last && n < AXIS_MAX_TICKS; exponent += every) {
    tick[n++] = pow(10.0, exponent);
  }
  return n;
}

size_t axis_ticks(const struct plot_axis *axis, int wanted, double tick[AXIS_MAX_TICKS],
                  int *decimals) {
  *decimals = 0;
  if (axis->log) {
    return decade_ticks(axis, tick);
  }
  const double step = round_step(axis->high - axis->low, wanted);
  *decimals = (int)fmax(0.0, ceil(-log10(step) - TICK_SLACK));
  size_t n = 0;
  const double first = ceil(axis->low / step - TICK_SLACK);
  for (double k = first; k * step <= axis->high + TICK_SLACK * step && n < AXIS_MAX_TICKS; k++) {
    tick[n++] = k * step;
  }
  return n;
}

void axis_label(const struct plot_axis *axis, double value, int decimals, char *out, size_t size) {
  const double magnitude = fmax(fabs(axis->low), fabs(axis->high));
  if (axis->log ? (value < 1e-2 || value > 1e4) : (magnitude >= 1e5 || decimals > 4)) {
    snprintf(out, size, axis->log ? "%.0e" : "%.1e", value);
  } else if (axis->log) {
    snprintf(out, size, "%g", value);
  } else {
    snprintf(out, size, "%.*f", decimals, value == 0.0 ? 0.0 : value);
  }
}
