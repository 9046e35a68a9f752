#include "replay/recorded_generation.h"

#include "common/file.h"
#include "learned/learned_inertia.h"
#include "settings/settings.h"

#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 128 };

/* The files that a configuration names, and what they are called in a recording. */
static const struct {
  const char *name, *key;
} files[] = {{"robot.urdf", "robot.urdf"},
             {"cells.csv", "robot.cells"},
             {"calibration.csv", "robot.calibration"},
             {"settings.yaml", NULL}};
enum { FILES = sizeof(files) / sizeof(files[0]) };

static void path_of(const char *folder, size_t file, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/%s", folder, files[file].name);
}

static void remove_files(const char *folder) {
  char path[PATH_SIZE];
  for (size_t i = 0; i < FILES; i++) {
    path_of(folder, i, path);
    unlink(path);
  }
  rmdir(folder);
}

/* Writes the texts; `overrides` names those that a setting names. */
static enum status write_files(const struct recording *recording, uint32_t number,
                               const char *folder, struct settings_overrides *overrides,
                               char words[FILES][PATH_SIZE + 32], struct message *error) {
  for (size_t i = 0; i < FILES; i++) {
    char path[PATH_SIZE];
    size_t size;
    const char *text = recording_text(recording, number, files[i].name, &size);
    if (text == NULL) {
      continue;
    }
    path_of(folder, i, path);
    if (file_write_in_place(path, text, size, 0600, error) != STATUS_OK) {
      return STATUS_REFUSED;
    }
    if (files[i].key != NULL) {
      snprintf(words[i], PATH_SIZE + 32, "%s=%s", files[i].key, path);
      overrides->text[overrides->count++] = words[i];
    }
  }
  return STATUS_OK;
}

/* Denormals count while building, as in the daemon's loader, and not in the cycle. */
static enum status build(const char *settings, const struct settings_overrides *overrides,
                         struct generation **generation, struct message *error) {
  static struct settings_report report;
  struct message kept;
  fenv_t arithmetic;
  fegetenv(&arithmetic);
  fesetenv(FE_DFL_ENV);
  const enum status status =
      generation_build(settings, overrides, NULL, generation, &report, &kept);
  fesetenv(&arithmetic);
  if (status != STATUS_OK) {
    message_set(error, "the recorded configuration does not build here: %.400s",
                report.error[0].text);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

enum status recorded_generation(const struct recording *recording, uint32_t number,
                                struct generation **generation, struct message *note,
                                struct message *error) {
  const char *temporary = getenv("TMPDIR");
  char folder[PATH_SIZE - 32], settings[PATH_SIZE], words[FILES][PATH_SIZE + 32];
  struct settings_overrides overrides = {.count = 0};
  size_t size;
  message_set(note, "%s", "");
  if (recording_text(recording, number, "settings.yaml", &size) == NULL) {
    message_set(error, "it holds no configuration%s; name one",
                number > 1 ? " of a reload within it" : "");
    return STATUS_REFUSED;
  }
  snprintf(folder, sizeof(folder), "%.60s/propriod-replay-XXXXXX",
           temporary != NULL ? temporary : "/tmp");
  if (mkdtemp(folder) == NULL) {
    message_set(error, "%s: %s", folder, strerror(errno));
    return STATUS_REFUSED;
  }
  snprintf(settings, sizeof(settings), "%s/settings.yaml", folder);
  enum status status = write_files(recording, number, folder, &overrides, words, error);
  status = status == STATUS_OK ? build(settings, &overrides, generation, error) : status;
  remove_files(folder);
  if (status == STATUS_OK && number == 1) {
    struct message why;
    if (recorded_learned(recording, (*generation)->pipeline, &why) == STATUS_REFUSED) {
      message_set(note, "what had been learned is left out: %s", why.text);
    }
  }
  return status;
}

enum status recorded_learned(const struct recording *recording, struct pipeline *pipeline,
                             struct message *error) {
  size_t size;
  const char *text = recording_text(recording, 1, "learned", &size);
  if (text == NULL) {
    return STATUS_STALE;
  }
  struct learned_inertia *learned = malloc(sizeof(*learned));
  if (learned == NULL || size != sizeof(*learned)) {
    free(learned);
    message_set(error, "it is of another version of this program");
    return STATUS_REFUSED;
  }
  memcpy(learned, text, size);
  const enum status status = learned_give(learned, pipeline, error);
  free(learned);
  return status == STATUS_OK ? STATUS_OK : STATUS_REFUSED;
}
