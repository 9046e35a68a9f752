#include "identify/rows/unknowns.h"

#include "identify/rows/rotor_bodies.h"
#include "model/joint_drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS, BASE_ROWS = 6 };

/* rad/s (m/s): a joint's v before it has been looked for. */
static const double STRIBECK = 0.1;

const char *drive_kind_name(enum drive_kind kind) {
  static const char *const name[DRIVE_KINDS] = {"rotor",  "viscous",   "coulomb",
                                                "offset", "asymmetry", "stribeck"};
  return name[kind];
}

struct unknowns unknowns_of(const struct model *model, const struct log_map *map,
                            const bool kinds[DRIVE_KINDS]) {
  struct unknowns u = {
      .model = model, .n_channels = model->n_joints, .first_link = 1, .links = model->n_joints};
  for (size_t j = 0; j < model->n_joints; j++) {
    if (map->joint[j].gear != 0.0) {
      u.rotor[u.n_rotors].joint = j;
      u.rotor[u.n_rotors++].ratio = map->joint[j].gear;
    }
  }
  u.bodies = u.links + u.n_rotors;
  u.n_couplings = map->n_couplings;
  u.n_drives = model->n_joints + u.n_couplings;
  u.n = (size_t)TEN * u.bodies;
  for (size_t c = 0; c < u.n_couplings; c++) {
    u.coupling[c] = map->coupling[c];
    u.coupling[c].ratio /= map->joint[map->coupling[c].motor].reduction;
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    u.stribeck[j] = STRIBECK;
  }
  for (size_t d = 0; d < u.n_drives; d++) {
    const bool joint = d < model->n_joints;
    for (int kind = 0; kind < DRIVE_KINDS; kind++) {
      const bool body = kind == DRIVE_ROTOR && joint && map->joint[d].gear != 0.0;
      const bool has = kinds[kind] && !body && (joint || kind < DRIVE_OFFSET);
      u.at[d][kind] = has ? (int)u.n++ : UNKNOWN_NONE;
    }
  }
  return u;
}

/* Components of the base's wrench in which weight has no part while it stands upright, so that an
 * offset there is no mass and no centre of mass: moment z, force x, force y. */
static const size_t unlike_weight[] = {2, 3, 4};

struct unknowns unknowns_floating(const struct model *model) {
  struct unknowns u = {.model = model,
                       .floating = true,
                       .n_channels = BASE_ROWS,
                       .links = model->n_links,
                       .bodies = model->n_links,
                       .n_drives = BASE_ROWS,
                       .n = TEN * model->n_links};
  for (size_t d = 0; d < sizeof(u.at) / sizeof(u.at[0]); d++) {
    for (int kind = 0; kind < DRIVE_KINDS; kind++) {
      u.at[d][kind] = UNKNOWN_NONE;
    }
  }
  for (size_t i = 0; i < sizeof(unlike_weight) / sizeof(unlike_weight[0]); i++) {
    u.at[unlike_weight[i]][DRIVE_OFFSET] = (int)u.n++;
  }
  return u;
}

const char *unknowns_channel(const struct unknowns *u, size_t j) {
  static const char *const name[BASE_ROWS] = {"moment x", "moment y", "moment z",
                                              "force x",  "force y",  "force z"};
  return u->floating ? name[j] : u->model->joint[j].name;
}

void unknowns_prior(const struct unknowns *u, double *x) {
  memset(x, 0, u->n * sizeof(*x));
  double inertia[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < u->model->n_joints; j++) {
    inertia[j] = u->model->joint[j].rotor_inertia;
  }
  rotor_bodies_split(u, u->model->inertia + u->first_link, inertia, x);
  for (size_t d = 0; d < u->n_drives && !u->floating; d++) {
    const bool coupled = d >= u->model->n_joints;
    const struct joint *joint =
        &u->model->joint[coupled ? u->coupling[d - u->model->n_joints].motor : d];
    const double value[DRIVE_KINDS] = {joint->rotor_inertia, coupled ? 0.0 : joint->viscous,
                                       coupled ? 0.0 : joint->coulomb};
    for (int kind = 0; kind < DRIVE_KINDS; kind++) {
      if (u->at[d][kind] != UNKNOWN_NONE) {
        x[u->at[d][kind]] = value[kind];
      }
    }
  }
}

void unknowns_body(const struct unknowns *u, size_t i, char *out, size_t size) {
  if (i < u->links) {
    snprintf(out, size, "%s", u->model->link_name[u->first_link + i]);
  } else {
    snprintf(out, size, "%s rotor", u->model->joint[u->rotor[i - u->links].joint].name);
  }
}

void unknowns_name(const struct unknowns *u, size_t i, char *out, size_t size) {
  static const char *const ten[TEN] = {"m",   "hx",  "hy",  "hz",  "Ixx",
                                       "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
  if (i < TEN * u->bodies) {
    char body[MODEL_NAME_SIZE + 8];
    unknowns_body(u, i / TEN, body, sizeof(body));
    snprintf(out, size, "%s %s", body, ten[i % TEN]);
    return;
  }
  snprintf(out, size, "?");
  for (size_t d = 0; d < u->n_drives; d++) {
    for (int kind = 0; kind < DRIVE_KINDS; kind++) {
      if (u->at[d][kind] != (int)i) {
        continue;
      }
      if (u->floating || d < u->model->n_joints) {
        snprintf(out, size, "%s %s", unknowns_channel(u, d), drive_kind_name(kind));
      } else {
        const struct log_coupling *c = &u->coupling[d - u->model->n_joints];
        snprintf(out, size, "%s with %s %s", u->model->joint[c->motor].name,
                 u->model->joint[c->joint].name, drive_kind_name(kind));
      }
    }
  }
}

/* d_c's component along joint j. */
static double along(const struct log_coupling *coupling, size_t j) {
  return (j == coupling->motor ? 1.0 : 0.0) + (j == coupling->joint ? coupling->ratio : 0.0);
}

/* Whether channel j feels body i: joint j carries the link, or the one the rotor rides on, or is
 * the rotor's own. */
static bool feels(const struct unknowns *u, size_t j, size_t i) {
  if (u->floating || i < u->links) {
    return u->floating || model_is_beyond(u->model, u->first_link + i, j + 1);
  }
  const size_t own = u->rotor[i - u->links].joint;
  return j == own || model_is_beyond(u->model, (size_t)u->model->parent[own + 1], j + 1);
}

size_t unknowns_columns(const struct unknowns *u, size_t j, size_t *columns) {
  size_t n = 0;
  for (size_t i = 0; i < TEN * u->bodies; i++) {
    if (feels(u, j, i / TEN)) {
      columns[n++] = i;
    }
  }
  for (size_t d = 0; d < u->n_drives; d++) {
    const bool own = u->floating || d < u->model->n_joints
                         ? d == j
                         : along(&u->coupling[d - u->model->n_joints], j) != 0.0;
    for (int kind = 0; kind < DRIVE_KINDS; kind++) {
      if (own && u->at[d][kind] != UNKNOWN_NONE) {
        columns[n++] = (size_t)u->at[d][kind];
      }
    }
  }
  return n;
}

/* What a drive's unknowns count for in row j, by kind. */
static void drive_values(const struct unknowns *u, size_t d, size_t j, const double *dq,
                         const double *ddq, double value[DRIVE_KINDS]) {
  double v = u->floating ? 0.0 : dq[j], a = u->floating ? 0.0 : ddq[j], share = 1.0;
  if (!u->floating && d >= u->model->n_joints) {
    const struct log_coupling *c = &u->coupling[d - u->model->n_joints];
    share = along(c, j);
    v = along(c, c->motor) * dq[c->motor] + along(c, c->joint) * dq[c->joint];
    a = along(c, c->motor) * ddq[c->motor] + along(c, c->joint) * ddq[c->joint];
  }
  value[DRIVE_ROTOR] = share * a;
  value[DRIVE_VISCOUS] = share * v;
  value[DRIVE_COULOMB] = share * coulomb_share(v);
  value[DRIVE_OFFSET] = 1.0;
  value[DRIVE_ASYMMETRY] = fabs(v);
  if (u->at[d][DRIVE_STRIBECK] != UNKNOWN_NONE) {
    const double of_v = v / u->stribeck[d];
    value[DRIVE_STRIBECK] = coulomb_share(v) * exp(-of_v * of_v);
  }
}

void unknowns_row(const struct unknowns *u, const double *bodies, const double *dq,
                  const double *ddq, size_t j, const size_t *columns, size_t n_columns,
                  double *row) {
  size_t at = 0;
  for (; at < n_columns && columns[at] < TEN * u->bodies; at++) {
    row[at] = bodies[columns[at]];
  }
  for (size_t d = 0; d < u->n_drives && at < n_columns; d++) {
    double value[DRIVE_KINDS];
    bool filled = false;
    for (int kind = 0; kind < DRIVE_KINDS && at < n_columns; kind++) {
      if (u->at[d][kind] == (int)columns[at]) {
        if (!filled) {
          drive_values(u, d, j, dq, ddq, value);
          filled = true;
        }
        row[at++] = value[kind];
      }
    }
  }
}
