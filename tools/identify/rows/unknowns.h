/* What is identified: ten parameters of every moving link, and what lies in the joints' drives.
 *
 * On a fixed base from every joint's torque:
 *
 *   tau_j = Y_j pi + rotor_j ddq_j + viscous_j dq_j + coulomb_j s(dq_j) + offset_j
 *           + sum_c d_cj (rotor_c d_c ddq + viscous_c d_c dq + coulomb_c s(d_c dq))
 *
 * Y is the regressor, s the sign with a ramp (joint_drive.h), and d_c the direction in which a
 * coupled motor c turns: its own joint, and others by their ratio. A coupled motor's rotor turns
 * with the coupling only, so its joint has no rotor of its own. A unit of every unknown is SI at
 * the joint. Rotors whose gears are told are bodies in pi, on the link before their joint
 * (rotor_regressor.h). @eq Leboutet22 13 @eq Wensing17 24 25
 *
 * On a floating base from the wrench of the world on all feet, in which drives have no part: six
 * base rows Y pi, the base one of the links, with offsets (an accelerometer's bias) in the three
 * that do not feel the weight. @eq Leboutet22 191 192 */
#ifndef UNKNOWNS_H
#define UNKNOWNS_H

#include "body/regressor.h"
#include "identify/log/log_map.h"

#include <stdbool.h>

enum { UNKNOWN_NONE = -1, DRIVE_KINDS = 6, UNKNOWN_BODIES = 2 * MODEL_MAX_JOINTS + 1 };

/* What a joint or a coupling has beside bodies; couplings have the first three. The last two are
 * asked for: viscous friction that is another forwards than backwards, asymmetry |dq|; and what
 * friction has more of near standstill, stribeck s(dq) exp(-(dq / v)^2). */
enum drive_kind {
  DRIVE_ROTOR,
  DRIVE_VISCOUS,
  DRIVE_COULOMB,
  DRIVE_OFFSET,
  DRIVE_ASYMMETRY,
  DRIVE_STRIBECK
};

/* kg m^2, N m s/rad, N m, N m, N m s/rad, N m */
const char *drive_kind_name(enum drive_kind kind);

struct unknowns {
  const struct model *model;
  bool floating;
  size_t n_channels; /* rows at one instant: joints, or six of the base */
  size_t first_link; /* the first body's: the base when it floats, else the first that moves */
  size_t links;      /* from the first to the last */
  size_t n_rotors;   /* that are bodies of their own, and no rotor inertia of their joint */
  struct {
    size_t joint;
    double ratio;            /* turns per turn of the joint, or rad per m */
  } rotor[MODEL_MAX_JOINTS]; /* [n_rotors] */
  size_t bodies;             /* links, then rotors */
  size_t n_drives; /* joints, then couplings; on a floating base channels, with offsets only */
  size_t n;        /* unknowns in all */
  int at[MODEL_MAX_JOINTS + LOG_COUPLINGS]
        [DRIVE_KINDS];               /* [n_drives] place in x, or UNKNOWN_NONE */
  double stribeck[MODEL_MAX_JOINTS]; /* rad/s (m/s): v of each joint, stribeck_search.h */
  size_t n_couplings;
  struct log_coupling coupling[LOG_COUPLINGS]; /* ratio at the joints: of d_c */
};

/* Which kinds there are. Couplings' ratios are taken from the map. [start] */
struct unknowns unknowns_of(const struct model *model, const struct log_map *map,
                            const bool kinds[DRIVE_KINDS]);

/* On a floating base. [start] */
struct unknowns unknowns_floating(const struct model *model);

/* What the robot's description says of them: x [n]. */
void unknowns_prior(const struct unknowns *unknowns, double *x);

/* "link_1", "joint_2 rotor": body i; `out` is written. */
void unknowns_body(const struct unknowns *unknowns, size_t i, char *out, size_t size);

/* "link_1 Ixx", "joint_2 viscous": `out` is written. */
void unknowns_name(const struct unknowns *unknowns, size_t i, char *out, size_t size);

/* "joint_2", "force z": what channel j measures. */
const char *unknowns_channel(const struct unknowns *unknowns, size_t j);

/* Columns that channel j can depend on, in ascending order, in columns [n]; their number is
 * returned. */
size_t unknowns_columns(const struct unknowns *unknowns, size_t j, size_t *columns);

/* Row of channel j: its columns' values, in that order. bodies: [10 bodies] of the same motion, by
 * body_regressor.h. */
void unknowns_row(const struct unknowns *unknowns, const double *bodies, const double *dq,
                  const double *ddq, size_t j, const size_t *columns, size_t n_columns,
                  double *row);

#endif
