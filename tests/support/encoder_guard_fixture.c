#include "support/encoder_guard_fixture.h"

struct encoder_guard guard_of(size_t n) {
  struct encoder_guard guard;
  struct arena count = {0};
  ck_assert_int_eq(encoder_guard_init(&guard, n, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(encoder_guard_init(&guard, n, &arena), STATUS_OK);
  return guard;
}

struct encoder_guard new_guard(void) {
  return guard_of(2);
}

enum encoder_verdict judge_joint(struct encoder_guard *guard, size_t j, double q, double predicted,
                                 double unseen_slip, bool doubt) {
  const double apart = encoder_guard_apart(guard, j, q, ENCODER_DT);
  if (apart == 0.0) {
    return ENCODER_LEAVE;
  }
  const struct encoder_expectation expected = {.q = predicted,
                                               .dq = guard->joint[j].steps.velocity,
                                               .sd = ENCODER_SD,
                                               .noise = ENCODER_SD,
                                               .dt = apart,
                                               .unseen_slip = unseen_slip,
                                               .doubt = doubt};
  return encoder_guard_judge(guard, j, q, &expected);
}

enum encoder_verdict judge(struct encoder_guard *guard, double q, double predicted,
                           double unseen_slip) {
  return judge_joint(guard, 0, q, predicted, unseen_slip, false);
}
