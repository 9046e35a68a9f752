#include "model/name_suggestion.h"

#include "common/word_distance.h"

#include <stdio.h>
#include <string.h>

void suggest_of(const char *name, const char *first, size_t count, size_t stride,
                char text[NAME_SUGGESTION_SIZE]) {
  size_t nearest = strlen(name) / 3 + 1;
  text[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    const char *candidate = first + i * stride;
    const size_t distance = word_distance(name, candidate);
    if (distance < nearest) {
      nearest = distance;
      snprintf(text, NAME_SUGGESTION_SIZE, ", did you mean '%.63s'?", candidate);
    }
  }
}

void suggest_frame(const struct model *model, const char *name, char text[NAME_SUGGESTION_SIZE]) {
  suggest_of(name, (const char *)model->frame + offsetof(struct model_frame, name), model->n_frames,
             sizeof(*model->frame), text);
}

void suggest_joint(const struct model *model, const char *name, char text[NAME_SUGGESTION_SIZE]) {
  suggest_of(name, (const char *)model->joint + offsetof(struct joint, name), model->n_joints,
             sizeof(*model->joint), text);
}
