/* What skin and feet say of an accelerometer that is a little off: the offset to rounding, and who
 * is believed. */
#include "sensors/force_witness.h"
#include "skin/joint_measurement.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { LINKS = 6, ROWS = 6 };

struct skin_case {
  struct link_rows block[LINKS];
  struct pose X_BL[LINKS];
  double nu[LINKS * ROWS];
};

/* Rows of any kind, with the innovation that this offset of the base's force makes alone. */
static void make(struct skin_case *c, vec3 offset, struct random *random) {
  double *nu = c->nu;
  memset(c, 0, sizeof(*c));
  for (size_t b = 0; b < LINKS; b++) {
    c->X_BL[b] = POSE_IDENTITY;
    c->X_BL[b].R = random_rotation(random);
    c->block[b].link = b;
    c->block[b].rank = ROWS;
    const mat3 R_LB = mat3_transpose(&c->X_BL[b].R);
    const vec3 offset_L = mat3_mul_vec3(&R_LB, offset);
    for (int i = 0; i < ROWS; i++) {
      for (int k = 0; k < PART_SIZE; k++) {
        c->block[b].W[i][k] = random_uniform(random, -3.0, 3.0);
      }
      *nu++ = vec3_dot(vec3_from(&c->block[b].W[i][PART_VDOT]), offset_L);
    }
  }
}

static struct force_witness witness_of(vec3 offset, int samples) {
  static struct skin_case c;
  struct random random = random_from(test_seed());
  struct force_witness witness = {0};
  for (int i = 1; i <= samples; i++) {
    make(&c, offset, &random);
    force_witness_skin(&witness, c.block, LINKS, c.nu, c.X_BL, 4000000 * (int64_t)i);
  }
  return witness;
}

START_TEST(the_offset_that_explains_all_rows_is_found_to_rounding) {
  const vec3 offset = {1.2, -0.7, 0.4};
  const struct force_witness witness = witness_of(offset, 20);
  ck_assert_double_lt(vec3_norm(vec3_sub(witness.skin, offset)), 1e-12);
  ck_assert(force_witness_differs(&witness, witness.skin_ns));
  ck_assert(!force_witness_differs(&witness, witness.skin_ns + 100000000)); /* too long ago */
}
END_TEST

START_TEST(skin_that_sees_one_axis_alone_says_nothing) {
  static struct skin_case c;
  struct random random = random_from(test_seed());
  struct force_witness witness = {0};
  make(&c, (vec3){1.0, 1.0, 1.0}, &random);
  for (size_t b = 0; b < LINKS; b++) {
    c.X_BL[b] = POSE_IDENTITY;
    for (int i = 0; i < ROWS; i++) {
      c.block[b].W[i][PART_VDOT + 1] = c.block[b].W[i][PART_VDOT + 2] = 0.0;
    }
  }
  force_witness_skin(&witness, c.block, LINKS, c.nu, c.X_BL, 1);
  ck_assert_int_eq(witness.skin_ns, 0);
}
END_TEST

/* The base is turned half round about z: the skin's x is the world's -x. */
static bool denies(vec3 skin, struct dragged_foot one, struct dragged_foot other, size_t feet) {
  const struct force_witness witness = {.skin = skin, .skin_ns = 1000};
  const mat3 turned = mat3_from_rpy((vec3){0.0, 0.0, M_PI});
  const struct dragged_foot foot[2] = {one, other};
  return force_witness_denies(&witness, foot, feet, &turned, 1000);
}

START_TEST(a_foot_speaks_with_the_skin_and_several_speak_where_they_are_felt) {
  const vec3 one = {1.0, 0.0, 0.0}, none = VEC3_ZERO, blow = {9.0, 0.0, 0.0};
  const struct dragged_foot still = {.drag = 0.5, .way = {0.01, 0.0, 0.0}, .felt = true},
                            with = {.drag = 4.0, .way = {0.7, 0.1, 0.0}, .felt = true},
                            against = {.drag = 4.0, .way = {-0.7, 0.1, 0.0}, .felt = true},
                            far = {.drag = 30.0, .way = {0.7, 0.1, 0.0}, .felt = true},
                            back = {.drag = 30.0, .way = {-0.7, 0.1, 0.0}, .felt = true},
                            lifted = {.drag = 30.0, .way = {0.7, 0.1, 0.0}},
                            tips = {
                                .drag = 30.0, .way = {0.7, 0.1, 0.0}, .felt = true, .turns = true};
  ck_assert(denies(one, with, still, 2));     /* the estimate goes where skin says it does not */
  ck_assert(denies(one, with, still, 1));     /* on one foot too */
  ck_assert(!denies(one, against, still, 2)); /* skin would have it go faster still */
  ck_assert(!denies(one, still, still, 2));
  ck_assert(!denies(blow, with, still, 2)); /* others judge a jump */
  ck_assert(!denies(none, with, with, 2));
  ck_assert(denies(none, far, far, 2));
  ck_assert(!denies(none, far, far, 1));  /* one foot may slip */
  ck_assert(!denies(none, far, back, 2)); /* so may two, each its own way */
  ck_assert(!denies(none, lifted, lifted, 2));
  ck_assert(!denies(none, tips, tips, 2)); /* the robot falls over them */
  ck_assert(!denies(one, tips, still, 2));
}
END_TEST

/* Samples whose offset is this, and this more or less by turns. */
static struct force_witness swinging(vec3 offset, vec3 swing) {
  static struct skin_case c;
  struct random random = random_from(test_seed());
  struct force_witness witness = {0};
  for (int i = 1; i <= 200; i++) {
    make(&c, vec3_axpy(offset, i % 2 == 0 ? 1.0 : -1.0, swing), &random);
    force_witness_skin(&witness, c.block, LINKS, c.nu, c.X_BL, 4000000 * (int64_t)i);
  }
  return witness;
}

START_TEST(an_offset_that_its_own_scatter_explains_says_nothing) {
  const vec3 offset = {1.2, 0.0, 0.0}, little = {0.0, 0.5, 0.0}, much = {0.0, 2.0, 0.0};
  const struct force_witness steady = swinging(offset, little), shakes = swinging(offset, much);
  ck_assert_double_lt(fabs(sqrt(3.0 * steady.scatter) - 0.5), 0.1);
  ck_assert(force_witness_differs(&steady, steady.skin_ns));
  ck_assert(!force_witness_differs(&shakes, shakes.skin_ns));
  const struct dragged_foot foot = {.drag = 4.0, .way = {-0.7, 0.0, 0.0}, .felt = true};
  const mat3 upright = MAT3_IDENTITY;
  ck_assert(force_witness_denies(&steady, &foot, 1, &upright, steady.skin_ns));
  ck_assert(!force_witness_denies(&shakes, &foot, 1, &upright, shakes.skin_ns));
}
END_TEST

SUITE(the_offset_that_explains_all_rows_is_found_to_rounding,
      skin_that_sees_one_axis_alone_says_nothing,
      a_foot_speaks_with_the_skin_and_several_speak_where_they_are_felt,
      an_offset_that_its_own_scatter_explains_says_nothing)
