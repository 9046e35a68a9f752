/* Limbs that are estimated for themselves, each on the link that carries it: the hands of a large
 * robot (joint_parts.h).
 *
 * What skin on fingers tells of the arm it tells through the hand's motion alone, and a finger's
 * own motion is far less well known than the hand's. So, given how the hand moves, the fingers'
 * errors have all but nothing to do with those of the rest. A filter of their own has them, on a
 * base that moves as the hand does; the body's filter is as small as if they were not there. Each
 * sample of skin goes both ways:
 *
 *   to the body  what the limb's skin says of its carrier's motion, whatever its joints do
 *                (limb_information.h): rows of the carrier like those of its own skin.
 *   to the limb  how the carrier moved, as the body then knows: the rest of what its skin says is
 *                its joints'. Their update takes that motion for known; what is not known of it is
 *                added to the covariance after it.
 *
 * What this correlates is forgotten from sample to sample. Against one covariance for all, the
 * hands of a humanoid of 60 joints moving smoothly: the body's estimates differ by .03, .05 and .10
 * of a deviation (q, dq, ddq), the fingers' by .08, .11 and .11, the wrists' by up to .35, whose
 * deviations are up to a sixth larger; none is smaller by more than a hundredth, in walking three.
 */
#ifndef CARRIED_LIMB_H
#define CARRIED_LIMB_H

#include "model/motion.h"
#include "process/joint_process.h"
#include "update/limb_information.h"

#include <stdint.h>

struct joint_filter;

struct carried_limb {
  struct joint_filter *filter; /* of its joints */
  size_t carrier;              /* link of the body's robot */
  struct limb_information information;
  size_t n_blocks, n_expected;
  struct link_rows *block;    /* [n_links] its skin of the newest sample */
  struct link_rows *expected; /* [n_links] those that the differences are of */
  int64_t expected_ns;        /* and when these hold */
  int64_t told_ns;            /* the sample of which the body was told last */

  bool given; /* to be taken by its filter in this cycle */
  int64_t given_ns;
  vec3 rate;            /* rad/s: of the carrier, its coordinates */
  struct motion motion; /* rad/s^2, m/s^2: likewise */
  double *noise;        /* [n][6] carried_limb_widen */
};

/* Prepares a limb, and room in each of the `capacity` instants of its filter. [start] filter: NULL
 * on a counting arena; model: of its robot, whose base the carrier is. */
enum status carried_limb_init(struct carried_limb *limb, struct joint_filter *filter,
                              const struct model *model, size_t carrier, size_t capacity,
                              struct arena *arena);

/* How well the limbs' joints will be seen, by the cells' places alone. [start] */
void carried_limbs_survey(struct joint_filter *body);

/* How the limbs' links move by the newest estimate, the body's being in its `kin`: writes theirs in
 * its `omega` and `expected`. [real-time] */
void carried_limbs_expect(struct joint_filter *body);

/* Appends what the limbs' skin, as fused last, says of their carriers at t_ns. [real-time] Returns
 * how many blocks, one for each limb at most. */
size_t carried_limbs_tell(struct joint_filter *body, int64_t t_ns, struct link_rows *block);

/* After the body has taken the skin of t_ns: has the limbs' filters take what is theirs.
 * [real-time] */
void carried_limbs_give(struct joint_filter *body, int64_t t_ns);

/* What the uncertainty of the carrier's motion adds to P after an update that took it for known:
 * V V^T, V = P noise. [real-time] noise: [observed][6] */
void carried_limb_widen(const struct joint_layout *layout, const double *noise, double *P);

#endif
