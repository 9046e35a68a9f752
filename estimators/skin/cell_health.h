/* Whether each skin cell can be trusted: a small state machine per cell, stepped with every skin
 * sample.
 *
 * A sample is screened before it counts: outliers against the link's own fused motion are taken out
 * of the fusion one by one, worst first, so that a spike never reaches the filter. What a cell does
 * over time decides its state: one bad sample makes it suspect, many make it faulty, as many good
 * ones take it back. Touched cells move with what touches them and are left out while they are.
 * Boards that poll their cells in turn are read more often than these measure: what a cell then
 * repeats is an old reading under a new stamp, and waits for the next. */
#ifndef CELL_HEALTH_H
#define CELL_HEALTH_H

#include "common/arena.h"
#include "common/status.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"
#include "robot/sensor_hold.h"
#include "skin/skin_fusion.h"

#include <stdint.h>

enum cell_state {
  CELL_OK,
  CELL_SUSPECT,    /* a recent sample was bad; good samples are used */
  CELL_FAULTY,     /* left out until it has been good for a while */
  CELL_CONTACT,    /* touched: left out */
  CELL_PRECONTACT, /* about to be touched: left out */
  CELL_STALE,      /* the driver has marked it invalid for longer than stale_s */
  CELL_STATES
};

/* Why the last bad sample was bad. */
enum cell_reason {
  CELL_REASON_NONE,
  CELL_REASON_INVALID,    /* the driver says so: no reading, and for a while no fault */
  CELL_REASON_NOT_FINITE, /* NaN or Inf */
  CELL_REASON_PATTERN,    /* three equal numbers: all zeros, all ones, -1 -1 -1 */
  CELL_REASON_SATURATED,  /* at the end of its range */
  CELL_REASON_STUCK,      /* does not change although the link's motion does */
  CELL_REASON_RESIDUAL,   /* contradicts the rest of the link: spike, bias, wrong mounting */
  CELL_REASON_REPEATED,   /* its last reading once more, of a cell that measures less often than it
                             is read: left out, and no fault */
  CELL_REASONS
};

/* "ok", "suspect", ... and "invalid", "stuck", ...; never NULL. [any] */
const char *cell_state_text(enum cell_state state);
const char *cell_reason_text(enum cell_reason reason);

struct cell_health_settings {
  double noise;          /* m/s^2, one standard deviation per axis, calibration errors included */
  double range;          /* m/s^2, at or beyond: saturated */
  double residual_gate;  /* standard deviations: largest component of a residual that passes */
  double stuck_motion;   /* m/s^2: an unchanged reading while the link's motion asks for more than
                            this is stuck */
  int suspect_limit;     /* bad samples in a row that make a cell faulty */
  int readmit_after;     /* good samples in a row that take a faulty cell back */
  int release_after;     /* samples without touch that end a contact */
  double proximity_near; /* 0 .. 1: at or above: pre-contact */
  double force_touch;    /* N: at or above: contact */
  double stale_s;        /* s */
};

struct cell_health_settings cell_health_defaults(void);

struct cell_record {
  uint8_t state;    /* enum cell_state */
  uint8_t reason;   /* enum cell_reason */
  uint16_t badness; /* leaky count of bad samples */
  uint16_t good;    /* good samples in a row */
  uint16_t free;    /* samples without touch in a row */
  struct sensor_hold hold;
  bool anchored;    /* `anchor` is of the reading that is repeated */
  float last[3];    /* m/s^2, last reading, cell frame */
  float anchor[3];  /* m/s^2, link frame: what the link asked for when the reading last changed */
  float residual;   /* m/s^2, smoothed size of the residual */
  int64_t valid_ns; /* last instant at which the driver called it valid */
};

struct cell_health {
  struct cell_health_settings settings;
  const struct robot *robot;
  struct cell_record *cell;  /* [n_cells] */
  float (*residual)[3];      /* [n_cells] m/s^2, link frame, of the last sample */
  uint8_t *verdict;          /* [n_cells] enum cell_reason of the last sample */
  size_t count[CELL_STATES]; /* cells in each state */
  uint64_t changes;          /* rises whenever a cell's usability changes: time to select anew */
  uint64_t outliers;         /* samples taken out of a fusion */
  uint64_t rejected[CELL_REASONS];
};

/* [start] OUT_OF_RANGE: a setting that is no noise, gate or count. */
enum status cell_health_init(struct cell_health *health, const struct robot *robot,
                             const struct cell_health_settings *settings, struct arena *arena);

/* Screens the sample that `fusion` has just fused, mends the fusion, and moves every cell's state.
 * [real-time]
 *   omega     [n_links] rad/s, link coordinates: the filter's estimate
 *   expected  [n_links] rad/s^2, m/s^2: accelerations of the links by the same estimate, specific
 *             force; NULL while there is none
 * Masks and unmasks cells in `fusion` from the next sample on. Bounded: a link is fused
 * anew once for all that is stuck, and at most MAX_OUTLIERS times. */
void cell_health_step(struct cell_health *health, struct skin_fusion *fusion,
                      const struct skin_reading *reading, const vec3 *omega,
                      const struct motion *expected);

/* True when the cell may be selected: neither faulty nor touched nor stale. [any] */
static inline bool cell_health_usable(const struct cell_health *health, size_t cell) {
  const uint8_t state = health->cell[cell].state;
  return state == CELL_OK || state == CELL_SUSPECT;
}

#endif
