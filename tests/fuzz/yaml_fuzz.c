/* Any bytes as a configuration: refused with a place and a reason and nothing changed, or settings
 * that print and read back as the same. */
#include "settings/settings.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                    \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

static struct settings settings, again, before;
static struct settings_report report;

/* Every kept error names the file first and is one line. */
static void require_messages(void) {
  REQUIRE(report.n_errors > 0);
  for (size_t i = 0; i < report.n_errors && i < SETTINGS_MAX_ERRORS; i++) {
    REQUIRE(strncmp(report.error[i].text, "a.yaml:", 7) == 0);
    REQUIRE(strlen(report.error[i].text) > strlen("a.yaml:1:1: "));
  }
}

static void require_round_trip(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  settings_print(out, &settings);
  fclose(out);
  REQUIRE(settings_read(text, size, "a.yaml", &again, &report) == STATUS_OK);
  for (size_t i = 0; i < settings_count(); i++) {
    REQUIRE(settings_equal(settings_row(i), &settings, &again));
  }
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  memset(&settings, 0x5a, sizeof(settings));
  before = settings;
  if (settings_read((const char *)data, size, "a.yaml", &settings, &report) == STATUS_OK) {
    require_round_trip();
  } else {
    require_messages();
    REQUIRE(memcmp(&before, &settings, sizeof(settings)) == 0);
  }
  return 0;
}
