#include "common/log_ids.h"

#include <stddef.h>
#include <string.h>

static const struct {
  const char *cause, *id;
} ids[] = {
    {"ready", "3ceaaf30814248ea91d93080f9b439fc"},
    {"hung", "9dfb369bab134faea27655daa05f1119"},
    {"reload", "6301bbfca0c5454e8ff9bb510944fe0c"},
    {"reload refused", "6fced11d2bd841e6847a8387cdde8d51"},
    {"reload waits", "3a124c647e024f05b7c1dce27f7695f5"},
    {"reload slow", "66080f174c9648e29cbd0ba3a1a6bcde"},
    {"joints lost", "b120a366f0bb49cf82f2dc05873f9bd0"},
    {"imu lost", "b120a366f0bb49cf82f2dc05873f9bd0"},
    {"skin lost", "b120a366f0bb49cf82f2dc05873f9bd0"},
    {"wrench lost", "b120a366f0bb49cf82f2dc05873f9bd0"},
    {"joints found", "78b7d0ac84774ce08e4cda11b43c589b"},
    {"imu found", "78b7d0ac84774ce08e4cda11b43c589b"},
    {"skin found", "78b7d0ac84774ce08e4cda11b43c589b"},
    {"wrench found", "78b7d0ac84774ce08e4cda11b43c589b"},
    {"segment", "2330fcf1562a44b888668d77e827062c"},
    {"state_segment", "2330fcf1562a44b888668d77e827062c"},
    {"learned", "c1acc9906424450aa36bf9b3ddcb369d"},
    {"record", "9ad9b9a25e78454db065a1c284cc4549"},
    {"flight record", "993565976fba4662b6a730b7b12e9eed"},
    {"MCAP leftover", "5d0b9c1be3f94a6fb5b82a1c77d3e9a4"},
    {"MCAP leftover kept", "5d0b9c1be3f94a6fb5b82a1c77d3e9a4"},
    {"realtime", "8df08078a22e418085c2c2af3977a654"},
    {"cycle", "8df08078a22e418085c2c2af3977a654"},
};

const char *log_id(const char *cause) {
  for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
    if (strcmp(ids[i].cause, cause) == 0) {
      return ids[i].id;
    }
  }
  return NULL;
}
