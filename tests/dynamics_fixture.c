#include "dynamics_fixture.h"

static void init_all(struct dynamics *d, struct arena *arena) {
  ck_assert_int_eq(kinematics_init(&d->kin, d->model, arena), STATUS_OK);
  ck_assert_int_eq(composite_init(&d->composite, d->model, arena), STATUS_OK);
  ck_assert_int_eq(rnea_init(&d->rnea, d->model, arena), STATUS_OK);
  ck_assert_int_eq(aba_init(&d->aba, d->model, arena), STATUS_OK);
  ck_assert_int_eq(crba_init(&d->crba, d->model, arena), STATUS_OK);
}

void dynamics_of(struct dynamics *d, const struct model *model) {
  d->model = model;
  d->n = model->n_joints;
  struct arena count = {0};
  init_all(d, &count);
  struct arena arena = test_arena(count.used);
  init_all(d, &arena);
  ck_assert_uint_eq(arena.used, count.used);
}

void dynamics_refresh(struct dynamics *d) {
  ck_assert_int_eq(kinematics_update(&d->kin, &d->state.motion), STATUS_OK);
  ck_assert_int_eq(composite_step(&d->composite, &d->kin, d->model->inertia), STATUS_OK);
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
