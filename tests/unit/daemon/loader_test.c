#include "loader.h"

#include "support/suite.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A loader whose thread hangs in a load: there is none. */
static void begin_hung(struct loader *loader) {
  memset(loader, 0, sizeof(*loader));
  loader->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  sem_init(&loader->orders, 0, 0);
  loader_order(loader, "robot.yaml", NULL, NULL);
}

/* What its thread does at the end of a load. */
static void end_load(struct loader *loader, enum status status) {
  const uint64_t one = 1;
  loader->load.status = status;
  ck_assert_int_eq(write(loader->done, &one, sizeof(one)), sizeof(one));
}

static struct loader loader;

START_TEST(a_load_that_takes_too_long_is_given_up_once_and_says_why) {
  begin_hung(&loader);
  const int64_t limit_ns = loader.ordered_ns + LOADER_PATIENCE_NS;
  ck_assert_ptr_null(loader_take(&loader, limit_ns));
  const struct load *told = loader_take(&loader, limit_ns + 1);
  ck_assert_ptr_nonnull(told);
  ck_assert_int_eq(told->status, STATUS_STALE);
  ck_assert_str_eq(told->errors.error[0].text,
                   "robot.yaml: not read within 20 s, it or a file that it names: does the disk "
                   "answer?");
  ck_assert_ptr_null(loader_take(&loader, limit_ns + 2));
  close(loader.done);
}
END_TEST

START_TEST(what_comes_of_it_later_is_thrown_away_and_then_one_can_order_again) {
  begin_hung(&loader);
  loader_take(&loader, loader.ordered_ns + LOADER_PATIENCE_NS + 1);
  ck_assert(loader.under_way && loader.given_up);
  end_load(&loader, STATUS_REFUSED);
  ck_assert_ptr_null(loader_take(&loader, loader.ordered_ns));
  ck_assert(!loader.under_way);
  loader_order(&loader, "robot.yaml", NULL, NULL);
  end_load(&loader, STATUS_REFUSED);
  const struct load *load = loader_take(&loader, loader.ordered_ns);
  ck_assert_ptr_nonnull(load);
  ck_assert_int_eq(load->status, STATUS_REFUSED);
  close(loader.done);
}
END_TEST

SUITE(a_load_that_takes_too_long_is_given_up_once_and_says_why,
      what_comes_of_it_later_is_thrown_away_and_then_one_can_order_again)
