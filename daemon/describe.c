#include "describe.h"

#include "common/version.h"
#include "settings/robot_files.h"

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

void describe(const struct settings *settings, const struct robot_texts *texts, describe_text *take,
              void *context) {
  const struct {
    const char *name, *bytes;
    size_t size;
  } files[] = {{"robot.urdf", texts->urdf, texts->urdf_length},
               {"cells.csv", texts->cells, texts->cells_length},
               {"calibration.csv", texts->calibration, texts->calibration_length}};
  char *printed = NULL, program[128];
  size_t size = 0;
  FILE *out = open_memstream(&printed, &size);
  if (out != NULL) {
    settings_print(out, settings);
    fclose(out);
    take(context, "settings.yaml", printed, size);
    free(printed);
  }
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
    if (files[i].bytes != NULL) {
      take(context, files[i].name, files[i].bytes, files[i].size);
    }
  }
  const int length =
      snprintf(program, sizeof(program), "propriod %s\n%s\n", propriod_version, instruction_set());
  take(context, "program", program, (size_t)length);
}

/* For the recorder, of one generation. */
struct numbered {
  struct recorder *recorder;
  uint32_t number;
};

static void to_recorder(void *context, const char *name, const void *bytes, size_t size) {
  const struct numbered *to = context;
  recorder_text(to->recorder, to->number, name, bytes, size);
}

void describe_generation(struct recorder *recorder, uint32_t number,
                         const struct generation *generation,
                         const struct learned_inertia *learned) {
  struct numbered to = {recorder, number};
  describe(&generation->settings, &generation->texts, to_recorder, &to);
  if (generation->settings.record.mcap) {
    struct robot *robot; /* its own: the generation goes when the next one has come */
    struct message error;
    if (robot_load(&generation->settings.robot, "", &robot, &error) == STATUS_OK) {
      recorder_robot(recorder, number, robot);
    }
  }
  if (learned != NULL) {
    recorder_text(recorder, number, "learned", learned, sizeof(*learned));
  }
}
