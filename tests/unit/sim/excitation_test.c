#include "excitation.h"

#include "support/random_model.h"

/* Positions, velocities and accelerations of every class belong together. */
START_TEST(each_motion_is_the_integral_of_its_velocity_and_that_of_its_acceleration) {
  struct random rng = random_from(test_seed());
  const struct model *model =
      random_model(&rng, (struct random_model_options){.n_joints = 6, .no_slides = true});
  struct excitation excitation;
  for (int kind = EXCITE_REST; kind <= EXCITE_POSES; kind++) {
    excitation_init(&excitation, model, (enum excitation_kind)kind, 1.0, 7, 0.2);
    for (size_t j = 0; j < model->n_joints; j++) {
      struct jet before = excitation_at(&excitation, j, 0.0);
      const double h = 1e-4;
      for (int step = 1; step < 100000; step++) {
        const struct jet now = excitation_at(&excitation, j, step * h);
        /* trapezoids, exact to the third order; an acceleration may jump once within the step */
        must_be_near(now.x - before.x, 0.5 * h * (before.dx + now.dx), 1e-6);
        const double jump = fabs(now.ddx - before.ddx);
        must_be_near(now.dx - before.dx, 0.5 * h * (before.ddx + now.ddx), 1e-6 + 0.5 * h * jump);
        before = now;
      }
    }
  }
}
END_TEST

SUITE(each_motion_is_the_integral_of_its_velocity_and_that_of_its_acceleration)
