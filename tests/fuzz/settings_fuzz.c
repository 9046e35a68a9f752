/* Any bytes as a configuration: refused with file and reason, or settings that print and read back
 * to themselves. */
#include "require.h"
#include "settings/settings.h"

#include <string.h>

static const char file[] = "/fuzz.yaml";

static void require_complaints(const struct settings_report *report) {
  REQUIRE(report->n_errors > 0);
  for (size_t i = 0; i < report->n_errors && i < SETTINGS_MAX_ERRORS; i++) {
    const char *text = report->error[i].text;
    REQUIRE(strncmp(text, file, strlen(file)) == 0);
    REQUIRE(text[strlen(file)] == ':' && strlen(text) > strlen(file) + 2);
  }
}

static void require_round_trip(const struct settings *settings) {
  static struct settings again;
  struct settings_report report;
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  settings_print(out, settings);
  fclose(out);
  REQUIRE(settings_read(text, length, file, &again, &report) == STATUS_OK);
  for (size_t i = 0; i < settings_count(); i++) {
    REQUIRE(settings_equal(settings_row(i), settings, &again));
  }
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct settings settings;
  struct settings_report report;
  if (settings_read((const char *)data, size, file, &settings, &report) == STATUS_OK) {
    require_round_trip(&settings);
  } else {
    require_complaints(&report);
  }
  return 0;
}
