#include "centroidal/net_history.h"

#include "support/suite.h"

static const int64_t MS = 1000000;

START_TEST(what_was_then_is_the_newest_that_is_not_later) {
  struct net_history history = {.count = 0};
  ck_assert_ptr_null(net_history_at(&history, 5 * MS));
  for (int64_t k = 1; k <= 1000; k++) {
    net_history_note(&history,
                     &(struct net_moment){.t_ns = k * MS, .force_W = {0.0, 0.0, (double)k}});
  }
  const int64_t asked_ns[] = {1000 * MS, 2000 * MS, 990 * MS + 1, 990 * MS - 1, 5 * MS};
  const double then[] = {1000.0, 1000.0, 990.0, 989.0, 1001.0 - NET_HISTORY};
  for (size_t i = 0; i < sizeof(then) / sizeof(then[0]); i++) {
    ck_assert_double_eq(net_history_at(&history, asked_ns[i])->force_W.z, then[i]);
  }
}
END_TEST

SUITE(what_was_then_is_the_newest_that_is_not_later)
