#include "describe.h"

#include "common/version.h"

#include <stdio.h>
#include <stdlib.h>

const char *instruction_set(void) {
#if defined(__x86_64__) && defined(__gnu_linux__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("x86-64-v4")   ? "x86-64-v4"
         : __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3"
                                               : "x86-64";
#else
  return "other";
#endif
}

static void add(struct recorder *recorder, uint32_t number, const char *name, const char *bytes,
                size_t size) {
  if (bytes != NULL) {
    recorder_text(recorder, number, name, bytes, size);
  }
}

void describe_generation(struct recorder *recorder, uint32_t number,
                         const struct generation *generation,
                         const struct learned_inertia *learned) {
  const struct robot_texts *texts = &generation->texts;
  char *settings = NULL, program[128];
  size_t size = 0;
  FILE *out = open_memstream(&settings, &size);
  if (out != NULL) {
    settings_print(out, &generation->settings);
    fclose(out);
    add(recorder, number, "settings.yaml", settings, size);
    free(settings);
  }
  add(recorder, number, "robot.urdf", texts->urdf, texts->urdf_length);
  add(recorder, number, "cells.csv", texts->cells, texts->cells_length);
  add(recorder, number, "calibration.csv", texts->calibration, texts->calibration_length);
  add(recorder, number, "learned", (const char *)learned, sizeof(*learned));
  const int length =
      snprintf(program, sizeof(program), "propriod %s\n%s\n", propriod_version, instruction_set());
  add(recorder, number, "program", program, (size_t)length);
}
