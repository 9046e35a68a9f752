/* proprioctl keys NAME: a pair of CURVE keys, for propriod or for one of its clients. */
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

enum { Z85_SIZE = 41, PATH_SIZE = 512, SECRET_MODE = 0600, PUBLIC_MODE = 0644 };

static const char help[] =
    "usage: proprioctl keys NAME\n"
    "\n"
    "Makes a pair of CURVE keys: NAME.secret, readable by this user only, and\n"
    "NAME.public. Existing files are not touched.\n"
    "\n"
    "To let a machine subscribe over the network, make keys on the robot,\n"
    "\n"
    "  proprioctl keys /etc/propriod/robot\n"
    "\n"
    "let propriod's user own robot.secret, and name it in the configuration with a\n"
    "file of the clients' public keys, one client a line:\n"
    "\n"
    "  publish:\n"
    "    curve_secret_key: /etc/propriod/robot.secret\n"
    "    curve_clients: /etc/propriod/clients\n"
    "\n"
    "On the client make keys too, copy robot.public there, and subscribe:\n"
    "\n"
    "  proprioctl keys client\n"
    "  proprioctl echo state --endpoint tcp://ROBOT:9872 \\\n"
    "    --key client.secret --server-key robot.public\n"
    "\n"
    "exit codes: 0 made, 1 not made, 2 the command line makes no sense\n";

static bool write_new(const char *path, const char *key, mode_t mode) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) {
    fprintf(stderr, "proprioctl keys: %s: %s\n", path, strerror(errno));
    return false;
  }
  char line[Z85_SIZE + 1];
  const int length = snprintf(line, sizeof(line), "%s\n", key);
  const bool written = write(fd, line, (size_t)length) == length && fsync(fd) == 0;
  if (!written) {
    fprintf(stderr, "proprioctl keys: %s: %s\n", path, strerror(errno));
  }
  close(fd);
  return written;
}

int run_keys(int argc, char **argv) {
  if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    fputs(help, stdout);
    return CTL_OK;
  }
  if (argc != 2 || argv[1][0] == '-') {
    return usage_error("keys", "one name, please");
  }
  char path[2][PATH_SIZE], key[2][Z85_SIZE];
  if (snprintf(path[0], PATH_SIZE, "%s.secret", argv[1]) >= PATH_SIZE) {
    return usage_error("keys", "the name is too long");
  }
  snprintf(path[1], PATH_SIZE, "%s.public", argv[1]);
  if (zmq_curve_keypair(key[1], key[0]) != 0) {
    fprintf(stderr, "proprioctl keys: %s\n", zmq_strerror(errno));
    return CTL_FAILED;
  }
  if (!write_new(path[0], key[0], SECRET_MODE) || !write_new(path[1], key[1], PUBLIC_MODE)) {
    return CTL_FAILED;
  }
  printf("%s  keep it secret\n%s  %s\n", path[0], path[1], key[1]);
  return CTL_OK;
}
