#include "inertial/change_detector.h"

#include "numerics/chi_square.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

/* What is usual is a mean over this, s; an alarm is this many times as much. */
static const double USUAL_TIME = 5.0, UNUSUAL = 5.0;
/* s: an alarm so soon after another says that no change explained the first. */
static const double SOON = 1.5;
/* Bounds beyond which a single sample is no noise. */
static const double FAR_BEYOND = 2.0;

/* The search begins anew. */
static void begin(struct change_detector *detector) {
  detector->since = 0;
  detector->beyond = detector->bodies = 0;
  detector->startled = false;
}

enum status change_detector_init(struct change_detector *detector,
                                 const struct change_settings *settings) {
  *detector = (struct change_detector){.settings = *settings};
  change_detector_reset(detector);
  if (settings->window < 0 || settings->window > CHANGE_LONGEST) {
    return STATUS_BAD_ARGUMENT;
  }
  /* clipped samples must be able to reach the bound at all */
  for (size_t rows = 1; settings->window > 0 && rows <= INERTIAL_MAX_ROWS; rows++) {
    const double reach = (double)settings->window * (double)rows * settings->clip * settings->clip;
    if (!(reach > chi_square_bound(rows, settings->quantile))) {
      return STATUS_OUT_OF_RANGE;
    }
  }
  return STATUS_OK;
}

void change_detector_reset(struct change_detector *detector) {
  detector->taken = 0;
  begin(detector);
  detector->time_s = detector->usual = 0.0;
  for (size_t k = 0; k < CHANGE_ALARMS; k++) {
    detector->alarm_s[k] = -HUGE_VAL;
  }
}

/* The sample `back` before the newest. */
static const double *sample_of(const struct change_detector *detector, size_t back) {
  return detector->sample[(detector->taken - 1 - back) % CHANGE_LONGEST];
}

static void take(struct change_detector *detector, const double *white, size_t rows, double dt) {
  /* innovations of other rows cannot be summed with these */
  if (rows != detector->rows) {
    detector->since = 0;
    detector->rows = rows;
  }
  memcpy(detector->sample[detector->taken++ % CHANGE_LONGEST], white, rows * sizeof(*white));
  detector->since += detector->since < CHANGE_LONGEST;
  detector->time_s += dt;
}

/* Squared length of the sum over a window in units of its variance: what points the same way adds
 * up, noise does not. 0 while the window is not full. */
static double over_window(const struct change_detector *detector, size_t window) {
  const double clip = detector->settings.clip;
  double squared = 0.0;
  if (detector->since < window) {
    return 0.0;
  }
  for (size_t r = 0; r < detector->rows; r++) {
    double sum = 0.0;
    for (size_t k = 0; k < window; k++) {
      sum += fmax(-clip, fmin(clip, sample_of(detector, k)[r]));
    }
    squared += sum * sum / (double)window;
  }
  return squared;
}

/* Squared length of what all samples of the window have in common, row by row the one nearest to
 * zero, in units of the variance of their mean. */
static double in_common(const struct change_detector *detector, size_t window) {
  double squared = 0.0;
  if (detector->since < window) {
    return 0.0;
  }
  for (size_t r = 0; r < detector->rows; r++) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (size_t k = 0; k < window; k++) {
      least = fmin(least, sample_of(detector, k)[r]);
      most = fmax(most, sample_of(detector, k)[r]);
    }
    const double common = fmax(0.0, least) + fmin(0.0, most);
    squared += (double)window * common * common;
  }
  return squared;
}

static void note_alarm(struct change_detector *detector) {
  memmove(detector->alarm_s + 1, detector->alarm_s, (CHANGE_ALARMS - 1) * sizeof(double));
  detector->alarm_s[0] = detector->time_s;
  begin(detector);
}

/* The bound, and what is beyond all that is usual. */
static double bound_of(const struct change_detector *detector, size_t rows) {
  return chi_square_bound(rows, detector->settings.quantile) * fmax(1.0, UNUSUAL * detector->usual);
}

bool change_detector_startles(const struct change_detector *detector, double squared, size_t rows) {
  return detector->settings.window > 0 && squared > FAR_BEYOND * bound_of(detector, rows);
}

bool change_detector_step(struct change_detector *detector, const double *white, size_t rows,
                          double dt, bool a_body, double *statistic) {
  const struct change_settings *s = &detector->settings;
  if (s->window == 0) {
    return false;
  }
  take(detector, white, rows, dt);
  const size_t window = (size_t)s->window, slower = CHANGE_SLOWER * window;
  const double least = chi_square_bound(rows, s->quantile), bound = bound_of(detector, rows);
  const double small = over_window(detector, slower < CHANGE_LONGEST ? slower : CHANGE_LONGEST),
               medium = over_window(detector, window), large = in_common(detector, window);
  const double seen = fmax(small, fmax(medium, large)), share = seen / bound;
  const bool sudden = in_common(detector, CHANGE_SUDDEN) > bound;
  detector->startled =
      sudden || change_detector_startles(detector, small_dot(rows, white, white), rows);
  detector->usual += fmin(1.0, dt / USUAL_TIME) * (fmin(1.0, seen / least) - detector->usual);
  if (statistic != NULL) {
    *statistic = share;
  }
  const bool refractory = detector->time_s - detector->alarm_s[0] < s->refractory_s;
  detector->beyond = share > 1.0 && !refractory ? detector->beyond + 1 : 0;
  detector->bodies = a_body && !refractory ? detector->bodies + 1 : 0;
  const bool lasts = detector->beyond > 0 && detector->beyond >= s->lasting,
             changed = lasts || (detector->bodies >= CHANGE_SUDDEN && sudden);
  if (changed) {
    note_alarm(detector);
  }
  return changed;
}

bool change_detector_suspects(const struct change_detector *detector) {
  return detector->startled || detector->beyond > 0 || detector->bodies > 0;
}

bool change_detector_wavers(const struct change_detector *detector) {
  const double quiet = detector->time_s - detector->alarm_s[0];
  return change_detector_suspects(detector) || quiet < fmax(detector->settings.refractory_s, SOON);
}

bool change_detector_doubts(const struct change_detector *detector) {
  /* the last alarms came within doubt_s, and the newest is not older than that */
  const double *alarm = detector->alarm_s, most = detector->settings.doubt_s;
  return alarm[0] - alarm[CHANGE_ALARMS - 1] < most && detector->time_s - alarm[0] < most;
}

double change_detector_rate(const struct change_detector *detector) {
  const double oldest = detector->alarm_s[CHANGE_ALARMS - 1];
  return isfinite(oldest) ? CHANGE_ALARMS / (detector->time_s - oldest) : 0.0;
}
