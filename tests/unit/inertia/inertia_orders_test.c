#include "inertia/inertia_orders.h"
#include "support/random_body.h"
#include "support/suite.h"

#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 200 };

static const enum inertia_order ORDERS[] = {INERTIA_ORDER_OURS, INERTIA_ORDER_PINOCCHIO,
                                            INERTIA_ORDER_KHALIL, INERTIA_ORDER_SPATIAL_V2};

static void assert_same(const struct inertia *a, const struct inertia *b, double tolerance) {
  double x[INERTIA_PARAMETERS], y[INERTIA_PARAMETERS];
  inertia_to(a, x);
  inertia_to(b, y);
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    assert_near(x[i], y[i], tolerance * (1.0 + fabs(y[i])));
  }
}

START_TEST(every_order_has_each_parameter_in_the_place_that_its_origin_documents) {
  const struct inertia pi = {
      .m = 1, .h = {2, 3, 4}, .Ixx = 11, .Ixy = 12, .Ixz = 13, .Iyy = 22, .Iyz = 23, .Izz = 33};
  const double written[][INERTIA_PARAMETERS] = {
      {1, 2, 3, 4, 11, 12, 13, 22, 23, 33}, /* ours */
      {1, 2, 3, 4, 11, 12, 22, 13, 23, 33}, /* Pinocchio */
      {11, 12, 13, 22, 23, 33, 2, 3, 4, 1}, /* Khalil */
      {1, 2, 3, 4, 11, 22, 33, 23, 13, 12}, /* spatial_v2 */
  };
  for (size_t k = 0; k < sizeof(ORDERS) / sizeof(ORDERS[0]); k++) {
    double out[INERTIA_PARAMETERS];
    inertia_to_order(ORDERS[k], &pi, out);
    for (int i = 0; i < INERTIA_PARAMETERS; i++) {
      ck_assert(out[i] == written[k][i]);
    }
    const struct inertia back = inertia_from_order(ORDERS[k], out);
    assert_same(&back, &pi, 0.0 + 1e-16);
  }
}
END_TEST

START_TEST(a_body_written_to_urdf_with_any_axes_comes_back) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct inertia pi = random_body(&random);
    double mass;
    vec3 c;
    mat3 I_C;
    inertia_to_urdf(&pi, &mass, &c, &I_C);
    const mat3 R = random_pose(&random).R, Rt = mat3_transpose(&R), half = mat3_mul(&I_C, &R),
               I_I = mat3_mul(&Rt, &half);
    const struct pose X_LI = {R, c};
    const struct inertia back = inertia_from_urdf(mass, &X_LI, &I_I);
    assert_same(&back, &pi, 1e-12);
  }
}
END_TEST

START_TEST(a_body_written_for_mujoco_comes_back_with_ordered_moments) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct inertia pi = random_body(&random);
    double mass;
    vec3 ipos, principal;
    quat iquat;
    ck_assert_int_eq(inertia_to_mujoco(&pi, &mass, &ipos, &iquat, &principal), STATUS_OK);
    ck_assert(principal.x >= principal.y && principal.y >= principal.z);
    const struct inertia back = inertia_from_mujoco(mass, ipos, iquat, principal);
    assert_same(&back, &pi, 1e-12);
  }
}
END_TEST

START_TEST(mujoco_reads_an_inertial_as_we_do) {
  static const char *const MODEL =
      "<mujoco><worldbody><body><freejoint/><inertial pos='0.1 -0.2 0.3' mass='2.5' "
      "fullinertia='0.05 0.06 0.07 0.004 -0.003 0.002'/></body></worldbody></mujoco>";
  mjVFS *vfs = calloc(1, sizeof(*vfs));
  mj_defaultVFS(vfs);
  ck_assert_int_eq(mj_makeEmptyFileVFS(vfs, "body.xml", (int)strlen(MODEL)), 0);
  memcpy(vfs->filedata[0], MODEL, strlen(MODEL));
  char error[256] = "";
  mjModel *model = mj_loadXML("body.xml", vfs, error, sizeof(error));
  ck_assert_msg(model != NULL, "%s", error);

  /* fullinertia: xx yy zz xy xz yz about the centre of mass */
  const mat3 I_C = {{{0.05, 0.004, -0.003}, {0.004, 0.06, 0.002}, {-0.003, 0.002, 0.07}}};
  const struct inertia expected = inertia_of_body(2.5, (vec3){0.1, -0.2, 0.3}, &I_C);
  const mjtNum *q = model->body_iquat + 4; /* scalar first */
  const struct inertia found =
      inertia_from_mujoco(model->body_mass[1], vec3_from(model->body_ipos + 3),
                          (quat){q[1], q[2], q[3], q[0]}, vec3_from(model->body_inertia + 3));
  assert_same(&found, &expected, 1e-10);
  mj_deleteModel(model);
  mj_deleteVFS(vfs);
  free(vfs);
}
END_TEST

START_TEST(a_body_without_mass_cannot_be_written_for_mujoco) {
  const struct inertia pi = {.Ixx = 1.0, .Iyy = 1.0, .Izz = 1.0};
  double mass = 7.0;
  vec3 ipos, principal;
  quat iquat;
  ck_assert_int_eq(inertia_to_mujoco(&pi, &mass, &ipos, &iquat, &principal), STATUS_NOT_CONSISTENT);
  ck_assert(mass == 7.0);
}
END_TEST

SUITE(every_order_has_each_parameter_in_the_place_that_its_origin_documents,
      a_body_written_to_urdf_with_any_axes_comes_back,
      a_body_written_for_mujoco_comes_back_with_ordered_moments, mujoco_reads_an_inertial_as_we_do,
      a_body_without_mass_cannot_be_written_for_mujoco)
