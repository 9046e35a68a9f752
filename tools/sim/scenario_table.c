#include "scenario_table.h"

#include <string.h>

static const struct scenario_row rows[SIM_SCENARIOS] = {
    [SIM_STAND] = {"stand", "stands still", move_stand, EXCITE_REST, 10.0},
    [SIM_SQUAT] = {"squat", "hips down and up, arms along", move_squat, EXCITE_REST, 20.0},
    [SIM_ARM_SWING] = {"arm-swing", "both arms forward and back, the centre of mass with them",
                       move_arms_swing, EXCITE_REST, 20.0},
    [SIM_ARM_STILL] = {"arm-still", "the same arms, hips moving so that the centre of mass rests",
                       move_arms_still, EXCITE_REST, 20.0},
    [SIM_MULTISINE] = {"multisine", "every joint of the upper body on sines of its own", move_sines,
                       EXCITE_MEDIUM, 30.0},
    [SIM_PUSH] = {"push", "stands and is pushed at the base", move_push, EXCITE_REST, 10.0},
    [SIM_WALK] = {"walk", "walks straight on", move_walk, EXCITE_REST, 30.0},
    [SIM_PAYLOAD] = {"payload", "moves the upper body, takes something up and puts it down",
                     move_sines, EXCITE_SLOW, 20.0},
    [SIM_CURL] = {"curl", "elbows bend and stretch with a load on the left forearm", move_curl,
                  EXCITE_REST, 20.0},
    [SIM_FALL] = {"fall", "stands, is pushed hard and falls", move_push, EXCITE_REST, 8.0},
    [SIM_SLIP] = {"slip", "walks over a slippery patch", move_walk, EXCITE_REST, 15.0},
    [SIM_STEP] = {"step", "walks up a step of 5 cm", move_walk, EXCITE_REST, 15.0},
    [SIM_LIFT] = {"lift", "is lifted off the ground by a rope and put back", move_lift, EXCITE_REST,
                  15.0},
    [SIM_POSES] = {"poses", "one static pose of the upper body after another", move_sines,
                   EXCITE_POSES, 60.0},
    [SIM_REST] = {"rest", "base held, nothing moves", NULL, EXCITE_REST, 10.0},
    [SIM_SLOW] = {"slow", "base held, sines of 0.15 to 0.5 Hz", NULL, EXCITE_SLOW, 30.0},
    [SIM_MEDIUM] = {"medium", "base held, sines of 0.3 to 1 Hz", NULL, EXCITE_MEDIUM, 30.0},
    [SIM_FAST] = {"fast", "base held, sines of 1 to 2.5 Hz", NULL, EXCITE_FAST, 30.0},
    [SIM_SATURATION] = {"saturation", "base held, sines whose velocity saturates", NULL,
                        EXCITE_SATURATION, 30.0},
    [SIM_STOPS] = {"stops", "base held, runs ended by a stop within 10 ms", NULL, EXCITE_STOPS,
                   30.0},
    [SIM_HELD_POSES] = {"held-poses", "base held, one static pose after another", NULL,
                        EXCITE_POSES, 60.0},
};

const struct scenario_row *scenario_row(enum sim_scenario scenario) {
  return &rows[scenario];
}

const char *sim_scenario_name(enum sim_scenario scenario) {
  return scenario < SIM_SCENARIOS ? rows[scenario].name : NULL;
}

const char *sim_scenario_help(enum sim_scenario scenario) {
  return scenario < SIM_SCENARIOS ? rows[scenario].help : NULL;
}

bool sim_scenario_holds_base(enum sim_scenario scenario) {
  return scenario < SIM_SCENARIOS && rows[scenario].move == NULL;
}

enum sim_scenario sim_scenario_find(const char *name) {
  enum sim_scenario i = 0;
  while (i < SIM_SCENARIOS && strcmp(rows[i].name, name) != 0) {
    i++;
  }
  return i;
}
