/* A burst of finite, believable but wrong readings from one sensor, put into frames before the
 * estimators see them. */
#ifndef BURST_FAULT_H
#define BURST_FAULT_H

#include "burst_channel.h"
#include "tape.h"

enum burst_sensor {
  BURST_ACCELEROMETER, /* of the IMU */
  BURST_GYRO,
  BURST_IMU,  /* both */
  BURST_LIMB, /* the encoders of one limb: the joints between two branchings of the tree */
  BURST_LINK, /* the skin of one link */
  BURST_SKIN, /* all of it */
  BURST_FORCES,
  BURST_SENSORS
};

struct burst_fault {
  enum burst_sensor sensor;
  enum burst_kind kind;
  double start_s, length_s; /* s from the tape's start; at least one sample is hit */
  uint64_t seed;            /* which limb or link, and the noise */
};

/* Its word as the command line has it: "accelerometer"; NULL beyond the last. [any] */
const char *burst_sensor_name(size_t sensor);

/* A burst at work. */
struct burst {
  struct burst_fault fault;
  const struct tape *tape;
  bool joint[MODEL_MAX_JOINTS]; /* those of the limb */
  size_t link;                  /* whose skin */
  size_t first, last;           /* instants: the first bad sample, the last */
  struct sim_random random;
  bool holds; /* frozen readings are held */
  struct frame_copy held;
};

/* Finds what is hit. [start] Free with burst_free. False: the robot has no such sensor, or the tape
 * ends before. */
bool burst_init(struct burst *burst, const struct burst_fault *fault, const struct tape *tape);
void burst_free(struct burst *burst);

/* Spoils instant k, when the burst is on. [any] Once for each instant, in order. */
void burst_apply(struct burst *burst, size_t k, struct frame_copy *copy);

/* What is hit, in words: a joint's or link's name, or "". [any] */
const char *burst_target(const struct burst *burst);

#endif
