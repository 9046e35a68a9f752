/* What the real-time thread may rely on: no algorithm over the tree allocates, and none answers OK
 * with a NaN. */
#include "body/frames.h"
#include "body/jacobian.h"
#include "body/jacobians.h"
#include "body/kinematics_batch.h"
#include "body/regressor.h"
#include "support/dynamics_fixture.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_CALLS 0 /* sanitizers bring a malloc of their own */
#else
#define COUNTS_CALLS 1
/* Every way to the allocator of this program counts, then goes on to the C library's. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);
static volatile long allocator_calls;

void *malloc(size_t size) {
  allocator_calls++;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  allocator_calls++;
  return __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  allocator_calls++;
  return __libc_realloc(block, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  allocator_calls++;
  return __libc_memalign(alignment, size);
}
void free(void *block) {
  allocator_calls++;
  __libc_free(block);
}
#endif

enum { JOINTS = 30, LINKS = JOINTS + 1, COLUMNS = 6 + JOINTS, SAMPLES = 16 };

static struct random rng;
static struct dynamics d;
static struct regressor regressor;
static struct kinematics_batch batch;
static struct jacobians all_links;

/* Everything that a step writes. */
static struct {
  struct force base;
  struct motion a_B;
  struct centroidal centroidal;
  struct frame_motion frame;
  double tau[JOINTS], ddq[JOINTS];
  double A[6 * COLUMNS], J[6 * COLUMNS], dJ[6 * COLUMNS];
  double y[LINKS * BATCH_ROWS * SAMPLES];
} out;
static double q_samples[JOINTS * SAMPLES];

static void init(struct arena *arena) {
  require(regressor_init(&regressor, d.model, NULL, 0, arena) == STATUS_OK);
  require(jacobians_init(&all_links, d.model, arena) == STATUS_OK);
  require(kinematics_batch_init(&batch, d.model, NULL, SAMPLES, arena) == STATUS_OK);
}

static void setup(void) {
  rng = random_from(test_seed());
  dynamics_of(
      &d, random_model(&rng, (struct random_model_options){.n_joints = JOINTS, .losses = true}));
  struct arena count = {0};
  init(&count);
  struct arena arena = test_arena(count.used);
  init(&arena);
  dynamics_randomize(&d, &rng);
}

/* One call of everything. The first status that is not OK. */
static enum status step(void) {
  const struct pose placement = POSE_IDENTITY;
  const struct inertia *inertia = d.model->inertia;
  const struct batch_samples samples = {.count = SAMPLES, .stride = SAMPLES, .q = q_samples};
  enum status status = kinematics_update(&d.kin, &d.state.motion);
  if (status != STATUS_OK) {
    return status;
  }
  const enum status each[] = {
      rnea_step(&d.rnea, &d.kin, inertia, NULL, WITH_DRIVES, &out.base, out.tau),
      aba_step(&d.aba, &d.kin, inertia, NULL, WITH_DRIVES, BASE_FLOATING, out.tau, &out.a_B,
               out.ddq),
      composite_step(&d.composite, &d.kin, inertia),
      crba_step(&d.crba, &d.kin, &d.composite, WITH_DRIVES),
      centroidal_step(&d.kin, inertia, &out.centroidal),
      centroidal_matrix(&d.composite, out.A),
      regressor_step(&regressor, &d.kin),
      frame_motion(&d.kin, JOINTS, &placement, &out.frame),
      jacobian(&d.kin, JOINTS, &placement, JACOBIAN_IN_BASE, out.J),
      jacobian_rate(&d.kin, JOINTS, &placement, JACOBIAN_IN_FRAME, out.dJ),
      jacobians_step(&all_links, &d.kin, JACOBIAN_IN_FRAME),
      kinematics_batch_step(&batch, &samples, out.y),
  };
  for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
    if (each[i] != STATUS_OK) {
      return each[i];
    }
  }
  return STATUS_OK;
}

START_TEST(a_thousand_steps_of_everything_never_call_the_allocator) {
#if COUNTS_CALLS
  setup();
  void *volatile block = malloc(1); /* the counter counts */
  free(block);
  const long before = allocator_calls;
  for (int i = 0; i < 1000; i++) {
    d.state.q[i % JOINTS] += 1e-3;
    if (step() != STATUS_OK) {
      break;
    }
  }
  const long after = allocator_calls;
  ck_assert_int_ge(before, 2);
  ck_assert_int_eq(after - before, 0);
  ck_assert_int_eq(step(), STATUS_OK);
#else
  skip("the sanitizer's allocator is not ours to count");
#endif
}
END_TEST

static void assert_finite(const void *numbers, size_t bytes) {
  const double *x = numbers;
  for (size_t i = 0; i < bytes / sizeof(double); i++) {
    ck_assert(isfinite(x[i]));
  }
}

START_TEST(the_largest_motion_that_is_accepted_gives_numbers) {
  setup();
  for (int j = 0; j < JOINTS; j++) {
    d.state.q[j] = j % 2 == 0 ? MOTION_LIMIT_Q : -MOTION_LIMIT_Q;
    d.state.dq[j] = j % 3 == 0 ? MOTION_LIMIT_RATE : -MOTION_LIMIT_RATE;
    d.state.ddq[j] = MOTION_LIMIT_RATE;
  }
  struct base_motion *base = &d.state.motion.base;
  base->v_B.ang = base->a_B.ang = base->a_B.lin =
      (vec3){MOTION_LIMIT_RATE, MOTION_LIMIT_RATE, -MOTION_LIMIT_RATE};
  ck_assert_int_eq(kinematics_update(&d.kin, &d.state.motion), STATUS_OK);
  assert_finite(d.kin.link, LINKS * sizeof(struct link_lanes));
  ck_assert_int_eq(
      rnea_step(&d.rnea, &d.kin, d.model->inertia, NULL, WITH_DRIVES, &out.base, out.tau),
      STATUS_OK);
  assert_finite(out.tau, sizeof(out.tau));
  ck_assert_int_eq(centroidal_step(&d.kin, d.model->inertia, &out.centroidal), STATUS_OK);
  assert_finite(&out.centroidal, sizeof(out.centroidal));
  ck_assert_int_eq(regressor_step(&regressor, &d.kin), STATUS_OK);
  assert_finite(regressor.Y, regressor.rows * regressor.columns * sizeof(double));
}
END_TEST

/* Any one number of the motion turned into NaN or Inf is refused before anything is written. */
START_TEST(no_number_of_the_motion_can_carry_nan_into_a_result) {
  setup();
  memset(&out, 0x5a, sizeof(out));
  double *const arrays[] = {d.state.q, d.state.dq, d.state.ddq,
                            &d.state.motion.base.X_WB.R.m[0][0]};
  const size_t sizes[] = {JOINTS, JOINTS, JOINTS, sizeof(struct base_motion) / sizeof(double)};
  const unsigned char *bytes = (const unsigned char *)&out;
  for (int a = 0; a < 4; a++) {
    for (size_t i = 0; i < sizes[a]; i++) {
      const double good = arrays[a][i];
      arrays[a][i] = i % 2 == 0 ? NAN : INFINITY;
      ck_assert_int_eq(step(), STATUS_NOT_FINITE);
      arrays[a][i] = good;
    }
  }
  for (size_t i = 0; i < sizeof(out); i++) {
    ck_assert_int_eq(bytes[i], 0x5a);
  }
}
END_TEST

SUITE(a_thousand_steps_of_everything_never_call_the_allocator,
      the_largest_motion_that_is_accepted_gives_numbers,
      no_number_of_the_motion_can_carry_nan_into_a_result)
