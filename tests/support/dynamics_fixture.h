/* A robot with every algorithm over its tree prepared, in a random state. */
#ifndef DYNAMICS_FIXTURE_H
#define DYNAMICS_FIXTURE_H

#include "body/aba.h"
#include "body/centroidal.h"
#include "body/composite.h"
#include "body/crba.h"
#include "body/kinematics.h"
#include "body/rnea.h"
#include "support/random_model.h"

struct dynamics {
  const struct model *model;
  size_t n; /* joints */
  struct kinematics kin;
  struct composite composite;
  struct rnea rnea;
  struct aba aba;
  struct crba crba;
  struct random_state state;
};

/* Prepares everything for `model`. The state is not set. */
void dynamics_of(struct dynamics *d, const struct model *model);

/* A new random state, with kinematics and composite inertias brought up to date. */
void dynamics_randomize(struct dynamics *d, struct random *random);

/* Brings both up to date after a change of the state. */
void dynamics_refresh(struct dynamics *d);

double distance3(vec3 a, vec3 b);
double distance6(const struct force *a, const struct force *b);

/* The k-th of six entries, angular first. */
double force_entry(const struct force *f, size_t k);

#endif
