/* A pipeline for tests. */
#ifndef PIPELINE_FIXTURE_H
#define PIPELINE_FIXTURE_H

#include "pipeline.h"

/* A pipeline in memory of its own, which is freed with the process; settings that are refused fail
 * the test. [start] */
struct pipeline *test_pipeline(const struct robot *robot, const struct pipeline_settings *settings);

/* The same with default settings, but for the period (s). [start] */
struct pipeline *test_pipeline_every(const struct robot *robot, double period_s);

#endif
