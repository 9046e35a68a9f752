#include "support/sim_fixture.h"

#include "sim_arguments.h"

struct stock_robot test_robot(const char *name) {
  struct stock_robot stock;
  struct message error = {0};
  ck_assert_msg(stock_robot_load(name, "config/robots", &stock, &error) == STATUS_OK, "%s",
                error.text);
  return stock;
}

struct sim_options test_options(const struct stock_robot *stock, const char *scenario) {
  struct sim_options options = sim_defaults(stock->robot, stock->urdf, scenario);
  sim_make_ideal(&options);
  return options;
}

void test_a_little_wrong(struct sim_options *options) {
  static const char *const ordinary[][2] = {{"body-length", "0.001"},
                                            {"body-mass", "0.03"},
                                            {"body-com", "0.005"},
                                            {"gyro-bias", "0.02"}};
  for (size_t i = 0; i < sizeof(ordinary) / sizeof(ordinary[0]); i++) {
    ck_assert(sim_arguments_set(ordinary[i][0], ordinary[i][1], options));
  }
}

struct sim *test_sim(const struct sim_options *options) {
  struct sim *sim = NULL;
  struct message error = {0};
  ck_assert_msg(sim_create(&sim, options, &error) == STATUS_OK, "%s", error.text);
  return sim;
}
