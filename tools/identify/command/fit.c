/* propriod-identify fit: bodies and drives from a log, as URDF. */
#include "common/file.h"
#include "identify/command/commands.h"
#include "identify/command/judgement.h"
#include "identify/output/drive_settings.h"
#include "identify/output/fit_listing.h"
#include "identify/output/fit_page.h"
#include "identify/output/fitted_urdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: propriod-identify fit --robot FILE --log FILE [--output FILE]\n"
    "                             [OPTION ...]\n"
    "\n"
    "Fits the bodies of all moving links and the drives of all joints to a log of\n"
    "positions and torques, and writes the URDF with what was found. Bodies are\n"
    "those that can be and fit best; what torques do not tell stays near what the\n"
    "URDF says. How near is chosen by cross-validation. The last part of the log is\n"
    "not fitted and says how well torques are predicted.\n";

/* A command at work. */
struct work {
  struct identify_options options;
  struct session session;
  struct base_parameters base;
  struct row_set other; /* of --validate */
  struct robot_fit fit;
  struct fit_error prior_error;
  struct method_result methods[METHOD_RESULTS]; /* for the page */
};

/* Whether the log can be right, by the fit that forbids nothing: a wrong sign leaves no body to be
 * found. Where even that fit is not told, there is nothing to judge. */
static enum status probe(struct work *w, struct message *error) {
  const struct session *s = &w->session;
  struct fit_settings settings = w->options.fit;
  struct robot_fit fit;
  settings.method = FIT_WLS;
  if (robot_fit_make(&s->unknowns, &s->rows, &w->base, s->prior, &settings, &fit) != STATUS_OK) {
    return STATUS_OK;
  }
  enum status status = judge_fit(s, w->options.session.log[0], &fit, error);
  robot_fit_free(&fit);
  return status == STATUS_OK ? judge_lag(s, w->options.session.log[0], &w->base, error) : status;
}

static enum status find(struct work *w, struct message *error) {
  const struct identify_options *o = &w->options;
  enum status status = session_open(&o->session, &w->session, error);
  if (status == STATUS_OK && o->settings != NULL && w->session.unknowns.floating) {
    message_set(error, "a floating base is weighed without its drives: no --settings");
    return STATUS_BAD_ARGUMENT;
  }
  if (status == STATUS_OK && o->validate != NULL) {
    status = session_rows(&o->session, &w->session, o->validate, &w->other, error);
  }
  if (status != STATUS_OK) {
    return status;
  }
  const struct session *s = &w->session;
  status = base_parameters_find(&s->unknowns, o->session.up, &w->base);
  if (status == STATUS_OK) {
    status = probe(w, error);
    if (status != STATUS_OK) {
      return status;
    }
    w->options.fit.shapes = s->shapes.bodies > 0 ? &s->shapes : NULL;
    status = robot_fit_make(&s->unknowns, &s->rows, &w->base, s->prior, &o->fit, &w->fit);
  }
  if (status != STATUS_OK) {
    explain_failure(s, o->session.log[0], status, error);
  }
  return status;
}

/* Errors on rows that were not fitted: of another log, or of the rest of this one. */
static void validate(struct work *w) {
  const struct row_set *rows = &w->session.rows;
  const size_t last = (size_t)(w->options.fit.train_share * (double)rows->n);
  if (w->other.n > 0) {
    w->fit.test = robot_fit_error(&w->other, w->fit.x, 0, w->other.n);
    w->prior_error = robot_fit_error(&w->other, w->session.prior, 0, w->other.n);
  } else {
    w->prior_error = robot_fit_error(rows, w->session.prior, last, rows->n);
  }
}

static enum status write_urdf(const struct work *w, struct message *error) {
  char how[512], *text;
  const struct fit_settings *settings = &w->options.fit;
  snprintf(how, sizeof(how), "by %s, lambda %.9g, from %.200s", fit_method_name[settings->method],
           w->fit.lambda, w->options.session.log[0]);
  enum status status =
      fitted_urdf(w->session.urdf, &w->session.unknowns, &w->fit, how, &text, error);
  if (status == STATUS_OK) {
    status = file_write(w->options.output, text, strlen(text), 0644, error);
    free(text);
  }
  return status;
}

/* The page, from the rows that the fit is judged by. */
static void print_page(const struct work *w, const struct fit_listing *listing, FILE *file) {
  const struct row_set *rows = w->other.n > 0 ? &w->other : &w->session.rows;
  const double share = w->other.n > 0 ? 0.0 : w->options.fit.train_share;
  fit_page(listing, rows, (size_t)(share * (double)rows->n), file);
}

enum paper { LISTING, PAGE, SETTINGS };

static void print_paper(const struct work *w, const struct fit_listing *listing, enum paper paper,
                        FILE *file) {
  const struct session *s = &w->session;
  switch (paper) {
  case LISTING:
    fit_listing_yaml(listing, file);
    break;
  case PAGE:
    print_page(w, listing, file);
    break;
  case SETTINGS:
    drive_settings_write(&s->unknowns, &s->rows, &w->fit, &s->map, file);
    break;
  }
}

/* One of them into a file, whole or not at all; NULL: it is not wanted. */
static enum status write_paper(const struct work *w, const struct fit_listing *listing,
                               const char *path, enum paper paper, struct message *error) {
  if (path == NULL) {
    return STATUS_OK;
  }
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file == NULL) {
    message_set(error, "%s: no memory", path);
    return STATUS_NO_MEMORY;
  }
  print_paper(w, listing, paper, file);
  fclose(file);
  const enum status status = file_write(path, text, size, 0644, error);
  free(text);
  return status;
}

/* Files first, so that nothing is said to be done that is not. */
static enum status tell(const struct work *w, struct message *error) {
  const struct identify_options *o = &w->options;
  const struct fit_listing listing = {.unknowns = &w->session.unknowns,
                                      .base = &w->base,
                                      .fit = &w->fit,
                                      .settings = &o->fit,
                                      .prior_error = &w->prior_error,
                                      .robot = session_robot(&o->session),
                                      .log = o->session.log[0],
                                      .methods = o->report != NULL ? w->methods : NULL};
  enum status status = o->output != NULL ? write_urdf(w, error) : STATUS_OK;
  const char *const path[] = {[LISTING] = o->yaml, [PAGE] = o->report, [SETTINGS] = o->settings};
  for (enum paper paper = LISTING; paper <= SETTINGS && status == STATUS_OK; paper++) {
    status = write_paper(w, &listing, path[paper], paper, error);
  }
  if (status == STATUS_OK && o->json) {
    fit_listing_json(&listing, stdout);
  } else if (status == STATUS_OK) {
    fit_listing_print(&listing, stdout);
  }
  return status;
}

int run_fit(int argc, char **argv) {
  struct work w = {0};
  struct message error;
  const int read = identify_options_read(argc, argv, help, &w.options);
  if (read != IDENTIFY_OK) {
    return read < 0 ? IDENTIFY_OK : read;
  }
  enum status status = find(&w, &error);
  if (status == STATUS_OK) {
    validate(&w);
    if (w.options.report != NULL) {
      method_results_find(&w.session.unknowns, &w.session.rows, w.other.n > 0 ? &w.other : NULL,
                          &w.base, w.session.prior, &w.options.fit, w.methods);
    }
    status = tell(&w, &error);
  }
  robot_fit_free(&w.fit);
  row_set_free(&w.other);
  base_parameters_free(&w.base);
  session_close(&w.session);
  return status == STATUS_OK ? IDENTIFY_OK : identify_failed("fit", &error);
}
