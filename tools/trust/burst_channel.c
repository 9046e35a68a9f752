#include "burst_channel.h"

static const double SLIGHT_TIMES = 0.1, NOISE_TIMES = 30.0;

static const char *const kind_names[BURST_KINDS] = {"zero",   "full",  "negated", "offset",
                                                    "frozen", "noise", "silent",  "slight"};

const char *burst_kind_name(size_t kind) {
  return kind < BURST_KINDS ? kind_names[kind] : NULL;
}

double burst_spoil(enum burst_kind kind, const struct burst_channel *channel, double right,
                   double held, struct sim_random *random) {
  switch (kind) {
  case BURST_ZERO:
    return 0.0;
  case BURST_FULL_SCALE:
    return channel->full;
  case BURST_NEGATED:
    return -right;
  case BURST_OFFSET:
    return right + channel->offset;
  case BURST_SLIGHT:
    return right + SLIGHT_TIMES * channel->offset;
  case BURST_FROZEN:
    return held;
  default:
    return right + NOISE_TIMES * channel->noise * sim_normal(random);
  }
}

vec3 burst_spoil3(enum burst_kind kind, const struct burst_channel *channel, vec3 right, vec3 held,
                  int offset_axis, struct sim_random *random) {
  double r[3], h[3];
  vec3_to(right, r);
  vec3_to(held, h);
  for (int i = 0; i < 3; i++) {
    struct burst_channel one = *channel;
    one.offset = i == offset_axis ? channel->offset : 0.0;
    r[i] = burst_spoil(kind, &one, r[i], h[i], random);
  }
  return vec3_from(r);
}
