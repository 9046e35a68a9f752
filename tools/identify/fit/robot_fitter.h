/* A robot's fit at work: what the files of this room share, and nobody else sees. */
#ifndef ROBOT_FITTER_H
#define ROBOT_FITTER_H

#include "identify/fit/robot_fit.h"
#include "identify/shape/shaped_fit.h"

#include <stdlib.h>

struct fitter {
  const struct unknowns *unknowns;
  const struct row_set *rows;
  const struct base_parameters *base;
  const struct fit_settings *settings;
  struct weighed_rows weighed;
  struct convex_fit convex;
  struct normal_equations block[FIT_BLOCKS]; /* of the rows as last folded */
  struct robot_fit *fit;
  double *scale;            /* [n] of drives' unknowns: 1 explains all of a joint's torque */
  double *others;           /* [n - 10 bodies] where the path begins */
  struct inertia *start;    /* [bodies] */
  struct shaped_fit shaped; /* with constraints of shape: what is solved instead */
};

static inline double *fitter_numbers(size_t n) {
  return calloc(n + 1, sizeof(double));
}

static inline bool is_physical(enum fit_method method) {
  return method < FIT_WLS;
}

/* Bodies by another way than the convex one, which then judges. */
static inline bool is_sequential(enum fit_method method) {
  return method == FIT_SQP || method == FIT_SQP_PRINTED || method == FIT_LOG_CHOLESKY;
}

/* The pull and the rows of all blocks but one (FIT_BLOCKS: of all). [start] */
enum status fitter_set_problem(struct fitter *f, double lambda, enum fit_distance distance,
                               size_t without);

/* Adds lambda/2 times the squared distance from the prior. [start] */
enum status fitter_add_pull(struct fitter *f, double lambda, enum fit_distance distance);

/* Solves the problem that was set, to convex.gap. [start] */
enum status fitter_solve(struct fitter *f, struct convex_solution *solution);

/* Solves what fit->lambda and the method ask for, into fit->x, gap, above and steps. [start] */
enum status fitter_solve_bodies(struct fitter *f);

/* Least squares on the base parameters alone, the other unknowns zero; with deviations. [start] */
enum status fitter_solve_base(struct fitter *f);

/* |(Y x - tau) / noise|^2 over a block. [start] */
double fitter_misfit(const struct fitter *f, size_t block, const double *x);

/* Sets fit->lambda by cross-validation. [start] */
enum status fitter_choose_lambda(struct fitter *f);

/* Fills in what there is to think of fit->x. [start] */
void fitter_judge(struct fitter *f, size_t last);

#endif
