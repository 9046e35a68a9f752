#include "common/pid_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 8 /* when others release the lock at the same time */ };

static long holder_of(int fd) {
  char text[32] = "";
  const ssize_t got = pread(fd, text, sizeof(text) - 1, 0);
  return got > 0 ? strtol(text, NULL, 10) : 0;
}

static enum status complain(const char *path, int why, struct message *error) {
  struct stat file;
  if (why == ENOENT) {
    message_set(error, "%s: %s (its folder must exist)", path, strerror(why));
  } else if (why == EACCES && lstat(path, &file) == 0 && file.st_uid != geteuid()) {
    message_set(error, "%s: a file of user %u is in its place; remove it", path,
                (unsigned)file.st_uid);
  } else {
    message_set(error, "%s: %s", path, strerror(why));
  }
  return STATUS_REFUSED;
}

/* A lock of a file that its holder has removed meanwhile is worth nothing. */
static bool is_the_file(int fd, const char *path) {
  struct stat by_name, by_fd;
  return stat(path, &by_name) == 0 && fstat(fd, &by_fd) == 0 && by_name.st_ino == by_fd.st_ino &&
         by_name.st_dev == by_fd.st_dev;
}

static enum status write_number(struct pid_lock *lock, struct message *error) {
  char text[32];
  const int length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
  if (ftruncate(lock->fd, 0) == 0 && pwrite(lock->fd, text, (size_t)length, 0) == length) {
    lock->held = true;
    return STATUS_OK;
  }
  message_set(error, "%s: cannot be written: %s", lock->path, strerror(errno));
  close(lock->fd);
  return STATUS_REFUSED;
}

enum status pid_lock_take(struct pid_lock *lock, const char *path, const char *doing,
                          struct message *error) {
  lock->held = false;
  if (snprintf(lock->path, sizeof(lock->path), "%s", path) >= (int)sizeof(lock->path)) {
    message_set(error, "%.80s...: too long for the path of a lock", path);
    return STATUS_REFUSED;
  }
  for (int i = 0; i < ATTEMPTS; i++) {
    lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock->fd < 0) {
      return complain(path, errno, error);
    }
    if (flock(lock->fd, LOCK_EX | LOCK_NB) != 0) {
      message_set(error, "%s: another propriod, process %ld, %s", path, holder_of(lock->fd), doing);
      close(lock->fd);
      return STATUS_REFUSED;
    }
    if (is_the_file(lock->fd, path)) {
      return write_number(lock, error);
    }
    close(lock->fd);
  }
  message_set(error, "%s: others make and remove it all the time", path);
  return STATUS_REFUSED;
}

enum status pid_lock_take_for(struct pid_lock *lock, const char *path, const char *doing,
                              struct message *error) {
  char name[PID_LOCK_PATH_SIZE];
  if (snprintf(name, sizeof(name), "%s%s", path, PID_LOCK_SUFFIX) >= (int)sizeof(name)) {
    message_set(error, "%.80s...: too long for the path of a lock", path);
    return STATUS_REFUSED;
  }
  return pid_lock_take(lock, name, doing, error);
}

/* The name first: once unlocked it may be somebody else's. */
void pid_lock_release(struct pid_lock *lock) {
  if (lock->held) {
    unlink(lock->path);
    close(lock->fd);
    lock->held = false;
  }
}
