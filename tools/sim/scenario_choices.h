/* What a scenario chooses where the options left it open, to the measure of the robot. */
#ifndef SCENARIO_CHOICES_H
#define SCENARIO_CHOICES_H

#include "limbs.h"
#include "sim_options.h"

/* Fills members of options->push that are zero: a push that the robot bears, or one that it does
 * not in scenario fall. [start] */
void choose_push(struct sim_options *options, double leg_length);

/* Fills options->payload in the scenarios that need one and were given no link. [start] */
void choose_payload(struct sim_options *options, const struct limbs *limbs, double leg_length);

#endif
