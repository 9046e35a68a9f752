/* A robot and estimates made up for tests of what carries them: each number is different and says
 * where it belongs. */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include "pipeline.h"
#include "robot/robot.h"

#include <stdio.h>
#include <string.h>

enum { SYNTHETIC_JOINTS = 30, SYNTHETIC_CELLS = 1260 };

/* Thirty joints in a row, the last one prismatic, two feet, 60 kg. */
struct robot synthetic_robot(void);

/* Fills `n` doubles with base, base + 1, ... */
void synthetic_fill(double *value, int n, double base);

/* Everything estimated, every number different. */
void synthetic_estimates(struct estimates *estimates, uint64_t seq, int64_t t_ns);

/* An estimate of two links, every number different. */
struct inertia_estimate synthetic_inertia_estimate(int64_t t_ns);

#endif
