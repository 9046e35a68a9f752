/* The four streams from the sensors to the daemon: what samples when, and what has arrived. */
#ifndef SIM_STREAMS_H
#define SIM_STREAMS_H

#include "delay_line.h"
#include "sim_sensors.h"
#include "sim_skin.h"
#include "sim_vibration.h"
#include "truth_taker.h"

struct sim_streams {
  struct sim_options options;
  struct sim_sensors sensors;
  struct sim_skin skin;
  struct sim_vibration_state vibration;
  struct delay_line line[PROPRIOD_SHM_STREAMS];
  void *held[PROPRIOD_SHM_STREAMS];   /* what was measured last, where that is less often than it is
                                       read; NULL: it is not, or cells of skin hold their own */
  int64_t turn[PROPRIOD_SHM_STREAMS]; /* of that measurement */
};

/* [start] Free with `sim_streams_free`. Streams of which the robot has no sensor never deliver. */
enum status sim_streams_init(struct sim_streams *streams, const struct sim_options *options);
void sim_streams_free(struct sim_streams *streams);

/* Whether this instant is looked at: a stream samples it, or something has a memory. [any] */
bool sim_streams_look(const struct sim_streams *streams, int64_t elapsed_ns);

/* Takes the samples that are due `elapsed_ns` after the start at `t0_ns`. [any] After
 * `truth_take` of the same instant. */
void sim_streams_sample(struct sim_streams *streams, const struct physics *physics,
                        const struct truth_taker *taker, int64_t elapsed_ns, int64_t t0_ns);

/* Points the frame at the newest samples that have arrived at `now_ns`; valid until the next call.
 * [any] */
void sim_streams_receive(struct sim_streams *streams, int64_t now_ns, struct sensor_frame *frame);

#endif
