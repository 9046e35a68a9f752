#include "body/jacobian.h"

#include "body/frames.h"
#include "support/dynamics_fixture.h"

#include <string.h>

enum { JOINTS = 14, COLUMNS = 6 + JOINTS };

static struct random rng;
static struct dynamics d;
static struct pose placement;
static size_t link_index;

static void setup(void) {
  rng = random_from(test_seed());
  dynamics_of(&d, random_model(&rng, (struct random_model_options){.n_joints = JOINTS}));
}

static void new_case(int trial) {
  dynamics_randomize(&d, &rng);
  placement = (struct pose){random_rotation(&rng), random_vec3(&rng, 0.4)};
  link_index = (size_t)trial % (JOINTS + 1);
}

static void velocity_vector(double *nu) {
  memcpy(nu, &d.state.motion.base.v_B, sizeof(struct motion));
  memcpy(nu + 6, d.state.dq, JOINTS * sizeof(double));
}

static struct motion times(const double *J, const double *nu) {
  double out[6] = {0.0};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < COLUMNS; k++) {
      out[i] += J[i * COLUMNS + k] * nu[k];
    }
  }
  return (struct motion){vec3_from(out), vec3_from(out + 3)};
}

static double motion_distance(struct motion a, struct motion b) {
  return distance3(a.ang, b.ang) + distance3(a.lin, b.lin);
}

START_TEST(jacobian_times_velocity_is_the_frames_velocity) {
  setup();
  for (int trial = 0; trial < 30; trial++) {
    new_case(trial);
    double J[6 * COLUMNS], nu[COLUMNS];
    struct frame_motion f;
    velocity_vector(nu);
    ck_assert_int_eq(frame_motion(&d.kin, link_index, &placement, &f), STATUS_OK);
    ck_assert_int_eq(jacobian(&d.kin, link_index, &placement, JACOBIAN_IN_BASE, J), STATUS_OK);
    ck_assert_double_le(motion_distance(times(J, nu), f.v_B), 1e-12);
    ck_assert_int_eq(jacobian(&d.kin, link_index, &placement, JACOBIAN_IN_FRAME, J), STATUS_OK);
    ck_assert_double_le(motion_distance(times(J, nu), f.v_F), 1e-12);
  }
}
END_TEST

static void jacobian_later(double dt, enum jacobian_coordinates coordinates, double *J) {
  double q[JOINTS];
  for (int j = 0; j < JOINTS; j++) {
    q[j] = d.state.q[j] + dt * d.state.dq[j];
  }
  ck_assert_int_eq(kinematics_update_position(&d.kin, q), STATUS_OK);
  ck_assert_int_eq(jacobian(&d.kin, link_index, &placement, coordinates, J), STATUS_OK);
}

START_TEST(the_jacobians_rate_is_its_derivative_entry_by_entry) {
  setup();
  for (int trial = 0; trial < 30; trial++) {
    new_case(trial);
    const enum jacobian_coordinates coordinates =
        trial % 2 == 0 ? JACOBIAN_IN_BASE : JACOBIAN_IN_FRAME;
    double dJ[6 * COLUMNS], after[6 * COLUMNS], before[6 * COLUMNS];
    const double h = 1e-5;
    ck_assert_int_eq(jacobian_rate(&d.kin, link_index, &placement, coordinates, dJ), STATUS_OK);
    jacobian_later(h, coordinates, after);
    jacobian_later(-h, coordinates, before);
    for (int i = 0; i < 6 * COLUMNS; i++) {
      assert_near((after[i] - before[i]) / (2.0 * h), dJ[i], 1e-6);
    }
  }
}
END_TEST

/* a = d/dt(v, entry by entry) + omega_B x v in base coordinates, and the same for the base's own
 * velocity */
START_TEST(jacobian_and_rate_make_up_the_frames_acceleration) {
  setup();
  for (int trial = 0; trial < 30; trial++) {
    new_case(trial);
    double J[6 * COLUMNS], dJ[6 * COLUMNS], nu[COLUMNS], nudot[COLUMNS];
    const struct base_motion *base = &d.state.motion.base;
    struct frame_motion f;
    ck_assert_int_eq(frame_motion(&d.kin, link_index, &placement, &f), STATUS_OK);
    ck_assert_int_eq(jacobian(&d.kin, link_index, &placement, JACOBIAN_IN_BASE, J), STATUS_OK);
    ck_assert_int_eq(jacobian_rate(&d.kin, link_index, &placement, JACOBIAN_IN_BASE, dJ),
                     STATUS_OK);
    velocity_vector(nu);
    const struct motion vdot = {base->a_B.ang,
                                vec3_sub(base->a_B.lin, vec3_cross(base->v_B.ang, base->v_B.lin))};
    memcpy(nudot, &vdot, sizeof(vdot));
    memcpy(nudot + 6, d.state.ddq, JOINTS * sizeof(double));
    const struct motion by_J = times(J, nudot), by_dJ = times(dJ, nu);
    const vec3 w = base->v_B.ang;
    const struct motion a = {vec3_add(vec3_add(by_J.ang, by_dJ.ang), vec3_cross(w, f.v_B.ang)),
                             vec3_add(vec3_add(by_J.lin, by_dJ.lin), vec3_cross(w, f.v_B.lin))};
    ck_assert_double_le(motion_distance(a, f.a_B), 1e-10);
  }
}
END_TEST

/* A frame on a link is a link without mass on a joint that never moves. */
START_TEST(a_frames_motion_does_not_depend_on_the_link_it_is_written_in) {
  setup();
  for (int trial = 0; trial < 30; trial++) {
    new_case(trial);
    struct frame_motion at_link, f;
    const struct pose identity = POSE_IDENTITY;
    ck_assert_int_eq(frame_motion(&d.kin, link_index, &identity, &at_link), STATUS_OK);
    ck_assert_double_le(motion_distance(at_link.v_F, kinematics_v_L(&d.kin, link_index)), 1e-12);
    ck_assert_double_le(motion_distance(at_link.a_F, kinematics_a_L(&d.kin, link_index)), 1e-11);
    /* rigid body: a_F of the far frame from the near one, in the near one's coordinates */
    ck_assert_int_eq(frame_motion(&d.kin, link_index, &placement, &f), STATUS_OK);
    const vec3 w = at_link.v_F.ang, alpha = at_link.a_F.ang, r = placement.p;
    const vec3 a =
        vec3_add(vec3_add(at_link.a_F.lin, vec3_cross(alpha, r)), vec3_cross(w, vec3_cross(w, r)));
    ck_assert_double_le(distance3(mat3_tmul_vec3(&placement.R, a), f.a_F.lin), 1e-11);
  }
}
END_TEST

START_TEST(links_that_do_not_exist_are_refused) {
  setup();
  new_case(0);
  double J[6 * COLUMNS] = {7.0};
  struct frame_motion f;
  ck_assert_int_eq(jacobian(&d.kin, JOINTS + 1, &placement, JACOBIAN_IN_BASE, J),
                   STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(frame_motion(&d.kin, JOINTS + 1, &placement, &f), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(kinematics_update_position(&d.kin, d.state.q), STATUS_OK);
  ck_assert_int_eq(jacobian_rate(&d.kin, 1, &placement, JACOBIAN_IN_BASE, J), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(frame_motion(&d.kin, 1, &placement, &f), STATUS_BAD_ARGUMENT);
  ck_assert_double_eq(J[0], 7.0);
}
END_TEST

SUITE(jacobian_times_velocity_is_the_frames_velocity,
      the_jacobians_rate_is_its_derivative_entry_by_entry,
      jacobian_and_rate_make_up_the_frames_acceleration,
      a_frames_motion_does_not_depend_on_the_link_it_is_written_in,
      links_that_do_not_exist_are_refused)
