#include "identify/output/drive_settings.h"

#include <math.h>

/* An offset is looked for in each of so many parts of the log: what changes from one to the next
 * is no noise, and no constant either. */
enum { PARTS = 10 };
/* Share of a joint's torque below which neither noise nor offset is told: no drive is known
 * better. */
static const double LEAST = 1e-4;

/* What the fit leaves of a joint's torque, N m: at an instant, and of the mean over a part. */
struct rest {
  double noise, lasting;
};

static struct rest rest_of(const struct row_set *rows, size_t j, const double *x) {
  double squares = 0.0, torque = 0.0, means = 0.0;
  size_t n = 0, parts = 0;
  for (size_t part = 0; part < PARTS; part++) {
    const size_t last = (part + 1) * rows->n / PARTS;
    double sum = 0.0;
    size_t count = 0;
    for (size_t k = part * rows->n / PARTS; k < last; k++) {
      if (row_moves(rows, j, k)) {
        const double left = row_residual(&rows->channel[j], k, x), tau = rows->channel[j].tau[k];
        sum += left;
        squares += left * left;
        torque += tau * tau;
        count++;
      }
    }
    if (count > 0) {
      means += sum / (double)count * (sum / (double)count);
      parts++;
    }
    n += count;
  }
  const double least = fmax(1e-6, LEAST * sqrt(torque / fmax(1.0, (double)n)));
  return (struct rest){fmax(least, sqrt(squares / fmax(1.0, (double)n))),
                       fmax(least, sqrt(means / fmax(1.0, (double)parts)))};
}

/* One list of all joints, five digits. */
static void write_list(FILE *file, const char *key, const double *value, size_t n) {
  fprintf(file, "  %s: [", key);
  for (size_t j = 0; j < n; j++) {
    fprintf(file, "%s%.5g", j > 0 ? ", " : "", value[j]);
  }
  fprintf(file, "]\n");
}

/* Torque at the joint for one unit of the log's column. False: they are torques at the joint, or
 * the columns of several motors make one. */
static bool gains_of(const struct log_map *map, size_t n, double *gain) {
  bool other = false;
  for (size_t j = 0; j < n; j++) {
    gain[j] = map->joint[j].gain * map->joint[j].reduction;
    other = other || gain[j] != 1.0;
  }
  return other && map->n_couplings == 0;
}

void drive_settings_write(const struct unknowns *u, const struct row_set *rows,
                          const struct robot_fit *fit, const struct log_map *map, FILE *file) {
  const size_t n = u->model->n_joints;
  double offset[MODEL_MAX_JOINTS], error[MODEL_MAX_JOINTS], noise[MODEL_MAX_JOINTS];
  double gain[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < n; j++) {
    const int at = u->at[j][DRIVE_OFFSET];
    const struct rest rest = rest_of(rows, j, fit->x);
    offset[j] = at != UNKNOWN_NONE ? fit->x[at] : 0.0;
    error[j] = hypot(at != UNKNOWN_NONE ? fit->sd[at] : 0.0, rest.lasting);
    noise[j] = rest.noise;
  }
  fprintf(file, "joints:\n");
  if (gains_of(map, n, gain)) {
    write_list(file, "gain", gain, n);
  }
  write_list(file, "offset", offset, n);
  write_list(file, "offset_error", error, n);
  write_list(file, "noise", noise, n);
}
