/* Whether an encoder is used at this instant, and why not; joint_health of propriod_state. */
#ifndef ENCODER_HEALTH_H
#define ENCODER_HEALTH_H

enum encoder_health {
  ENCODER_OK = 0,
  ENCODER_MISSING, /* NaN, Inf or beyond any robot's range */
  ENCODER_GATED,   /* contradicts the estimate */
  ENCODER_STUCK,   /* does not move although the joint does */
  ENCODER_SHIFTED, /* used, less a step that the joint did not make */
  ENCODER_NOISY,   /* used for what it is good for: it scatters far more than it is said to */
  ENCODER_BEYOND, /* used, and the joint is where or as fast as its description says it cannot be */
  ENCODER_STEPPED, /* used for its joint's pace: it has stepped of late as no joint can */
};

#endif
