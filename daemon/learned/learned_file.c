#include "learned/learned_file.h"

#include "common/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 512, VERSION = 1 };

static const char MAGIC[8] = "PPRINERT";

/* The file as it lies on disk, little-endian like every machine it is for. */
struct image {
  char magic[8];
  uint32_t version, size; /* of the image in bytes */
  struct learned_inertia learned;
  uint32_t crc, zero; /* crc of everything before it */
};

/* The CRC of Ethernet and zip, bit by bit: a file is saved once a second at most. */
static uint32_t crc32_of(const void *data, size_t size) {
  const unsigned char *byte = data;
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 0; i < size; i++) {
    crc ^= byte[i];
    for (int bit = 0; bit < 8; bit++) {
      crc = crc >> 1 ^ (crc & 1u ? 0xEDB88320u : 0u);
    }
  }
  return ~crc;
}

static void path_of(char path[PATH_SIZE], const char *folder, const char *suffix) {
  snprintf(path, PATH_SIZE, "%s/" LEARNED_FILE_NAME "%s", folder, suffix);
}

/* -- reading one generation ------------------------------------------------------------------- */

static const char *fault_of(const struct image *image, size_t length) {
  if (length != sizeof(*image) || image->size != sizeof(*image)) {
    return "has another length than it should";
  }
  if (memcmp(image->magic, MAGIC, sizeof(MAGIC)) != 0) {
    return "is not a file of learned parameters";
  }
  if (image->version != VERSION) {
    return "is of another version";
  }
  if (image->crc != crc32_of(image, offsetof(struct image, crc))) {
    return "is damaged: its checksum does not match";
  }
  if (image->learned.n_links == 0 || image->learned.n_links > INERTIAL_MAX_LINKS) {
    return "holds an impossible number of links";
  }
  return NULL;
}

static enum status load_one(const char *path, struct image *image, struct message *error) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    if (errno == ENOENT) {
      return STATUS_STALE;
    }
    message_set(error, "%s: %s", path, strerror(errno));
    return STATUS_REFUSED;
  }
  const size_t length = fread(image, 1, sizeof(*image), file);
  const bool more = fgetc(file) != EOF;
  fclose(file);
  const char *fault = fault_of(image, more ? 0 : length);
  if (fault != NULL) {
    message_set(error, "%s: %s", path, fault);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

/* -- saving ----------------------------------------------------------------------------------- */

static struct image *make_image(const struct learned_inertia *learned) {
  struct image *image = calloc(1, sizeof(*image));
  struct timespec now;
  if (image == NULL) {
    return NULL;
  }
  memcpy(image->magic, MAGIC, sizeof(MAGIC));
  image->version = VERSION;
  image->size = sizeof(*image);
  image->learned = *learned;
  clock_gettime(CLOCK_REALTIME, &now);
  image->learned.wall_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  image->crc = crc32_of(image, offsetof(struct image, crc));
  return image;
}

/* Makes the newest generation the one before; one that is damaged must not take its place. */
static bool keep_newest(const char *path, const char *before, struct image *image) {
  struct message ignored;
  return load_one(path, image, &ignored) != STATUS_OK || rename(path, before) == 0;
}

enum status learned_save(const char *folder, const struct learned_inertia *learned,
                         struct message *error) {
  char path[PATH_SIZE], before[PATH_SIZE], temporary[PATH_SIZE];
  path_of(path, folder, "");
  path_of(before, folder, ".before");
  path_of(temporary, folder, ".new");
  struct image *image = make_image(learned);
  if (image == NULL) {
    message_set(error, "%s: no memory", path);
    return STATUS_NO_MEMORY;
  }
  enum status status = file_write_in_place(temporary, image, sizeof(*image), 0640, error);
  if (status == STATUS_OK && (!keep_newest(path, before, image) || rename(temporary, path) != 0)) {
    message_set(error, "%s: %s", path, strerror(errno));
    status = STATUS_REFUSED;
  }
  free(image);
  if (status == STATUS_OK) {
    file_sync_folder(path);
  }
  return status;
}

/* -- loading ---------------------------------------------------------------------------------- */

enum status learned_load(const char *folder, struct learned_inertia *learned,
                         struct message *error) {
  static const char *const suffix[] = {"", ".before"};
  struct image *image = calloc(1, sizeof(*image));
  enum status result = image != NULL ? STATUS_STALE : STATUS_NO_MEMORY;
  message_set(error, "%s", image != NULL ? "" : "no memory");
  for (int i = 0; image != NULL && i < 2 && result != STATUS_OK; i++) {
    char path[PATH_SIZE];
    path_of(path, folder, suffix[i]);
    const enum status status = load_one(path, image, error);
    result = status == STATUS_STALE && result == STATUS_REFUSED ? result : status;
  }
  if (result == STATUS_OK) {
    *learned = image->learned;
  }
  free(image);
  return result;
}

enum status learned_remove(const char *folder, struct message *error) {
  static const char *const suffix[] = {"", ".before", ".new"};
  for (int i = 0; i < 3; i++) {
    char path[PATH_SIZE];
    path_of(path, folder, suffix[i]);
    if (unlink(path) != 0 && errno != ENOENT) {
      message_set(error, "%s: %s", path, strerror(errno));
      return STATUS_REFUSED;
    }
  }
  return STATUS_OK;
}
