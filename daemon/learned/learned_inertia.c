#include "learned/learned_inertia.h"

#include <string.h>

/* The body of a configured name, which was found at the start. */
static const char *body_name(const struct robot *robot, const char *configured) {
  const int link = inertial_link(robot, configured);
  return robot->model.link_name[link >= 0 ? link : 0];
}

static const struct inertial_core *core_of(struct pipeline *pipeline) {
  const struct inertial_filter *filter = inertial_estimator_filter(pipeline_inertial(pipeline));
  return filter != NULL ? inertial_filter_core(filter) : NULL;
}

bool learned_busy(struct pipeline *pipeline) {
  const struct inertial_core *core = core_of(pipeline);
  return core != NULL && core->updating;
}

bool learned_take(struct pipeline *pipeline, struct learned_inertia *learned) {
  struct inertial_estimator *estimator = pipeline_inertial(pipeline);
  const struct inertial_filter *filter = inertial_estimator_filter(estimator);
  const struct inertial_core *core = core_of(pipeline);
  if (core == NULL || core->updating || !inertial_core_has_learned(core)) {
    return false;
  }
  const struct robot *robot = pipeline_robot(pipeline);
  const struct inertial_settings *settings = inertial_estimator_settings(estimator);
  learned->model_hash = robot->model_hash;
  learned->snapshot = inertial_filter_result(filter)->snapshot;
  learned->updates = inertial_filter_result(filter)->counters.updates;
  learned->form = (uint32_t)core->settings.form;
  learned->n_links = (uint32_t)core->n_links;
  inertial_core_save(core, learned->estimate, learned->covariance);
  for (size_t k = 0; k < core->n_links; k++) {
    memcpy(learned->name[k], body_name(robot, settings->link[k]), MODEL_NAME_SIZE);
  }
  return true;
}

/* A sound checksum says that a file is as it was written, not that it makes sense. No load is a
 * hundred times as heavy as the robot that carries it. */
static bool is_believable(const struct inertia *estimate, const struct model *model) {
  const double most_kg = 100.0 * model_mass(model);
  return check_inertias(estimate, 1) == STATUS_OK && estimate->m <= most_kg;
}

enum status learned_give(const struct learned_inertia *learned, struct pipeline *pipeline,
                         struct message *error) {
  struct inertial_estimator *estimator = pipeline_inertial(pipeline);
  struct inertial_filter *filter = inertial_estimator_filter(estimator);
  if (filter == NULL) {
    message_set(error, "no links are configured to be estimated");
    return STATUS_REFUSED;
  }
  const struct inertial_core *core = inertial_filter_core(filter);
  const struct robot *robot = pipeline_robot(pipeline);
  const struct inertial_settings *settings = inertial_estimator_settings(estimator);
  if (learned->model_hash != robot->model_hash) {
    message_set(error, "it was learned on another model than %s", robot->model.name);
    return STATUS_REFUSED;
  }
  bool same = learned->n_links == core->n_links;
  for (size_t k = 0; same && k < core->n_links; k++) {
    same = strncmp(learned->name[k], body_name(robot, settings->link[k]), MODEL_NAME_SIZE) == 0;
  }
  if (!same || learned->form != (uint32_t)core->settings.form) {
    message_set(error, "it is about other links, or of a filter of another form");
    return STATUS_REFUSED;
  }
  for (size_t k = 0; k < core->n_links; k++) {
    if (!is_believable(&learned->estimate[k], &robot->model)) {
      message_set(error, "%s of %.3g kg is not believable", learned->name[k],
                  learned->estimate[k].m);
      return STATUS_OUT_OF_RANGE;
    }
  }
  const enum status status = inertial_filter_recall(filter, learned->estimate, learned->covariance);
  if (status != STATUS_OK) {
    message_set(error, "it is %s", status_text(status));
  }
  return status;
}
