/* What the tree of links says by itself. */
#include "model/model.h"

#include "body/jacobian.h"
#include "support/dynamics_fixture.h"

#include <math.h>

/* Joint root - 1 turned, links that it carries are elsewhere, and no others. */
START_TEST(beyond_a_link_is_what_its_joint_moves) {
  struct random rng = random_from(test_seed());
  struct dynamics d;
  dynamics_of(&d, random_model(&rng, (struct random_model_options){.n_joints = 12}));
  dynamics_randomize(&d, &rng);
  double J[6 * (6 + 12)];
  for (size_t link = 0; link < d.model->n_links; link++) {
    ck_assert_int_eq(jacobian(&d.kin, link, &POSE_IDENTITY, JACOBIAN_IN_BASE, J), STATUS_OK);
    ck_assert(model_is_beyond(d.model, link, 0));
    for (size_t root = 1; root < d.model->n_links; root++) {
      double moves = 0.0;
      for (size_t i = 0; i < 6; i++) {
        moves += fabs(J[i * (6 + 12) + 5 + root]);
      }
      ck_assert(model_is_beyond(d.model, link, root) == (moves > 0.0));
    }
  }
}
END_TEST

SUITE(beyond_a_link_is_what_its_joint_moves)
