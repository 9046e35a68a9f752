/* Any bytes as a recording: refused, or items within the header's sizes until an end that is
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
  for (size_t j = 0; j < header->count[PROPRIOD_SHM_JOINTS]; j++) {
    sum += frame->joints.q[j] + (frame->joints.tau != NULL ? frame->joints.tau[j] : 0.0);
  }
  for (size_t i = 0; i < header->count[PROPRIOD_SHM_SKIN]; i++) {
    sum += (double)frame->skin.acceleration[3 * i + 2] + frame->skin.flags[i] +
           (frame->skin.force != NULL ? (double)frame->skin.force[i] : 0.0);
  }
  for (size_t k = 0; k < header->count[PROPRIOD_SHM_WRENCH]; k++) {
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
  volatile double sum = 0.0;
  struct recording_item item;
  enum status status;
  for (size_t g = 0; g <= recording_generations(recording) && g < 4; g++) {
    size_t length;
    const char *text = recording_text(recording, (uint32_t)g, "settings.yaml", &length);
    REQUIRE(text == NULL || text[length] == '\0');
  }
  /* as many items as the heads promise, and a loss beside each at most */
  const struct recording_summary summary = recording_summary(recording);
  const uint64_t most = 2 * (summary.cycles + summary.events) + 2 * size;
  for (uint64_t items = 0; (status = recording_next(recording, &item)) == STATUS_OK; items++) {
    REQUIRE(items <= most);
    if (item.kind == RECORDING_CYCLE) {
      sum = sum + touch(header, &item.cycle->frame);
    }
  }
  REQUIRE(status == STATUS_OUT_OF_RANGE || status == STATUS_NO_MEMORY);
  recording_close(recording);
  close(fd);
  return 0;
}
