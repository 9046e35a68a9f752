/* Any bytes as a recording: refused, or frames within the header's sizes until an end that is
 * reached in as many reads as there are bytes. */
#include "recording/recording.h"
#include "require.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A nameless file of these bytes; its descriptor. */
static int file_of(const uint8_t *data, size_t size) {
  const int fd = memfd_create("recording", MFD_CLOEXEC);
  REQUIRE(fd >= 0);
  REQUIRE(write(fd, data, size) == (ssize_t)size);
  return fd;
}

/* Reads what the frame promises, so that a sanitizer sees what it does not have. */
static double touch(const struct recording_header *header, const struct sensor_frame *frame) {
  double sum = 0.0;
  for (size_t j = 0; j < header->n_joints; j++) {
    sum += frame->joints.q[j] + (frame->joints.tau != NULL ? frame->joints.tau[j] : 0.0);
  }
  for (size_t i = 0; i < header->n_cells; i++) {
    sum += (double)frame->skin.acceleration[3 * i + 2] + frame->skin.flags[i] +
           (frame->skin.force != NULL ? (double)frame->skin.force[i] : 0.0);
  }
  for (size_t k = 0; k < header->n_wrench; k++) {
    sum += frame->wrench.wrench[k].lin.z;
  }
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[32];
  const int fd = file_of(data, size);
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  struct recording *recording = NULL;
  struct message error = {""};
  if (recording_open(&recording, path, &error) != STATUS_OK) {
    REQUIRE(recording == NULL && error.text[0] != '\0');
    close(fd);
    return 0;
  }
  const struct recording_header *header = recording_header(recording);
  REQUIRE(header->n_joints <= MODEL_MAX_JOINTS && header->n_cells <= ROBOT_MAX_CELLS);
  const struct sensor_frame *frame = NULL;
  volatile double sum = 0.0;
  size_t frames = 0;
  enum status status;
  while ((status = recording_read(recording, &frame)) == STATUS_OK) {
    sum = sum + touch(header, frame);
    REQUIRE(++frames <= size);
  }
  REQUIRE(status == STATUS_OUT_OF_RANGE || status == STATUS_REFUSED);
  REQUIRE(recording_close(recording) == STATUS_OK);
  close(fd);
  return 0;
}
