/* The scenarios, one row each. */
#ifndef SCENARIO_TABLE_H
#define SCENARIO_TABLE_H

#include "excitation.h"
#include "scenario_motions.h"

struct scenario_row {
  const char *name, *help;
  scenario_move *move;             /* NULL: the base is held, and joints follow the excitation */
  enum excitation_kind excitation; /* of the held robot, or of the upper body in move_sines */
  double duration_s;
};

/* [any] `scenario` below SIM_SCENARIOS. */
const struct scenario_row *scenario_row(enum sim_scenario scenario);

#endif
