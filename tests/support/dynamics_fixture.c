#include "support/dynamics_fixture.h"

static void init_all(struct dynamics *d, struct arena *arena) {
  require(kinematics_init(&d->kin, d->model, arena) == STATUS_OK);
  require(composite_init(&d->composite, d->model, arena) == STATUS_OK);
  require(rnea_init(&d->rnea, d->model, arena) == STATUS_OK);
  require(aba_init(&d->aba, d->model, arena) == STATUS_OK);
  require(crba_init(&d->crba, d->model, arena) == STATUS_OK);
}

void dynamics_of(struct dynamics *d, const struct model *model) {
  d->model = model;
  d->n = model->n_joints;
  struct arena count = {0};
  init_all(d, &count);
  struct arena arena = test_arena(count.used);
  init_all(d, &arena);
  require(arena.used == count.used);
}

void dynamics_refresh(struct dynamics *d) {
  require(kinematics_update(&d->kin, &d->state.motion) == STATUS_OK);
  require(composite_step(&d->composite, &d->kin, d->model->inertia) == STATUS_OK);
}

void dynamics_randomize(struct dynamics *d, struct random *random) {
  random_state(random, d->model, &d->state);
  dynamics_refresh(d);
}

double distance3(vec3 a, vec3 b) {
  return vec3_norm(vec3_sub(a, b));
}

double distance6(const struct force *a, const struct force *b) {
  return distance3(a->ang, b->ang) + distance3(a->lin, b->lin);
}

double force_entry(const struct force *f, size_t k) {
  const double entries[6] = {f->ang.x, f->ang.y, f->ang.z, f->lin.x, f->lin.y, f->lin.z};
  return entries[k];
}
