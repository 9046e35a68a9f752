#include "support/pipeline_fixture.h"

#include "support/random_model.h"
#include "support/suite.h"

struct pipeline *test_pipeline(const struct robot *robot,
                               const struct pipeline_settings *settings) {
  struct pipeline *pipeline = NULL;
  struct arena count = {0};
  ck_assert_int_eq(pipeline_init(&pipeline, robot, settings, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(pipeline_init(&pipeline, robot, settings, &arena), STATUS_OK);
  return pipeline;
}

struct pipeline *test_pipeline_every(const struct robot *robot, double period_s) {
  struct pipeline_settings settings = pipeline_defaults();
  settings.period_s = period_s;
  return test_pipeline(robot, &settings);
}
