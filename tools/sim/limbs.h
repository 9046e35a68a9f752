/* The parts of the upper body, found from the tree: which joints swing and bend the arms, where the
 * trunk ends. Names are never looked at. */
#ifndef LIMBS_H
#define LIMBS_H

#include "posture.h"

struct arm {
  int shoulder;   /* first joint with a lateral axis, or MODEL_NO_JOINT */
  int elbow;      /* second one, or MODEL_NO_JOINT */
  double forward; /* sign of q that swings the hand forward */
  double bend;    /* sign of q that bends the elbow, by the larger side of its range */
};

struct limbs {
  struct arm arm[2];               /* left, right */
  size_t trunk;                    /* link that carries the arms; the base where there are none */
  bool is_trunk[MODEL_MAX_JOINTS]; /* joints between base and trunk */
};

/* [start] `posture` as posture_init leaves it; the joints of its legs are not looked at. */
void limbs_find(struct limbs *limbs, struct posture *posture);

#endif
