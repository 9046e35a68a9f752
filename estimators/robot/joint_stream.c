#include "robot/joint_stream.h"

#include "model/name_suggestion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "-name=0.1" in its parts. */
struct place {
  char name[JOINT_STREAM_SIZE];
  double sign, offset;
};

static bool is_known(const struct model *model, const char *name) {
  return model_find_joint(model, name) >= 0 || model_find_frame(model, name) >= 0;
}

/* A name may have a '-' or '=' of its own: what a joint bears as it stands is its name. */
static enum status read_place(const struct model *model, const char *text, struct place *place,
                              struct message *error) {
  char *end = NULL;
  const bool turned = text[0] == '-' && !is_known(model, text);
  *place = (struct place){.sign = turned ? -1.0 : 1.0};
  strncpy(place->name, text + turned, JOINT_STREAM_SIZE - 1);
  char *equals = strrchr(place->name, '=');
  if (equals == NULL || is_known(model, place->name)) {
    return STATUS_OK;
  }
  *equals = '\0';
  place->offset = strtod(equals + 1, &end);
  if (end == equals + 1 || *end != '\0' || !isfinite(place->offset)) {
    message_set(error, "joint '%.90s': '%.40s' is not an offset", text, equals + 1);
    return STATUS_BAD_ARGUMENT;
  }
  return STATUS_OK;
}

/* A joint held fast, which has a place and is ignored, is a fixed joint of the model by now. */
static enum status take_place(const struct model *model, const struct place *place, size_t at,
                              bool *has, struct joint_stream *stream, struct message *error) {
  const int joint = model_find_joint(model, place->name);
  if (joint < 0 && model_find_frame(model, place->name) >= 0) {
    return STATUS_OK;
  }
  if (joint < 0 || has[joint]) {
    char meant[NAME_SUGGESTION_SIZE] = "";
    if (joint < 0) {
      suggest_joint(model, place->name, meant);
    }
    message_set(error, "joint '%.64s' %s%s", place->name,
                joint < 0 ? "is no joint of the robot" : "has two places in the stream", meant);
    return STATUS_BAD_ARGUMENT;
  }
  has[joint] = true;
  stream->of[joint] = (struct joint_source){at, place->sign, place->offset, false};
  return STATUS_OK;
}

/* A joint without a place is read where the one is that it mimics, at the end of their chain. */
static bool follow(const struct model *model, size_t joint, const bool *has,
                   struct joint_stream *stream) {
  double ratio = 1.0, offset = 0.0;
  size_t leader = joint;
  for (size_t steps = 0; steps < model->n_joints && !has[leader]; steps++) {
    const struct joint *at = &model->joint[leader];
    if (at->mimics == MODEL_NO_JOINT) {
      return false;
    }
    offset += ratio * at->mimic_offset;
    ratio *= at->mimic_ratio;
    leader = (size_t)at->mimics;
  }
  const struct joint_source *source = &stream->of[leader];
  stream->of[joint] = (struct joint_source){source->place, ratio * source->sign,
                                            ratio * source->offset + offset, true};
  return has[leader];
}

/* The model's own order of those that follow no other. */
static void take_own_order(const struct model *model, bool *has, struct joint_stream *stream) {
  stream->plain = true;
  for (size_t j = 0; j < model->n_joints; j++) {
    has[j] = model->joint[j].mimics == MODEL_NO_JOINT;
    stream->plain = stream->plain && has[j];
    if (has[j]) {
      stream->of[j] = (struct joint_source){stream->count++, 1.0, 0.0, false};
    }
  }
}

enum status joint_stream_read(const struct model *model, const char *const *text, size_t count,
                              struct joint_stream *stream, struct message *error) {
  struct joint_stream made = {.count = count};
  bool has[MODEL_MAX_JOINTS] = {false};
  if (count == 0) {
    take_own_order(model, has, &made);
  }
  for (size_t i = 0; i < count; i++) {
    struct place place;
    enum status status = read_place(model, text[i], &place, error);
    if (status == STATUS_OK) {
      status = take_place(model, &place, i, has, &made, error);
    }
    if (status != STATUS_OK) {
      return status;
    }
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    if (!has[j] && !follow(model, j, has, &made)) {
      message_set(error, "joint '%s' has no place in the stream: name it here, or hold it fast",
                  model->joint[j].name);
      return STATUS_BAD_ARGUMENT;
    }
  }
  *stream = made;
  return STATUS_OK;
}

void joint_stream_take(const struct joint_stream *stream, size_t n_joints, const double *from,
                       enum joint_quantity quantity, double *to) {
  for (size_t j = 0; j < n_joints; j++) {
    const struct joint_source *s = &stream->of[j];
    const bool of_leader = s->follows && quantity == JOINT_TORQUES;
    to[j] = of_leader ? 0.0
                      : s->sign * from[s->place] + (quantity == JOINT_POSITIONS ? s->offset : 0.0);
  }
}

void joint_stream_give(const struct joint_stream *stream, size_t n_joints, const double *from,
                       enum joint_quantity quantity, double *to) {
  for (size_t j = 0; j < n_joints; j++) {
    const struct joint_source *s = &stream->of[j];
    if (!s->follows) {
      to[s->place] = s->sign * (from[j] - (quantity == JOINT_POSITIONS ? s->offset : 0.0));
    }
  }
}
