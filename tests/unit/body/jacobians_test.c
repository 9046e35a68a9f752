#include "body/jacobians.h"

#include "support/dynamics_fixture.h"

#include <math.h>

enum { JOINTS = 14, COLUMNS = 6 + JOINTS };

static struct random rng;
static struct dynamics d;
static struct jacobians all;

static void setup(void) {
  rng = random_from(test_seed());
  dynamics_of(&d, random_model(&rng, (struct random_model_options){.n_joints = JOINTS}));
  struct arena count = {0};
  ck_assert_int_eq(jacobians_init(&all, d.model, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(jacobians_init(&all, d.model, &arena), STATUS_OK);
}

/* NaN wherever a column moves a link. */
static void spoil_what_is_written(void) {
  for (size_t link = 0; link < d.model->n_links; link++) {
    for (size_t k = 0; k < 6 * all.stride; k++) {
      if (all.moves[link * all.stride + k % all.stride] > 0.0) {
        all.J[6 * link * all.stride + k] = (double)NAN;
      }
    }
  }
}

/* Against jacobian.h, which goes link by link along the chain. */
START_TEST(every_links_jacobian_is_that_of_its_frame_alone) {
  setup();
  const enum jacobian_coordinates both[] = {JACOBIAN_IN_BASE, JACOBIAN_IN_FRAME};
  for (int trial = 0; trial < 20; trial++) {
    dynamics_randomize(&d, &rng);
    spoil_what_is_written();
    ck_assert_int_eq(jacobians_step(&all, &d.kin, both[trial % 2]), STATUS_OK);
    for (size_t link = 0; link < d.model->n_links; link++) {
      double J[6 * COLUMNS];
      ck_assert_int_eq(jacobian(&d.kin, link, &POSE_IDENTITY, both[trial % 2], J), STATUS_OK);
      for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
          assert_near(jacobians_of(&all, link)[i * all.stride + k], J[i * COLUMNS + k], 1e-13);
        }
      }
    }
  }
}
END_TEST

START_TEST(kinematics_of_another_model_or_never_updated_are_refused) {
  setup();
  struct kinematics never = d.kin;
  never.order = KINEMATICS_NONE;
  ck_assert_int_eq(jacobians_step(&all, &never, JACOBIAN_IN_BASE), STATUS_BAD_ARGUMENT);
  struct kinematics other = d.kin;
  other.model = NULL;
  ck_assert_int_eq(jacobians_step(&all, &other, JACOBIAN_IN_BASE), STATUS_BAD_ARGUMENT);
}
END_TEST

SUITE(every_links_jacobian_is_that_of_its_frame_alone,
      kinematics_of_another_model_or_never_updated_are_refused)
