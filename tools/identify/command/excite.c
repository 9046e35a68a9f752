/* propriod-identify excite: a motion that tells most, within the joints' limits. */
#include "common/file.h"
#include "identify/command/commands.h"
#include "identify/fit/excitation_design.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: propriod-identify excite --robot FILE --output FILE [OPTION ...]\n"
    "\n"
    "Designs a periodic motion of all joints that tells as much as it can about\n"
    "bodies and drives, from rest to rest, within the limits of position, velocity,\n"
    "acceleration and torque of the URDF, and writes it as CSV: time, q_JOINT ...\n"
    "and dq_JOINT ... every millisecond. Links keep clear of each other and of the\n"
    "ground by bars with round ends: around the boxes, cylinders and spheres of\n"
    "<collision>, or, for links without, from joint to joint. Neighbours, and what\n"
    "touches when all joints are at zero, are not looked at. It does not know what\n"
    "else stands around the robot: look at the motion before running it.\n";

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* On a terminal, over the line before. */
static void print_progress(double share, double gained) {
  fprintf(stderr, "\rsearching: %3.0f %%, %.1f nats more than random motions", 100.0 * share,
          gained);
  fputs(share > 0.94 ? "\n" : "", stderr);
}

static void print_motion(const struct excitation_design *design, const struct model *model,
                         FILE *file) {
  fprintf(file, "time");
  for (size_t j = 0; j < model->n_joints; j++) {
    fprintf(file, ",q_%s", model->joint[j].name);
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    fprintf(file, ",dq_%s", model->joint[j].name);
  }
  for (size_t k = 0; k <= (size_t)lround(1e3 * design->period); k++) {
    double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq;
    fprintf(file, "\n%.3f", 1e-3 * (double)k);
    for (size_t j = 0; j < model->n_joints; j++) {
      excitation_design_at(design, j, 1e-3 * (double)k, &q[j], &dq[j], &ddq);
      fprintf(file, ",%.9g", q[j]);
    }
    for (size_t j = 0; j < model->n_joints; j++) {
      fprintf(file, ",%.9g", dq[j]);
    }
  }
  fputc('\n', file);
}

static enum status write_motion(const struct excitation_design *design, const struct model *model,
                                const char *path, struct message *error) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file == NULL) {
    message_set(error, "%s: no memory", path);
    return STATUS_NO_MEMORY;
  }
  print_motion(design, model, file);
  fclose(file);
  const enum status status = file_write(path, text, size, 0644, error);
  free(text);
  return status;
}

/* What it is worth beside random ones, by what was aimed at. */
static void print_worth(const struct excitation_design *d, enum design_aim aim) {
  printf("%zu motions tried: ", d->tried);
  if (aim == AIM_INFORMATION) {
    printf("%.1f nats of information, %.1f more than the best of %d random ones\n", d->information,
           d->worth - d->of_random, DESIGN_RANDOM);
  } else {
    printf("(154) fell from %.4g, the best of %d random ones, to %.4g\n", exp(-d->of_random),
           DESIGN_RANDOM, d->criterion);
  }
  printf("condition number %.3g, (154) %.4g, %.1f nats of information\n", d->condition,
         d->criterion, d->information);
}

/* What it will tell, and what not. */
static void tell(const struct excitation_design *design, const struct clearance *clear,
                 const struct unknowns *u, const struct base_parameters *base, const double *sd,
                 enum design_aim aim, bool json) {
  double *x = calloc(u->n, sizeof(double));
  size_t poor = 0;
  if (x == NULL) {
    return;
  }
  unknowns_prior(u, x);
  if (json) {
    printf(
        "{\"aim\": \"%s\", \"information_nats\": %.9g, \"worth\": %.9g, \"best_of_random\": %.9g, "
        "\"condition\": %.6g, "
        "\"criterion\": %.6g, \"tried\": %zu, \"bars\": %zu, \"without_shape\": %zu, "
        "\"pairs\": %zu}\n",
        design_aim_name[aim], design->information, design->worth, design->of_random,
        design->condition, design->criterion, design->tried, clear->n_bars, clear->stand_ins,
        clear->n_pairs);
    free(x);
    return;
  }
  print_worth(design, aim);
  printf("%zu bars stand for links, %zu of them where <collision> has no simple shape; %zu pairs "
         "keep clear, ground %s\n"
         "predicted standard deviation of what torques tell:\n",
         clear->n_bars, clear->stand_ins, clear->n_pairs,
         isfinite(clear->settings.ground) ? "too" : "is not known");
  for (size_t i = 0; i < base->n_base; i++) {
    char name[160];
    const double value = base_parameter(base, i, x);
    unknowns_name(u, base->order[i], name, sizeof(name));
    const bool told = sd[i] < fabs(value) || base->order[i] >= INERTIA_PARAMETERS * u->bodies;
    printf("  %-32s %10.4g of %10.4g%s\n", name, sd[i], value, told ? "" : "  hardly told");
    poor += !told;
  }
  printf("%zu of %zu are hardly told: their deviation is above their value\n", poor, base->n_base);
  free(x);
}

int run_excite(int argc, char **argv) {
  struct identify_options o;
  struct session session = {0};
  struct message error;
  const int read = identify_options_read(argc, argv, help, &o);
  if (read != IDENTIFY_OK) {
    return read < 0 ? IDENTIFY_OK : read;
  }
  static struct unknowns u;
  struct base_parameters base = {0};
  struct excitation_design design;
  const struct log_map map = {.rate_hz = 1e3};
  double *sd = NULL;
  struct clearance clear = {0};
  enum status status = session_model(&o.session, &session, &error);
  if (status == STATUS_OK) {
    const double g = vec3_norm(o.session.up);
    o.clearance.up = g > 0.0 ? vec3_scale(1.0 / g, o.session.up) : o.clearance.up;
    status =
        clearance_make(session.urdf, o.session.robot, &session.model, &o.clearance, &clear, &error);
    o.design.clearance = &clear;
  }
  if (status == STATUS_OK) {
    o.design.progress = isatty(STDERR_FILENO) && !o.json ? print_progress : NULL;
    u = unknowns_of(&session.model, &map, o.session.kinds);
    status = base_parameters_find(&u, o.session.up, &base);
    sd = calloc(base.n_base + 1, sizeof(double));
    if (status == STATUS_OK && sd != NULL) {
      status =
          excitation_design_find(&u, &base, o.session.up, &o.design, processor_time, &design, sd);
    }
    if (status != STATUS_OK) {
      message_set(&error, "%s: no motion within the limits tells everything: %s", o.session.robot,
                  status_text(status));
    }
  }
  if (status == STATUS_OK && o.output != NULL) {
    status = write_motion(&design, &session.model, o.output, &error);
  }
  if (status == STATUS_OK) {
    tell(&design, &clear, &u, &base, sd, o.design.aim, o.json);
  }
  free(sd);
  clearance_free(&clear);
  base_parameters_free(&base);
  session_close(&session);
  return status == STATUS_OK ? IDENTIFY_OK : identify_failed("excite", &error);
}
