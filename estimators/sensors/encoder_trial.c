#include "sensors/encoder_trial.h"

#include <math.h>

/* So long after a step, s, an encoder that skin watches has gone along with its joint when it
 * stands where it has stood since, but for so many deviations of its noise. */
static const double ALONG_AFTER = 0.1, ALONG_GATE = 7.0;
/* A pace that is known no better, rad/s or m/s, agrees by chance. */
static const double KNOWN_PACE = 4.0;
/* Steps so far apart are two, and so near to each other are one, s. */
static const double APART = 8e-3, TOGETHER = 5e-3;

void encoder_trial_next(struct encoder_trial *trial, const struct encoder_steps *steps, double dt,
                        double *since_again) {
  trial->since += trial->since > 0.0 ? dt : 0.0;
  trial->away_s = steps->away ? trial->away_s + dt : 0.0;
  if (steps->away && steps->settled == 0) {
    *since_again = trial->since > APART ? dt : *since_again;
    trial->since = dt;
    trial->along = false;
  }
}

void encoder_trial_leave(struct encoder_trial *trial, const struct encoder_steps *steps,
                         double innovation) {
  trial->agrees = 0;
  trial->off += (innovation - trial->off) / (steps->settled + 1.0);
}

bool encoder_trial_goes_along(const struct encoder_trial *trial, const struct encoder_steps *steps,
                              double innovation, double dq, double dq_sd, double noise, bool seen) {
  if (!seen) {
    return steps->settled > TRIAL_READINGS && dq_sd < KNOWN_PACE &&
           !encoder_steps_faster(steps, dq, noise);
  }
  return trial->since > ALONG_AFTER && fabs(innovation - trial->off) < ALONG_GATE * noise;
}

bool encoder_trial_together(const struct encoder_trial *trial, double away_s) {
  return trial->away_s > 0.0 && fabs(trial->away_s - away_s) < TOGETHER;
}

bool encoder_trial_has_ended(const struct encoder_trial *trial, double since_again) {
  return fabs(trial->since - since_again) < TOGETHER;
}
