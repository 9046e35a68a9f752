#include "recorded_robot.h"

#include "recording/recording_layout.h"
#include "replay/replay_publisher.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ended; /* a signal handler can reach nothing else */

static void end(int signal_number) {
  (void)signal_number;
  ended = 1;
}

bool is_recording(const char *path) {
  char magic[sizeof(RECORDING_MAGIC) - 1] = "";
  FILE *file = fopen(path, "rb");
  const bool is = file != NULL && fread(magic, 1, sizeof(magic), file) == sizeof(magic) &&
                  memcmp(magic, RECORDING_MAGIC, sizeof(magic)) == 0;
  if (file != NULL) {
    fclose(file);
  }
  return is;
}

/* The other process: ends with the first. */
_Noreturn static void publish(const char *path, const char *socket) {
  struct message error;
  const struct replay_publishing order = {.plan = {.paths = &path, .n_paths = 1},
                                          .ipc = socket,
                                          .pace = 1.0,
                                          .again = true,
                                          .interrupted = &ended};
  signal(SIGTERM, end);
  signal(SIGINT, SIG_IGN); /* the first process says when */
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const enum status status = replay_publish(&order, &error);
  if (status != STATUS_OK) {
    fprintf(stderr, "%s\n", error.text);
  }
  _exit(status == STATUS_OK ? CTL_OK : CTL_FAILED);
}

enum exit_code recorded_robot_begin(struct recorded_robot *robot, const char *path) {
  static const char prefix[] = "ipc://";
  const char *temporary = getenv("TMPDIR");
  const int length = snprintf(robot->folder, sizeof(robot->folder), "%s/proprioctl.XXXXXX",
                              temporary != NULL ? temporary : "/tmp");
  if (length >= (int)sizeof(robot->folder) || mkdtemp(robot->folder) == NULL) {
    perror(robot->folder);
    return CTL_FAILED;
  }
  snprintf(robot->endpoint, sizeof(robot->endpoint), "%s%s/pub.sock", prefix, robot->folder);
  const char *socket = robot->endpoint + sizeof(prefix) - 1;
  fflush(NULL);
  robot->process = fork();
  if (robot->process == 0) {
    publish(path, socket);
  }
  while (robot->process > 0 && access(socket, F_OK) != 0) {
    if (waitpid(robot->process, NULL, WNOHANG) == robot->process) {
      robot->process = 0; /* it has said why */
      recorded_robot_end(robot);
      return CTL_FAILED;
    }
    usleep(20000);
  }
  return robot->process > 0 ? CTL_OK : CTL_FAILED;
}

void recorded_robot_end(struct recorded_robot *robot) {
  if (robot->process > 0) {
    kill(robot->process, SIGTERM);
    waitpid(robot->process, NULL, 0);
  }
  if (robot->folder[0] != '\0') {
    rmdir(robot->folder); /* the publisher has removed its socket */
  }
  *robot = (struct recorded_robot){0};
}
