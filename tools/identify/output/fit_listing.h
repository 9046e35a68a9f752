/* A fit as tables for people, YAML and JSON for programs. */
#ifndef FIT_LISTING_H
#define FIT_LISTING_H

#include "identify/fit/robot_fit.h"

#include "identify/fit/method_results.h"

#include <stdio.h>

/* Everything that a listing says. */
struct fit_listing {
  const struct unknowns *unknowns;
  const struct base_parameters *base;
  const struct robot_fit *fit;
  const struct fit_settings *settings;
  const struct fit_error *prior_error; /* of what was known before, on the same rows as fit->test */
  const char *robot, *log;
  const struct method_result *methods; /* [METHOD_RESULTS], for the page; NULL: not compared */
};

/* Tables: how well it predicts, bodies, drives. */
void fit_listing_print(const struct fit_listing *listing, FILE *file);

/* All parameters with deviations and who decided, base parameters with their expressions. */
void fit_listing_yaml(const struct fit_listing *listing, FILE *file);

/* The figures, one object on one line. */
void fit_listing_json(const struct fit_listing *listing, FILE *file);

#endif
