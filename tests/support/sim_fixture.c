#include "support/sim_fixture.h"

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

struct sim *test_sim(const struct sim_options *options) {
  struct sim *sim = NULL;
  struct message error = {0};
  ck_assert_msg(sim_create(&sim, options, &error) == STATUS_OK, "%s", error.text);
  return sim;
}
