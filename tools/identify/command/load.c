/* propriod-identify payload and gains: two logs, without and with a load on one link. */
#include "common/word_distance.h"
#include "identify/command/commands.h"
#include "identify/fit/load_fit.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char payload_help[] =
    "usage: propriod-identify payload --robot FILE --log WITHOUT --loaded WITH\n"
    "                                 --link NAME [OPTION ...]\n"
    "\n"
    "Finds the ten parameters of a load from two logs, best of one motion, without\n"
    "and with it, and how sure they are.\n";

static const char gains_help[] =
    "usage: propriod-identify gains --robot FILE --log WITHOUT --loaded WITH\n"
    "                               --link NAME --mass KG --com X,Y,Z [OPTION ...]\n"
    "\n"
    "Finds the gains of the torque sensors (or of the drives, from currents) from two\n"
    "logs, without and with a known load.\n";

/* A command at work. */
struct work {
  struct identify_options options;
  struct session session;
  struct row_set with;
  struct load_settings settings;
  struct load_fit fit;
};

static struct inertia ball(double mass, vec3 com, double radius) {
  const double moment = 0.4 * mass * radius * radius;
  const mat3 I = {{{moment, 0.0, 0.0}, {0.0, moment, 0.0}, {0.0, 0.0, moment}}};
  return inertia_of_body(mass, com, &I);
}

static enum status find_link(struct work *w, struct message *error) {
  const struct model *model = &w->session.model;
  const char *wanted = w->options.link;
  const int found = model_find_link(model, wanted);
  if (found >= (int)w->session.unknowns.first_link) {
    w->settings.link = (size_t)found;
    return STATUS_OK;
  }
  const char *nearest = NULL;
  for (size_t i = 1; i < model->n_links; i++) {
    nearest = word_distance(model->link_name[i], wanted) <= 2 ? model->link_name[i] : nearest;
  }
  message_set(error, "%s: no moving link '%.64s'%s%s%s", session_robot(&w->options.session), wanted,
              nearest != NULL ? ", did you mean '" : "", nearest != NULL ? nearest : "",
              nearest != NULL ? "'?" : "");
  return STATUS_BAD_ARGUMENT;
}

static enum status find(struct work *w, bool known, struct message *error) {
  const struct identify_options *o = &w->options;
  const vec3 apart = {0.02, 0.02, 0.05};
  enum status status = session_open(&o->session, &w->session, error);
  if (status == STATUS_OK && known && w->session.unknowns.floating) {
    message_set(error, "%s: gains are of joint torques, and a floating base is weighed without",
                o->session.log[0]);
    status = STATUS_REFUSED;
  }
  if (status == STATUS_OK) {
    status = find_link(w, error);
  }
  if (status == STATUS_OK) {
    status = session_rows(&o->session, &w->session, o->loaded, &w->with, error);
  }
  if (status != STATUS_OK) {
    return status;
  }
  w->settings.known = known;
  w->settings.gain_sd = o->gain_error > 0.0 ? o->gain_error : known ? 0.3 : 0.01;
  w->settings.load = known ? ball(o->mass, o->com, o->radius) : ball(1.0, apart, 0.05);
  status = load_fit_make(&w->session.unknowns, &w->session.rows, &w->with, w->session.prior,
                         &w->settings, &w->fit);
  if (status != STATUS_OK) {
    message_set(error, "%s: no load is found: %s", o->loaded, status_text(status));
  }
  return status;
}

static void tell_payload(const struct work *w) {
  static const char *const ten[] = {"m",   "hx",  "hy",  "hz",  "Ixx",
                                    "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
  const struct load_fit *f = &w->fit;
  double value[INERTIA_PARAMETERS];
  inertia_to(&f->load, value);
  if (w->options.json) {
    printf("{\"mass\": %.9g, \"mass_sd\": %.3g, \"com\": [%.9g, %.9g, %.9g], \"com_sd\": [%.3g, "
           "%.3g, %.3g]}\n",
           f->load.m, f->mass_sd, f->com.x, f->com.y, f->com.z, f->com_sd.x, f->com_sd.y,
           f->com_sd.z);
    return;
  }
  printf("load on %s: %.4f kg, +- %.4f\n"
         "its centre of mass: %.4f %.4f %.4f m, +- %.4f %.4f %.4f\n"
         "both logs are predicted to %.2f %% of their torque\n\n",
         w->options.link, f->load.m, f->mass_sd, f->com.x, f->com.y, f->com.z, f->com_sd.x,
         f->com_sd.y, f->com_sd.z, 100.0 * f->error);
  struct table *table = table_create("About the link's origin (kg, kg m, kg m²)", "parameter",
                                     "value", "standard deviation", NULL);
  for (int k = 0; k < INERTIA_PARAMETERS; k++) {
    table_row(table, ten[k]);
    table_number(table, "%.6f", value[k]);
    table_number(table, "%.6f", sqrt(f->covariance[k][k]));
  }
  table_print(table, stdout);
  table_free(table);
}

static void tell_gains(const struct work *w) {
  const struct model *model = &w->session.model;
  struct table *table = table_create("Torques are to be multiplied by", "joint", "factor",
                                     "standard deviation", "told", NULL);
  if (w->options.json) {
    printf("{\"factor\": {");
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    const double sd = w->fit.gain_sd[j];
    if (w->options.json) {
      printf("%s\"%s\": [%.9g, %.3g]", j > 0 ? ", " : "", model->joint[j].name,
             1.0 / (1.0 + w->fit.gain[j]), sd);
    }
    table_row(table, model->joint[j].name);
    table_number(table, "%.4f", 1.0 / (1.0 + w->fit.gain[j]));
    table_number(table, "%.4f", sd);
    table_text(table, sd < 0.5 * w->settings.gain_sd ? "yes" : "no: the load is not felt there");
  }
  if (w->options.json) {
    printf("}}\n");
  } else {
    table_print(table, stdout);
  }
  table_free(table);
}

static int run(int argc, char **argv, const char *help, bool known) {
  struct work w = {0};
  struct message error;
  const int read = identify_options_read(argc, argv, help, &w.options);
  if (read != IDENTIFY_OK) {
    return read < 0 ? IDENTIFY_OK : read;
  }
  if (w.options.loaded == NULL || w.options.link == NULL || (known && w.options.mass <= 0.0)) {
    fprintf(stderr, "propriod-identify %s: which %s? (propriod-identify %s --help explains)\n",
            argv[0],
            w.options.loaded == NULL ? "--loaded"
            : w.options.link == NULL ? "--link"
                                     : "--mass",
            argv[0]);
    return IDENTIFY_USAGE;
  }
  const enum status status = find(&w, known, &error);
  if (status == STATUS_OK && known) {
    tell_gains(&w);
  } else if (status == STATUS_OK) {
    tell_payload(&w);
  }
  row_set_free(&w.with);
  session_close(&w.session);
  return status == STATUS_OK ? IDENTIFY_OK : identify_failed(argv[0], &error);
}

int run_payload(int argc, char **argv) {
  return run(argc, argv, payload_help, false);
}

int run_gains(int argc, char **argv) {
  return run(argc, argv, gains_help, true);
}
