#include "robot/joint_numbers.h"

#include "common/number.h"
#include "model/name_suggestion.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

/* "NAME=NUMBER" in its parts. */
struct named_number {
  char pattern[JOINT_NUMBER_SIZE];
  double number;
};

static enum status read_text(const char *text, struct named_number *read, struct message *error) {
  const char *equals = strrchr(text, '='), *rest = "";
  const size_t length = equals != NULL ? (size_t)(equals - text) : 0;
  if (length == 0 || length >= JOINT_NUMBER_SIZE ||
      number_read(equals + 1, &read->number, &rest) != STATUS_OK || *rest != '\0') {
    message_set(error, "'%s' is not of the form name=number", text);
    return STATUS_BAD_ARGUMENT;
  }
  memcpy(read->pattern, text, length);
  read->pattern[length] = '\0';
  return STATUS_OK;
}

/* A name that looks like a pattern may still be one. */
static bool fits(const char *pattern, const char *name) {
  return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

double joint_numbers_of(const struct joint_numbers *numbers, const char *name, double fallback) {
  double value = fallback;
  for (size_t i = 0; i < numbers->n; i++) {
    struct named_number read;
    struct message unheard;
    if (read_text(numbers->text[i], &read, &unheard) == STATUS_OK && fits(read.pattern, name)) {
      value = read.number;
    }
  }
  return value;
}

static bool fits_any(const struct model *model, const char *pattern) {
  for (size_t j = 0; j < model->n_joints; j++) {
    if (fits(pattern, model->joint[j].name)) {
      return true;
    }
  }
  return false;
}

enum status joint_numbers_check(const struct joint_numbers *numbers, const struct model *model,
                                double min, double max, struct message *error) {
  for (size_t i = 0; i < numbers->n; i++) {
    struct named_number read;
    const enum status status = read_text(numbers->text[i], &read, error);
    if (status != STATUS_OK) {
      return status;
    }
    if (!(read.number >= min && read.number <= max)) {
      message_set(error, "'%s': not within %.9g .. %.9g", numbers->text[i], min, max);
      return STATUS_OUT_OF_RANGE;
    }
    if (!fits_any(model, read.pattern)) {
      char meant[NAME_SUGGESTION_SIZE];
      suggest_joint(model, read.pattern, meant);
      message_set(error, "%s fits no joint of %s%s", read.pattern, model->name, meant);
      return STATUS_BAD_ARGUMENT;
    }
  }
  return STATUS_OK;
}
