#include "robot/placed_frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FURTHEST = 10.0, TURNED = 2.0 * M_PI; /* m, rad */

/* Numbers between commas, to the text's end; -1 where they are none or more than `most`. */
static int read_numbers(const char *text, int most, double *number) {
  int n = 0;
  for (char *end; n < most; text = end + 1) {
    number[n] = strtod(text, &end);
    const double limit = n < 3 ? FURTHEST : TURNED;
    if (end == text || !(fabs(number[n]) <= limit)) {
      return -1;
    }
    n++;
    if (*end != ',') {
      return *end == '\0' ? n : -1;
    }
  }
  return -1;
}

enum status placed_frame_read(const char *text, struct placed_frame *frame, struct message *error) {
  const char *at = strrchr(text, '@');
  const size_t length = at != NULL ? (size_t)(at - text) : strlen(text);
  double number[6] = {0.0};
  const int n = at != NULL ? read_numbers(at + 1, 6, number) : 3;
  if (length >= MODEL_NAME_SIZE || (n != 3 && n != 6)) {
    message_set(error, "'%.64s' is not x,y,z (m) or x,y,z,roll,pitch,yaw (m, rad)",
                at != NULL ? at + 1 : text);
    return STATUS_BAD_ARGUMENT;
  }
  *frame =
      (struct placed_frame){.offset = {mat3_from_rpy(vec3_from(number + 3)), vec3_from(number)}};
  memcpy(frame->name, text, length);
  return STATUS_OK;
}
