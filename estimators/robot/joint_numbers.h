/* Numbers for some of a robot's joints, by name: "left_gripper=1e-3", or by a pattern (* and ?),
 * "*_gripper=1e-3". Of several that fit a joint, the last one counts. */
#ifndef JOINT_NUMBERS_H
#define JOINT_NUMBERS_H

#include "common/message.h"
#include "common/status.h"
#include "model/model.h"

#define JOINT_NUMBER_SIZE 96 /* bytes of a name with its number and final zero */
#define JOINT_NUMBERS     32

struct joint_numbers {
  size_t n;
  char text[JOINT_NUMBERS][JOINT_NUMBER_SIZE];
};

/* The number that counts for the joint called `name`, `fallback` where none does. [start] Texts
 * that joint_numbers_check refuses are passed over. */
double joint_numbers_of(const struct joint_numbers *numbers, const char *name, double fallback);

/* [start] [worker] BAD_ARGUMENT with `error` for the first text that has no number, or fits no
 * joint; OUT_OF_RANGE for a number outside min .. max. */
enum status joint_numbers_check(const struct joint_numbers *numbers, const struct model *model,
                                double min, double max, struct message *error);

#endif
