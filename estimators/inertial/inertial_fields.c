#include "inertial/inertial_fields.h"

#include "inertial/inertial_estimator.h"

#include <string.h>

/* -- of the filter ---------------------------------------------------------------------------- */

#define FILTER(member, unit, meaning)                                                              \
  FIELD_AS(#member, struct inertia_estimate, result.member, unit, "", 0, meaning)
#define CHOICE(member, of, meaning)                                                                \
  FIELD_OF_KIND(#member, FIELD_CHOICE, struct inertia_estimate, result.member, meaning, .words = of)
#define DELAY(member, meaning_)                                                                    \
  {                                                                                                \
    .key = #member, .kind = FIELD_NUMBERS, .unit = "s", .frame = "", .shape = "[2]",               \
    .offset = offsetof(struct inertia_estimate, member), .numbers = delay, .meaning = meaning_     \
  }

static const char *const states[] = {"off", "calibrating", "running", "resting", NULL};
static const char *const sources[] = {"model", "memory", "sensors", NULL};
static const char *const doubts[] = {"none", "links", "sensors", "stamps", NULL};
static const char *const missing[] = {"joint torques", "wrenches of all feet", NULL};

/* Two numbers when known. */
static size_t delay(const void *of, double number[]) {
  const struct inertial_delay *d = of;
  number[0] = d->s;
  number[1] = d->sd_s;
  return d->known ? 2 : 0;
}

#define COUNT(member, meaning) FIELD(struct inertial_counters, member, "", "", 0, meaning)

static const struct field counter[] = {
    COUNT(blocks, "blocks of rows completed"),
    COUNT(updates, "blocks used"),
    COUNT(weighed_down, "blocks beyond the bound, used with less weight"),
    COUNT(gated, "blocks beyond the bound, left out"),
    COUNT(changes, "changes of load that were found"),
    COUNT(passed_over, "blocks at rest, without information"),
    COUNT(blanked, "cycles left out around strikes"),
    COUNT(rejected, "results or rows that were no numbers, or ill-conditioned"),
    COUNT(resets, "returns to the model, after rows were rejected for a second"),
};
const struct field_rows inertial_counter_fields = FIELD_ROWS(counter);
static const struct field_table counters = {.name = "counters",
                                            .group = {{&inertial_counter_fields, 0}}};

/* -- of each link ----------------------------------------------------------------------------- */

#define LINK_ROW(key_, kind_, of, ...)                                                             \
  {                                                                                                \
    .key = key_, .kind = kind_, .per = FIELD_LINK,                                                 \
    .offset = offsetof(struct inertia_estimate, result.link[0] of),                                \
    .stride = sizeof(struct inertial_link_estimate), __VA_ARGS__                                   \
  }
#define LINK(key_, member, unit_, frame_, meaning_)                                                \
  LINK_ROW(key_, FIELD_KIND_OF(struct inertial_link_estimate, member), .member, .unit = unit_,     \
           .frame = frame_, .meaning = meaning_)
#define LINK_NUMBERS(key_, shape_, unit_, meaning_)                                                \
  LINK_ROW(#key_, FIELD_NUMBERS, , .shape = shape_, .numbers = key_, .unit = unit_,                \
           .frame = "link", .meaning = meaning_)
#define LINK_BITS(member, meaning_)                                                                \
  LINK_ROW(#member, FIELD_BITS, .member, .words = parameters, .unit = "", .frame = "",             \
           .meaning = meaning_)

static const char *const parameters[] = {"mass", "com_x", "com_y", "com_z", "shape", NULL};

static size_t com(const void *of, double number[]) {
  vec3_to(inertia_com(&((const struct inertial_link_estimate *)of)->published), number);
  return 3;
}

static size_t six(mat3 I, double number[]) {
  const double value[6] = {I.m[0][0], I.m[0][1], I.m[0][2], I.m[1][1], I.m[1][2], I.m[2][2]};
  memcpy(number, value, sizeof(value));
  return 6;
}

static size_t inertia_at_link(const void *of, double number[]) {
  return six(inertia_tensor(&((const struct inertial_link_estimate *)of)->published), number);
}

static size_t inertia_at_com(const void *of, double number[]) {
  return six(inertia_tensor_at_com(&((const struct inertial_link_estimate *)of)->published),
             number);
}

static size_t estimate(const void *of, double number[]) {
  inertia_to(&((const struct inertial_link_estimate *)of)->estimate, number);
  return INERTIA_PARAMETERS;
}

static size_t covariance(const void *of, double number[]) {
  const struct inertial_link_estimate *link = of;
  memcpy(number, link->covariance, sizeof(link->covariance));
  return INERTIA_PARAMETERS * INERTIA_PARAMETERS;
}

static const struct field rows[] = {
    {.key = "links",
     .kind = FIELD_TEXT,
     .per = FIELD_LINK,
     .offset = offsetof(struct inertia_estimate, name),
     .stride = MODEL_NAME_SIZE,
     .unit = "",
     .frame = "",
     .meaning = "names of the links, in the order of every list below"},
    CHOICE(state, states, "off, calibrating, running or resting"),
    CHOICE(source, sources,
           "of the estimates: the model, the memory of an earlier run, or the sensors of this one"),
    FIELD_OF_KIND("missing", FIELD_BITS, struct inertia_estimate, result.missing,
                  "sensors without which rows, or all of it, are missing", .words = missing),
    FILTER(calibrated, "", "true: load and bias have been told apart, every link's mass is known"),
    FILTER(doubted, "",
           "true: alarms come so often that no constant load explains what is measured"),
    CHOICE(doubt, doubts,
           "what does most likely not fit then: these links (the load is on another, or changes "
           "hands), the sensors (much noisier than told), or the stamps"),
    FILTER(alarm_rate, "1/s", "of the newest four changes that were found"),
    FILTER(noise, "", "deviations of the worst row in motion, in units of the told one"),
    FILTER(snapshot, "", "grows with every change of an estimate"),
    FILTER(nis, "", "normalised innovation squared per row of the last block; 1 when consistent"),
    FILTER(detector, "", "how close the change detector is to an alarm, which 1 is"),
    FILTER(gain, "nats/s", "information that the motion brings now"),
    DELAY(delay,
          "by how much wrenches come after the motion, with what is made good, and one standard "
          "deviation of what is left; empty while not known"),
    DELAY(torque_delay,
          "the same of joint torques; empty also while their slopes could be friction"),
    FIELD(struct inertia_estimate, misaligned, "", "", 0,
          "true: a delay is surely beyond 2 ms; stamps are not the instants of sampling"),
    FIELD_OF_KIND("counters", FIELD_MAP, struct inertia_estimate, result.counters, NULL,
                  .map = &counters),
    LINK("mass", published.m, "kg", "",
         "as published: follows the estimate at a limited rate, always physical"),
    LINK_NUMBERS(com, "[x,y,z]", "m", "centre of mass, as published"),
    LINK("first_moment", published.h, "kg m", "link", "mass times com"),
    LINK_NUMBERS(inertia_at_link, "[6]", "kg m^2", "xx xy xz yy yz zz about the link's origin"),
    LINK_NUMBERS(inertia_at_com, "[6]", "kg m^2",
                 "xx xy xz yy yz zz about the centre of mass, link axes"),
    LINK("mass_sd", mass_sd, "kg", "", "one standard deviation of the estimated mass"),
    LINK("com_sd", com_sd, "m", "link", "one standard deviation of the estimated centre of mass"),
    LINK_NUMBERS(estimate, "[10]", "kg, kg m, kg m^2",
                 "not rate-limited: m, hx hy hz, Ixx Ixy Ixz Iyy Iyz Izz about the link's origin"),
    LINK_NUMBERS(covariance, "[100]", "units of estimate, squared",
                 "of estimate, 10 x 10 row by row"),
    LINK_BITS(known, "what the data have told: mass, com_x, com_y, com_z, shape"),
    LINK_BITS(observable, "what the motion of the last second or so tells: the same words"),
};
const struct field_rows inertial_fields = FIELD_ROWS(rows);
