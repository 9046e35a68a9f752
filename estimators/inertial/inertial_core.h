/* The recursive estimator of inertial parameters: what a few links weigh, from rows linear in them.
 *
 *   z = Y pi(x) + bias + noise,   x' = x + drift
 *
 * The bias of a row, its sensor's offset and all that the model misses there for good, is estimated
 * beside the parameters: what stands still may be either, and the covariance says so until motion
 * tells them apart. The estimate itself is reluctant to leave the prior for what motion tells
 * weakly, where errors of the regressor would lead it along.
 *
 * One interface, three forms of the state: Rucker and Wensing's log-Cholesky coordinates (the one
 * to use), Foster's printed ones, and the ten parameters themselves (a linear Kalman filter that
 * does not know what a body is). The first two are physically consistent at every instant. Priors
 * and drift are given in kilograms and metres and mean the same in every form.
 *
 * It tests innovations here; what it believes before rows is in inertial_prior.h, what it learns
 * from them in inertial_update.h.
 *
 * [real-time] unless said otherwise: no allocation, bounded. */
#ifndef INERTIAL_CORE_H
#define INERTIAL_CORE_H

#include "common/arena.h"
#include "common/status.h"
#include "inertial/inertial_form.h"
#include "inertial/row_memory.h"

#include <stddef.h>

#define INERTIAL_MAX_LINKS      8
#define INERTIAL_MAX_ITERATIONS 8
#define INERTIAL_LEAST_SPREAD   1e-6 /* m: of the mass in any direction; less is no body */
#define INERTIAL_LEAST_SHARE    0.1  /* of the prior's mass, which an estimate cannot fall below */
#define INERTIAL_LEAST_MASS     0.01 /* kg: nor below this, unless the prior is lighter */

struct inertial_core_settings {
  enum inertial_form form;
  int iterations;               /* 1 to INERTIAL_MAX_ITERATIONS; the linear form needs one */
  bool memory;                  /* rows are kept as they were measured until the next re-opening */
  struct inertial_spread prior; /* about the parameters given to init */
  struct inertial_spread drift; /* per square root of a second */
  double reluctance;            /* the estimate moves as if the prior's deviations were smaller by
                                   1 + this, the covariance believes in them as they are */
  size_t n_bias, n_gain; /* what rows err by for good, at most INERTIAL_MAX_BIASES: biases, friction
                            and, the last, gains */
  double bias_sd[INERTIAL_MAX_BIASES]; /* N or N m, friction 1, gains a share: about zero */
};

struct inertial_core {
  struct inertial_core_settings settings;
  size_t n_links, n_pi; /* n_pi = 10 n_links */
  size_t n;             /* n_pi and the biases, which are the last of the state */
  double *x;            /* [n] the state; its meaning depends on the form, biases are N or N m */
  double *P;            /* [n][n] its covariance */
  struct inertia pi[INERTIAL_MAX_LINKS];    /* [n_links] the estimate */
  struct inertia first[INERTIAL_MAX_LINKS]; /* [n_links] the prior's mean */

  /* what it rests on: a Gaussian prior in x, and rows in the parameters */
  double *x_prior, *P_prior;   /* [n], [n][n] */
  double *before;              /* [n] parameters and biases of that mean */
  double *P_own, *P_prior_own; /* [n][n] the same as P and P_prior with the reluctant prior */
  struct row_memory rows;      /* empty without memory */
  double fading;               /* s of drift that the rows have not seen yet */
  bool supposed;               /* that there may be a load from the start: */
  double laden;                /* how likely it is */
  double mass_sd[INERTIAL_MAX_LINKS]; /* kg: how sure masses were before it was supposed */
  double *P_unladen, *P_laden;        /* [n][n] P_own of the start, without it and with it */
  double *x_unladen, *x_laden; /* [n] the newest fit without it, and that with it in conclusion */

  /* an update on its way */
  bool updating;
  int iteration;
  size_t share;            /* of the regressor's noise that is taken away, see row_memory_fit */
  struct row_memory trial; /* with the new rows */
  double *A_fit, *b_fit, *Lambda0, *Lambda, *x_new, *delta, *flat, *residual, *G, *work;
  double *own, *scatter; /* [n][n], [n_pi][n_pi] */

  /* innovation of the last rows tested */
  double *H, *HP, *S;                    /* S: its Cholesky factor */
  double *S_changed;                     /* scratch */
  double innovation[INERTIAL_MAX_ROWS];  /* z - Y pi */
  double noise_share[INERTIAL_MAX_ROWS]; /* of its variance that is the rows' */
  double white[INERTIAL_MAX_ROWS];       /* the same, whitened by S: independent, unit variance */
};

/* Prepares for n_links bodies with the given parameters as the prior's mean. [start]
 * Spreads and deviations of biases are positive, drift and reluctance not negative.
 * STATUS_BAD_ARGUMENT: n_links, n_bias or iterations out of range; STATUS_NOT_CONSISTENT: a prior
 * body that cannot be; STATUS_NO_MEMORY. On a counting arena only counts. */
enum status inertial_core_init(struct inertial_core *core,
                               const struct inertial_core_settings *settings,
                               const struct inertia *prior, size_t n_links, struct arena *arena);

/* The innovation of rows: fills `innovation` and `white`, writes the normalised
 * innovation squared e^T S^-1 e and the logarithm of the information that the rows would bring, 1/2
 * ln det(S R^-1). STATUS_BAD_ARGUMENT: too many rows; STATUS_NOT_FINITE; STATUS_SINGULAR: S is not
 * positive definite or its condition exceeds 1e12. */
enum status inertial_core_innovation(struct inertial_core *core, const struct inertial_rows *rows,
                                     double *nis, double *gain);

/* After inertial_core_innovation of the same rows: what their normalised innovation squared would
 * be, had the links changed by about this much. HUGE_VAL where S is no longer definite. */
double inertial_core_explained(struct inertial_core *core, const struct inertial_rows *rows,
                               const struct inertial_spread *change);

/* What is told, [n_links], and its covariance in the state, [n_pi][n_pi]: what inertial_core_recall
 * takes. [any] */
void inertial_core_save(const struct inertial_core *core, struct inertia *told, double *covariance);

/* Rows have told what is worth keeping: nothing is supposed any more; or a load from the start is
 * certain; or every link's mass is surer than it was before one was supposed, by the model or by
 * what was recalled. [any] */
bool inertial_core_has_learned(const struct inertial_core *core);

/* What is to be told of a link: while a load is supposed, what lies between the fit without it and
 * the estimate as far as a load is likely. [any] */
struct inertia inertial_core_told(const struct inertial_core *core, size_t link);

/* Of what is told of a link: covariance of its ten parameters, and the standard deviations of mass
 * (kg) and centre of mass (m). [any] */
void inertial_core_deviations(const struct inertial_core *core, size_t link,
                              double covariance[INERTIA_PARAMETERS][INERTIA_PARAMETERS],
                              double *mass, vec3 *com);
double inertial_core_mass_deviation(const struct inertial_core *core, size_t link);

/* Standard deviation of what is told of a link's mass, were gains as they are told, kg: of a load
 * that is as likely as not, half of it at least. [real-time] */
double inertial_core_mass_by_rows(struct inertial_core *core, size_t link);

/* For inertial_prior and inertial_update: the parameters and biases [n] of a state x [n]; the same
 * (`flat`) and G = d pi / d x of all links; numbers that are, and whose squares are. */
void inertial_core_flat(const struct inertial_core *core, const double *x, double *flat);
void inertial_core_linearise(struct inertial_core *core, const double *x);
bool inertial_core_all_finite(const double *x, size_t n);

#endif
