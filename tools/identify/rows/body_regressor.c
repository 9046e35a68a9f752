#include "identify/rows/body_regressor.h"

#include "identify/rows/rotor_regressor.h"

#include <stdlib.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS, BASE_ROWS = 6 };

enum status body_regressor_init(struct body_regressor *body, const struct unknowns *u) {
  size_t link[MODEL_MAX_JOINTS + 1];
  struct arena arena = {0};
  enum status status = STATUS_OK;
  *body = (struct body_regressor){.unknowns = u};
  for (size_t i = 0; i < u->links; i++) {
    link[i] = u->first_link + i;
  }
  for (int pass = 0; pass < 2 && status == STATUS_OK; pass++) {
    status = kinematics_init(&body->kin, u->model, &arena);
    if (status == STATUS_OK) {
      status = regressor_init(&body->regressor, u->model, link, u->links, &arena);
    }
    if (u->n_rotors > 0) {
      body->Y = ARENA_ARRAY(&arena, double, u->n_channels *TEN * u->bodies);
    }
    if (status == STATUS_OK && pass == 0) {
      body->memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(body->memory, arena.used);
      status = body->memory != NULL ? STATUS_OK : STATUS_NO_MEMORY;
    }
  }
  if (status != STATUS_OK) {
    body_regressor_free(body);
  }
  return status;
}

void body_regressor_free(struct body_regressor *body) {
  free(body->memory);
  *body = (struct body_regressor){0};
}

static const double *links_row(const struct body_regressor *body, size_t j) {
  const size_t row = body->unknowns->floating ? j : BASE_ROWS + j;
  return body->regressor.Y + row * body->regressor.columns;
}

/* Links' columns, then every rotor's. */
static void put_side_by_side(struct body_regressor *body) {
  const struct unknowns *u = body->unknowns;
  double column[MODEL_MAX_JOINTS][TEN];
  for (size_t j = 0; j < u->n_channels; j++) {
    memcpy(body->Y + j * TEN * u->bodies, links_row(body, j), TEN * u->links * sizeof(double));
  }
  for (size_t r = 0; r < u->n_rotors; r++) {
    rotor_regressor_balanced(&body->kin, u->rotor[r].joint, u->rotor[r].ratio, column);
    for (size_t j = 0; j < u->n_channels; j++) {
      memcpy(body->Y + (j * u->bodies + u->links + r) * TEN, column[j], sizeof(column[j]));
    }
  }
}

enum status body_regressor_step(struct body_regressor *body, const struct robot_motion *motion) {
  enum status status = kinematics_update(&body->kin, motion);
  if (status == STATUS_OK) {
    status = regressor_step(&body->regressor, &body->kin);
  }
  if (status == STATUS_OK && body->Y != NULL) {
    put_side_by_side(body);
  }
  return status;
}

const double *body_regressor_row(const struct body_regressor *body, size_t j) {
  return body->Y != NULL ? body->Y + j * TEN * body->unknowns->bodies : links_row(body, j);
}
