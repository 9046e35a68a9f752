#include "publish/encode_inertia.h"

/* -- one value of each link ------------------------------------------------------------------- */

static void mass(struct wire *wire, const struct inertial_link_estimate *link) {
  wire_real(wire, link->published.m);
}

static void com(struct wire *wire, const struct inertial_link_estimate *link) {
  wire_vec3(wire, inertia_com(&link->published));
}

static void first_moment(struct wire *wire, const struct inertial_link_estimate *link) {
  wire_vec3(wire, link->published.h);
}

static void six(struct wire *wire, const mat3 *I) {
  const double value[6] = {I->m[0][0], I->m[0][1], I->m[0][2], I->m[1][1], I->m[1][2], I->m[2][2]};
  wire_reals(wire, value, 6);
}

static void at_link(struct wire *wire, const struct inertial_link_estimate *link) {
  const mat3 I = inertia_tensor(&link->published);
  six(wire, &I);
}

static void at_com(struct wire *wire, const struct inertial_link_estimate *link) {
  const mat3 I = inertia_tensor_at_com(&link->published);
  six(wire, &I);
}

static void mass_sd(struct wire *wire, const struct inertial_link_estimate *link) {
  wire_real(wire, link->mass_sd);
}

static void com_sd(struct wire *wire, const struct inertial_link_estimate *link) {
  wire_vec3(wire, link->com_sd);
}

static void estimated(struct wire *wire, const struct inertial_link_estimate *link) {
  double parameters[INERTIA_PARAMETERS];
  inertia_to(&link->estimate, parameters);
  wire_reals(wire, parameters, INERTIA_PARAMETERS);
}

static void covariance(struct wire *wire, const struct inertial_link_estimate *link) {
  wire_reals(wire, &link->covariance[0][0], (size_t)INERTIA_PARAMETERS * INERTIA_PARAMETERS);
}

static void told(struct wire *wire, unsigned bits) {
  static const char *const word[] = {"mass", "com_x", "com_y", "com_z", "shape"};
  size_t count = 0;
  for (unsigned i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
    count += (bits >> i) & 1u;
  }
  wire_array(wire, count);
  for (unsigned i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
    if ((bits >> i) & 1u) {
      wire_text(wire, word[i]);
    }
  }
}

static void known(struct wire *wire, const struct inertial_link_estimate *link) {
  told(wire, link->known);
}

static void observable(struct wire *wire, const struct inertial_link_estimate *link) {
  told(wire, link->observable);
}

static const struct link_row {
  const char *key, *shape, *unit, *frame, *meaning;
  void (*encode)(struct wire *wire, const struct inertial_link_estimate *link);
} link_rows[] = {
    {"mass", "[link]", "kg", "",
     "as published: follows the estimate at a limited rate, always physical", mass},
    {"com", "[link][x,y,z]", "m", "link", "centre of mass, as published", com},
    {"first_moment", "[link][x,y,z]", "kg m", "link", "mass times com", first_moment},
    {"inertia_at_link", "[link][6]", "kg m^2", "link", "xx xy xz yy yz zz about the link's origin",
     at_link},
    {"inertia_at_com", "[link][6]", "kg m^2", "link",
     "xx xy xz yy yz zz about the centre of mass, link axes", at_com},
    {"mass_sd", "[link]", "kg", "", "one standard deviation of the estimated mass", mass_sd},
    {"com_sd", "[link][x,y,z]", "m", "link",
     "one standard deviation of the estimated centre of mass", com_sd},
    {"estimate", "[link][10]", "kg, kg m, kg m^2", "link",
     "not rate-limited: m, hx hy hz, Ixx Ixy Ixz Iyy Iyz Izz about the link's origin", estimated},
    {"covariance", "[link][100]", "units of estimate, squared", "link",
     "of estimate, 10 x 10 row by row", covariance},
    {"known", "[link][text]", "", "", "what the data have told: mass, com_x, com_y, com_z, shape",
     known},
    {"observable", "[link][text]", "", "",
     "what the motion of the last second or so tells: the same words", observable},
};

enum { LINK_ROWS = sizeof(link_rows) / sizeof(link_rows[0]) };

/* -- values of the filter --------------------------------------------------------------------- */

static const char *state_text(enum inertial_state state) {
  static const char *const text[] = {[INERTIAL_OFF] = "off",
                                     [INERTIAL_CALIBRATING] = "calibrating",
                                     [INERTIAL_RUNNING] = "running",
                                     [INERTIAL_RESTING] = "resting"};
  return text[state];
}

static const char *source_text(enum inertial_source source) {
  static const char *const text[] = {[INERTIAL_FROM_MODEL] = "model",
                                     [INERTIAL_FROM_MEMORY] = "memory",
                                     [INERTIAL_FROM_SENSORS] = "sensors"};
  return text[source];
}

static void encode_missing(struct wire *wire, unsigned missing) {
  const bool torque = (missing & INERTIAL_NEEDS_TORQUE) != 0,
             wrench = (missing & INERTIAL_NEEDS_WRENCH) != 0;
  wire_text(wire, "missing");
  wire_array(wire, (size_t)torque + (size_t)wrench);
  if (torque) {
    wire_text(wire, "joint torques");
  }
  if (wrench) {
    wire_text(wire, "wrenches of all feet");
  }
}

/* Two numbers when known: the delay and its deviation. */
static void encode_delay(struct wire *wire, const char *key, const struct inertial_delay *delay) {
  const double value[2] = {delay->s, delay->sd_s};
  wire_text(wire, key);
  wire_reals(wire, value, delay->known ? 2 : 0);
}

#define COUNT(member) offsetof(struct inertial_counters, member)

static const struct {
  const char *key;
  size_t offset;
  const char *meaning;
} counter_rows[] = {
    {"blocks", COUNT(blocks), "blocks of rows completed"},
    {"updates", COUNT(updates), "blocks used"},
    {"weighed_down", COUNT(weighed_down), "blocks beyond the bound, used with less weight"},
    {"gated", COUNT(gated), "blocks beyond the bound, left out"},
    {"changes", COUNT(changes), "changes of load that were found"},
    {"passed_over", COUNT(passed_over), "blocks at rest, without information"},
    {"blanked", COUNT(blanked), "cycles left out around strikes"},
    {"rejected", COUNT(rejected), "results or rows that were no numbers, or ill-conditioned"},
};
enum { N_COUNTERS = sizeof(counter_rows) / sizeof(counter_rows[0]) };

static void encode_counters(struct wire *wire, const struct inertial_counters *counters) {
  wire_text(wire, "counters");
  wire_map(wire, N_COUNTERS);
  for (int i = 0; i < N_COUNTERS; i++) {
    const char *count = (const char *)counters + counter_rows[i].offset;
    wire_pair_count(wire, counter_rows[i].key, *(const uint64_t *)(const void *)count);
  }
}

static void describe_counters(struct wire *wire) {
  wire_text(wire, "counters");
  wire_map(wire, N_COUNTERS);
  for (int i = 0; i < N_COUNTERS; i++) {
    field_describe(wire, counter_rows[i].key, "integer", "", "", counter_rows[i].meaning);
  }
}

static const struct {
  const char *key, *shape, *unit, *meaning;
} filter_rows[] = {
    {"links", "[text]", "", "names of the links, in the order of every list below"},
    {"state", "text", "", "off, calibrating, running or resting"},
    {"source", "text", "",
     "of the estimates: the model, the memory of an earlier run, or the sensors of this one"},
    {"missing", "[text]", "", "sensors without which rows, or all of it, are missing"},
    {"calibrated", "truth", "",
     "false: the first residual was too large for a bias, and is taken for a load"},
    {"snapshot", "integer", "", "grows with every change of an estimate"},
    {"nis", "number", "",
     "normalised innovation squared per row of the last block; 1 when consistent"},
    {"detector", "number", "", "how close the change detector is to an alarm, which 1 is"},
    {"gain", "number", "nats/s", "information that the motion brings now"},
    {"delay", "[2]", "s",
     "by how much wrenches come after the motion, and one standard deviation; empty while not "
     "known"},
    {"torque_delay", "[2]", "s",
     "the same of joint torques; empty also while their slopes could be friction"},
    {"misaligned", "truth", "",
     "true: a delay is surely beyond 2 ms; stamps are not the instants of sampling, and estimates "
     "err when forces change"},
};

enum { FILTER_ROWS = sizeof(filter_rows) / sizeof(filter_rows[0]) };
enum { TOP = FILTER_ROWS + 1 + LINK_ROWS /* with the counters */ };

static void encode_filter(struct wire *wire, const struct inertia_estimate *inertia) {
  const struct inertial_result *result = &inertia->result;
  wire_text(wire, "links");
  wire_array(wire, result->n_links);
  for (size_t k = 0; k < result->n_links; k++) {
    wire_text(wire, inertia->name[k]);
  }
  wire_pair_text(wire, "state", state_text(result->state));
  wire_pair_text(wire, "source", source_text(result->source));
  encode_missing(wire, result->missing);
  wire_pair_truth(wire, "calibrated", result->calibrated || result->state == INERTIAL_CALIBRATING);
  wire_pair_count(wire, "snapshot", result->snapshot);
  wire_pair_real(wire, "nis", result->nis_per_row);
  wire_pair_real(wire, "detector", result->detector);
  wire_pair_real(wire, "gain", result->gain);
  encode_delay(wire, "delay", &result->delay);
  encode_delay(wire, "torque_delay", &result->torque_delay);
  wire_pair_truth(wire, "misaligned", inertia->misaligned);
  encode_counters(wire, &result->counters);
}

void encode_inertia(struct wire *wire, const struct inertia_estimate *inertia, uint64_t seq,
                    int64_t epoch_ns) {
  const struct stamp stamp = {seq, inertia->t_ns, epoch_ns, inertia->status};
  fields_begin(wire, &stamp, TOP);
  encode_filter(wire, inertia);
  for (size_t i = 0; i < LINK_ROWS; i++) {
    wire_text(wire, link_rows[i].key);
    wire_array(wire, inertia->result.n_links);
    for (size_t k = 0; k < inertia->result.n_links; k++) {
      link_rows[i].encode(wire, &inertia->result.link[k]);
    }
  }
}

void describe_inertia(struct wire *wire) {
  wire_map(wire, TOP);
  for (size_t i = 0; i < FILTER_ROWS; i++) {
    field_describe(wire, filter_rows[i].key, filter_rows[i].shape, filter_rows[i].unit, "",
                   filter_rows[i].meaning);
  }
  describe_counters(wire);
  for (size_t i = 0; i < LINK_ROWS; i++) {
    field_describe(wire, link_rows[i].key, link_rows[i].shape, link_rows[i].unit,
                   link_rows[i].frame, link_rows[i].meaning);
  }
}
