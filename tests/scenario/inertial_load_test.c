/* A load that the pipeline learns, and what it is good for: the centre of mass and the momentum of
 * the laden robot. */
#include "support/pipeline_fixture.h"
#include "support/sim_fixture.h"

#include <math.h>
#include <string.h>

static const double LOAD = 8.0, TAKEN_S = 2.0, SINCE_S = 6.5, END_S = 7.5;

static struct pipeline *new_pipeline(const struct robot *robot, bool fed) {
  struct pipeline_settings settings = pipeline_defaults();
  settings.joints.encoder_noise = 1e-4;
  settings.inertial.n_links = 1;
  settings.inertial.feed_centroidal = fed;
  strcpy(settings.inertial.link[0], "torso_pitch_link");
  return test_pipeline(robot, &settings);
}

struct errors {
  double mass, com, momentum; /* sums of squares: kg^2, m^2, (kg m^2/s)^2 */
};

/* Yaw is free, so vectors are compared in the base, the momentum by its size along z. */
static void add_errors(struct errors *errors, const struct estimates *estimates,
                       const struct sim_truth *truth) {
  const struct propriod_centroidal *body = &estimates->centroidal;
  const struct pose X_BW = pose_inverse(&truth->base.X_WB);
  const vec3 com = vec3_sub(body->com_in_base, pose_apply(&X_BW, truth->com_W));
  const double L = vec3_norm(body->angular_momentum) - vec3_norm(truth->angular_momentum_W);
  errors->mass += pow(body->mass - truth->mass, 2.0);
  errors->com += vec3_dot(com, com);
  errors->momentum += L * L;
}

START_TEST(a_learned_load_puts_mass_centre_of_mass_and_momentum_right) {
  struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = sim_defaults(stock.robot, stock.urdf, "payload");
  options.seed = 4711;
  options.duration_s = END_S;
  options.joints.has_effort = false;
  options.payload = (struct sim_payload){.link = "torso_pitch_link",
                                         .mass = LOAD,
                                         .com = {0.18, 0.05, 0.22},
                                         .size = {0.3, 0.3, 0.3},
                                         .attach_s = TAKEN_S};
  struct sim *sim = test_sim(&options);
  struct pipeline *pipeline[2] = {new_pipeline(stock.robot, false),
                                  new_pipeline(stock.robot, true)};
  struct errors errors[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  static struct estimates estimates[2];
  int64_t start_ns = 0;
  while (sim_step(sim) == STATUS_OK) {
    const struct sensor_frame *frame = sim_frame(sim);
    start_ns = start_ns == 0 ? frame->t_ns : start_ns;
    const bool counts = 1e-9 * (double)(frame->t_ns - start_ns) > SINCE_S;
    for (int fed = 0; fed < 2; fed++) {
      pipeline_step(pipeline[fed], frame, &estimates[fed]);
      if (counts) {
        add_errors(&errors[fed], &estimates[fed], sim_truth(sim));
      }
    }
  }
  ck_assert_double_gt(errors[0].mass, 0.0);
  ck_assert_double_lt(sqrt(errors[1].mass), 0.02 * sqrt(errors[0].mass));
  ck_assert_double_lt(sqrt(errors[1].com), 0.1 * sqrt(errors[0].com));
  ck_assert_double_lt(sqrt(errors[1].momentum), 0.1 * sqrt(errors[0].momentum));
  sim_destroy(sim);
}
END_TEST

SUITE(a_learned_load_puts_mass_centre_of_mass_and_momentum_right)
