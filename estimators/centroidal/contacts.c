#include "centroidal/contacts.h"

#include "body/frames.h"
#include "numerics/first_order.h"

#include <math.h>
#include <string.h>

/* Of a foot sensor's vertical force to the weight: with less there is no centre of pressure. */
static const double LEAST_LOAD = 0.2;
/* Sensors that feel more or less than the motion says, by this part of the weight and so many of
 * its deviations, are wrong: no load that a robot takes up, no push is as heavy. */
static const double CARRIES_SHARE = 0.6, CARRIES_DEVIATIONS = 5.0;
/* ... and by so much for longer they do not say which feet stand: over how long, s, and what counts
 * of it at most, since a strike is felt some milliseconds before it is known of the motion. */
static const double BEARS_SHARE = 0.4, JUDGED_S = 0.05, MOST_BESIDE = 2.0;
/* So many times its weight a robot's feet bear for some time when it lands. */
static const double LANDS = 1.5;
/* How far from the feet, of the height of the centre of mass, somebody else may carry; from so many
 * deviations on. */
static const double ELSEWHERE = 0.3, SURELY = 3.0;
/* How long what the feet felt suddenly makes the motion's force doubtful, s. */
static const double UNREST_S = 0.03;
/* A contact switch that reads more than this touches. */
static const double TOUCHING = 0.5;
/* Torques older than this, ns, do not say which feet stand where heights do: of joints that are
 * read as seldom a strike between two readings is not known, nor how far off it leaves their
 * accelerations. Older still, they are no longer measured. */
static const int64_t OLD_NS = 4500000, OLDEST_NS = 25000000;
/* Legs that bear less than this, of the weight, hang; by torques that old when they have for so
 * long, s. */
static const double LIFTED = 0.15, LIFTED_S = 0.1;
/* Over how long what the feet felt is averaged to a weight, s. */
static const double CARRIED_TIME_S = 3.0;

struct contact_settings contact_defaults(void) {
  return (struct contact_settings){.wrench = net_wrench_defaults(),
                                   .cop = cop_filter_defaults(),
                                   .feet = foot_wrench_defaults(),
                                   .push = push_defaults(),
                                   .sensor_cop_sd = 0.005};
}

enum status contacts_init(struct contacts *contacts, const struct robot *robot,
                          const struct contact_settings *settings, struct arena *arena) {
  if (!(settings->sensor_cop_sd > 0.0 && settings->sole_length >= 0.0 &&
        settings->sole_width >= 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *contacts = (struct contacts){.settings = *settings, .robot = robot};
  carrying_legs_reset(&contacts->legs);
  enum status status = net_wrench_init(&contacts->wrench, &settings->wrench);
  status = status == STATUS_OK ? cop_filter_init(&contacts->cop, &settings->cop) : status;
  status = status == STATUS_OK ? push_init(&contacts->push, &settings->push) : status;
  return status == STATUS_OK
             ? foot_wrench_init(&contacts->foot_wrench, robot, &settings->feet, arena)
             : status;
}

/* Switches say which feet carry, not how much: those that touch carry alike. False: not all feet
 * have one that speaks, or several touch and the motion tells better how they share. */
static bool read_switches(struct contacts *c, const struct wrench_reading *reading, double weight) {
  bool touches[ROBOT_MAX_FEET] = {false}, has[ROBOT_MAX_FEET] = {false};
  size_t touching = 0, known = 0;
  for (size_t i = 0; reading->stamp.present && i < reading->n_switches; i++) {
    const double contact = reading->contact[i].lin.z;
    const size_t foot = c->robot->switch_foot[i];
    known += isfinite(contact) && !has[foot];
    has[foot] = true;
    touches[foot] = contact > TOUCHING;
    touching += touches[foot];
  }
  for (size_t foot = 0; foot < c->robot->n_feet; foot++) {
    c->foot_f_z[foot] = touches[foot] ? weight / (double)touching : 0.0;
  }
  const bool motion_tells = !c->robot->inertia_unknown && touching > 1;
  return known > 0 && known == c->robot->n_feet && !motion_tells;
}

/* What feet bear at most: as the motion says, where it is known. */
static double borne(const struct contacts *c, bool motion_known) {
  const struct net_moment *then = net_history_at(&c->motion, c->felt_ns);
  return then == NULL || !motion_known
             ? LANDS * c->seen.weight
             : then->force_W.z + CARRIES_DEVIATIONS * net_wrench_force_sd(&c->wrench).z;
}

/* N: what feet bear together. */
static double sum_of(const struct contacts *c) {
  double sum = 0.0;
  for (size_t foot = 0; foot < c->robot->n_feet; foot++) {
    sum += c->foot_f_z[foot];
  }
  return sum;
}

/* Whether sensors of a robot of known mass may be believed: not when they feel more than feet bear.
 * Less they feel of one that something else carries. */
static bool are_believed(struct contacts *c, bool motion_known, double dt) {
  const double beside = (sum_of(c) - borne(c, motion_known)) / c->seen.weight;
  c->beside +=
      fmin(dt / JUDGED_S, 1.0) * (fmin(fmax(beside, -MOST_BESIDE), MOST_BESIDE) - c->beside);
  return c->beside < BEARS_SHARE;
}

/* What the torques of the step before tell: whether anything carries the robot but its legs, and
 * which of more than two feet do. How two share the centre of pressure says; of more it leaves that
 * open. */
static void ask_legs(struct contacts *c, const struct contact_reading *read,
                     const struct foot_wrenches *feet) {
  const double f_z = read->motion_known ? c->wrench.wrench_W.lin.z : (double)NAN;
  const size_t n_feet = c->robot->n_feet;
  double bears[ROBOT_MAX_FEET], sum = 0.0;
  c->seen.legs = LEGS_SILENT;
  c->seen.at_once = c->seen.late = false;
  c->seen.awaited = c->seen.foot_f_z == NULL && n_feet > ROBOT_MAX_SOLES &&
                    feet->source == FOOT_BY_TORQUES && !carrying_legs_heard(&c->legs);
  if (!carrying_legs_tell(&c->legs, feet, n_feet, vec3_from(read->R_WB->m[2]), f_z, read->weight,
                          read->dt, bears)) {
    c->lifted_s = 0.0;
    return;
  }
  for (size_t foot = 0; foot < n_feet; foot++) {
    sum += bears[foot];
  }
  c->seen.borne = c->seen.foot_f_z == NULL ? sum / read->weight : c->seen.borne;
  c->lifted_s = sum > LIFTED * read->weight ? 0.0 : c->lifted_s + read->dt;
  const int64_t age_ns = read->t_ns - c->effort_ns;
  c->seen.late = age_ns > OLD_NS;
  const double hang_s = c->seen.late ? LIFTED_S : 0.0;
  c->seen.legs = c->lifted_s > hang_s ? LEGS_HANG : c->seen.late ? LEGS_SILENT : LEGS_CARRY;
  if (age_ns < OLDEST_NS && n_feet > ROBOT_MAX_SOLES && c->seen.foot_f_z == NULL) {
    memcpy(c->foot_f_z, bears, n_feet * sizeof(*bears));
    c->seen.foot_f_z = c->foot_f_z;
    c->seen.at_once = true;
  }
}

/* Sensors whose readings vary by a bit are alive, also those that feel no weight. */
static void note_readings(struct contacts *c, const struct wrench_reading *reading) {
  double sum = 0.0;
  for (size_t i = 0; i < c->robot->n_wrench; i++) {
    const struct force *w = &reading->wrench[i];
    sum += w->lin.x + w->lin.y + w->lin.z + w->ang.x + w->ang.y + w->ang.z;
  }
  c->seen.measured = c->seen.measured || (isfinite(c->read - sum) && c->read != sum);
  c->read = sum;
}

void contacts_sense(struct contacts *c, const struct contact_reading *read) {
  const struct wrench_reading *reading = read->reading;
  c->seen.weight = read->weight;
  c->seen.f_z = c->wrench.started ? c->seen.f_z : read->weight;
  c->seen.foot_f_z = NULL;
  const struct foot_wrenches by_legs = c->feet;
  c->feet.source = FOOT_UNKNOWN;
  c->seen.borne = 1.0;
  c->denied = false;
  if (foot_wrench_by_sensors(&c->foot_wrench, read->kin, reading, &c->feet) == STATUS_OK) {
    for (size_t foot = 0; foot < c->robot->n_feet; foot++) {
      c->foot_f_z[foot] = vec3_dot(vec3_from(read->R_WB->m[2]), c->feet.wrench_B[foot].lin);
    }
    c->felt_ns = reading->stamp.t_ns;
    note_readings(c, reading);
    c->denied = !c->robot->inertia_unknown && !are_believed(c, read->motion_known, read->dt);
    c->seen.foot_f_z = c->denied ? NULL : c->foot_f_z;
    c->feet.source = c->denied ? FOOT_UNKNOWN : c->feet.source;
    c->seen.borne = c->denied ? 1.0 : sum_of(c) / read->weight;
  } else if (read_switches(c, reading, read->weight)) {
    c->seen.foot_f_z = c->foot_f_z;
  }
  ask_legs(c, read, &by_legs);
}

void contacts_sense_unweighed(struct contacts *c, const struct contact_reading *read) {
  contacts_sense(c, read);
  const double sum = c->feet.source == FOOT_BY_SENSORS ? sum_of(c) : 0.0;
  if (sum > 0.0) {
    const double share = c->carried > 0.0 ? fmin(read->dt / CARRIED_TIME_S, 1.0) : 1.0;
    c->carried += share * (sum - c->carried);
  }
  c->seen.weight = c->seen.f_z = c->carried > 0.0 ? c->carried : 1.0;
  c->seen.borne = sum > 0.0 ? sum / c->carried : 1.0;
}

/* Torques that stay as they are to the bit are no longer measured. */
static void note_effort(struct contacts *c, const double *effort, int64_t t_ns) {
  const size_t bytes = c->robot->model.n_joints * sizeof(*effort);
  if (memcmp(c->effort, effort, bytes) != 0) {
    memcpy(c->effort, effort, bytes);
    c->effort_ns = t_ns;
  }
}

/* Without sensors on the feet: from the legs' torques, where there are any. */
static void feel_feet(struct contacts *c, const struct contact_input *in) {
  vec3 expected[ROBOT_MAX_FEET];
  if (c->feet.source == FOOT_BY_SENSORS || (in->state->estimated & PROPRIOD_STATE_EFFORT) == 0) {
    return;
  }
  for (size_t foot = 0; foot < c->robot->n_feet; foot++) {
    expected[foot] = vec3_scale(in->base->support.share[foot], in->centroidal->rate.lin);
  }
  if (foot_wrench_by_torques(&c->foot_wrench, in->kin, in->inertia, in->state->effort, expected,
                             vec3_from(in->X_WB.R.m[2]), c->seen.weight, &c->feet) != STATUS_OK) {
    c->feet.source = FOOT_UNKNOWN;
  }
  c->felt_ns = in->effort_ns;
  note_effort(c, in->state->effort, in->effort_ns);
}

/* How far net force and feet may be apart with nothing that pushes: by the error of the motion that
 * the net force follows from, and because a strike is known some milliseconds sooner or later by
 * the motion than by the feet: by what smoothing has hidden of either. */
static vec3 push_uncertainty(const struct contacts *c, bool feet_known) {
  const double(*cov)[6] = c->wrench.cov;
  if (!feet_known) {
    return (vec3){sqrt(cov[3][3]), sqrt(cov[4][4]), sqrt(cov[5][5])};
  }
  const vec3 net = net_wrench_force_sd(&c->wrench), feet = c->feet_unrest_W;
  return (vec3){sqrt(net.x * net.x + feet.x), sqrt(net.y * net.y + feet.y),
                sqrt(net.z * net.z + feet.z)};
}

/* All feet together, smoothed over the time between their readings. What smoothing every step would
 * have hidden of a change is not known better for being felt later. */
static void smooth_feet(struct contacts *c, const struct contact_input *in) {
  const double corner_hz = c->settings.wrench.corner_hz;
  const double since = c->feet_started ? 1e-9 * (double)(c->felt_ns - c->feet_ns) : 0.0;
  const struct force sum = foot_wrench_sum(&c->foot_wrench, in->kin, &c->feet, VEC3_ZERO);
  const vec3 now = mat3_mul_vec3(&in->X_WB.R, sum.lin);
  if (!c->feet_started) {
    c->feet_W = now;
  } else if (since > 0.0) { /* not the same reading again */
    const vec3 change = vec3_sub(now, c->feet_W);
    const vec3 hidden = vec3_scale(first_order_lag(corner_hz, in->dt), change);
    const vec3 square = {hidden.x * hidden.x, hidden.y * hidden.y, hidden.z * hidden.z};
    c->feet_W = vec3_axpy(c->feet_W, first_order_share(corner_hz, since), change);
    c->feet_unrest_W = vec3_axpy(c->feet_unrest_W, fmin(since / UNREST_S, 1.0),
                                 vec3_sub(square, c->feet_unrest_W));
  }
  c->feet_ns = c->felt_ns;
}

static void step_push(struct contacts *c, const struct contact_input *in,
                      struct propriod_centroidal *out) {
  const bool known = c->feet.source != FOOT_UNKNOWN;
  if (known) {
    smooth_feet(c, in);
  }
  c->feet_started = known;
  const vec3 sd = push_uncertainty(c, known);
  const vec3 net_W = net_history_at(&c->motion, known ? c->felt_ns : in->t_ns)->force_W;
  if (c->push.active || !in->begins) {
    push_step(&c->push, net_W, known ? &c->feet_W : NULL, sd, c->seen.weight, in->dt);
  }
  out->push_active = c->push.active;
  out->push_observable = c->push.observable;
  out->push_count = c->push.count;
  out->push_force = c->push.force_W;
  out->push_impulse = c->push.impulse_W;
  out->push_force_sd =
      (vec3){sqrt(c->push.variance.x), sqrt(c->push.variance.y), sqrt(c->push.variance.z)};
  out->estimated |= PROPRIOD_CENTROIDAL_PUSH;
}

static void publish_feet(const struct contacts *c, const struct contact_input *in,
                         struct propriod_centroidal *out) {
  if (c->feet.source == FOOT_UNKNOWN) {
    return;
  }
  for (size_t foot = 0; foot < c->robot->n_feet; foot++) {
    out->foot_force[foot] = vec3_dot(vec3_from(in->X_WB.R.m[2]), c->feet.wrench_B[foot].lin);
  }
  out->estimated |= PROPRIOD_CENTROIDAL_FEET;
}

/* Whether sensors feel about what carries the robot by its motion. */
static bool carries(const struct contacts *c, double felt, double carried) {
  const double unsure = CARRIES_DEVIATIONS * net_wrench_force_sd(&c->wrench).z;
  return fabs(felt - carried) < CARRIES_SHARE * c->seen.weight + unsure;
}

/* The centre of pressure that the feet's sensors give, at the height of the ground. */
static enum status find_felt_cop(const struct contacts *c, const struct contact_input *in,
                                 double ground, double carried, vec3 *cop_W) {
  if (c->feet.source != FOOT_BY_SENSORS) {
    return STATUS_TOO_FEW;
  }
  /* about the point of the ground below the base: moments of forces at height vanish */
  const vec3 below_W = {in->X_WB.p.x, in->X_WB.p.y, ground};
  const vec3 below_B = mat3_tmul_vec3(&in->X_WB.R, vec3_sub(below_W, in->X_WB.p));
  const struct force sum = foot_wrench_sum(&c->foot_wrench, in->kin, &c->feet, below_B);
  const vec3 m = mat3_mul_vec3(&in->X_WB.R, sum.ang), f = mat3_mul_vec3(&in->X_WB.R, sum.lin);
  if (!(f.z > LEAST_LOAD * c->seen.weight) || !carries(c, f.z, carried)) {
    return STATUS_OUT_OF_RANGE;
  }
  *cop_W = (vec3){below_W.x - m.y / f.z, below_W.y + m.x / f.z, ground};
  return STATUS_OK;
}

/* The centre of pressure by the motion alone. Which feet stand follows from the bare one: it is
 * noisy, but sees at once that the weight goes over. */
static void find_cop(struct contacts *c, const struct contact_input *in,
                     struct propriod_centroidal *out) {
  const vec3 com_W = pose_apply(&in->X_WB, in->centroidal->com);
  const double ground = base_estimator_ground(in->base);
  struct cop_surroundings now = {.com_W = com_W,
                                 .height = com_W.z - ground,
                                 .dt = in->dt,
                                 .strike = in->base->support.phase == SUPPORT_STRIKE};
  double sd[2];
  c->seen.cop_known = net_wrench_cop(&c->wrench, com_W, ground, c->seen.weight, &out->cop_position,
                                     sd, now.hidden) == STATUS_OK;
  if (!c->seen.cop_known) {
    cop_filter_lose(&c->cop);
    return;
  }
  c->seen.cop_W = out->cop_position;
  cop_filter_step(&c->cop, &now, &out->cop_position, sd);
  out->cop_sd = (vec3){sd[0], sd[1], 0.0};
  out->estimated |= PROPRIOD_CENTROIDAL_COP;
}

/* ... and by what the feet have felt, as both were when they were felt. */
static void correct_cop(struct contacts *c, const struct contact_input *in,
                        struct propriod_centroidal *out) {
  const struct net_moment *then = net_history_at(&c->motion, c->felt_ns);
  vec3 felt_W;
  if (c->seen.cop_known && then->cop_known &&
      find_felt_cop(c, in, base_estimator_ground(in->base), then->force_W.z, &felt_W) ==
          STATUS_OK) {
    out->cop_disagreement = vec3_sub(felt_W, then->cop_W);
    sensed_cop_take(&c->sensed, c->felt_ns, felt_W, then->cop_W, c->settings.sensor_cop_sd);
    sensed_cop_weigh(&c->sensed, in->t_ns, out->cop_disagreement, &out->cop_position, &out->cop_sd);
    out->estimated |= PROPRIOD_CENTROIDAL_COP_SENSED;
  }
}

/* What is surely there of an error, beyond its deviation. */
static double surely(double off, double sd) {
  return fmax(fabs(off) - SURELY * sd, 0.0);
}

/* Where something else carries or pushes the robot, the motion has that in its centre of pressure:
 * somewhere about the robot. Feet, or legs that are believed, tell how much. */
static void doubt_cop(const struct contacts *c, const struct contact_input *in,
                      struct propriod_centroidal *out) {
  const bool told = c->feet_started && (c->feet.source == FOOT_BY_SENSORS || c->legs.believed);
  if (!told || (out->estimated & PROPRIOD_CENTROIDAL_COP) == 0) {
    return;
  }
  const vec3 other_W = vec3_sub(c->wrench.wrench_W.lin, c->feet_W), sd = push_uncertainty(c, true);
  const double com_z = pose_apply(&in->X_WB, in->centroidal->com).z,
               per_N = (com_z - base_estimator_ground(in->base)) /
                       fmax(c->feet_W.z, LEAST_LOAD * c->seen.weight),
               aside = ELSEWHERE * surely(other_W.z, sd.z);
  out->cop_sd.x = hypot(out->cop_sd.x, per_N * hypot(aside, surely(other_W.x, sd.x)));
  out->cop_sd.y = hypot(out->cop_sd.y, per_N * hypot(aside, surely(other_W.y, sd.y)));
}

/* How far the centre of pressure is inside of the soles that stand. */
static void publish_margin(const struct contacts *c, const struct contact_input *in,
                           struct propriod_centroidal *out) {
  struct support_polygon polygon;
  struct pose sole_W[ROBOT_MAX_FEET];
  if ((out->estimated & PROPRIOD_CENTROIDAL_COP) == 0 || !in->base->support.started) {
    return;
  }
  for (size_t foot = 0; foot < c->robot->n_feet; foot++) {
    const struct model_frame *frame = &c->robot->foot[foot];
    const struct pose X_BF = frame_pose(in->kin, frame->link, &frame->placement);
    sole_W[foot] = pose_mul(&in->X_WB, &X_BF);
  }
  if (support_polygon(sole_W, in->base->support.stands, c->robot->n_feet, c->settings.sole_length,
                      c->settings.sole_width, &polygon) == STATUS_OK) {
    out->support_margin = support_margin(&polygon, out->cop_position);
    out->estimated |= PROPRIOD_CENTROIDAL_MARGIN;
  }
}

void contacts_step(struct contacts *c, const struct contact_input *in,
                   struct propriod_centroidal *out) {
  net_wrench_step(&c->wrench, in->centroidal, &in->X_WB.R, in->dt);
  memcpy(c->wrench.cov, in->sure->wrench, sizeof(c->wrench.cov));
  c->wrench.com_sd = in->sure->com_by_model;
  out->contact_force = c->wrench.wrench_W.lin;
  out->contact_force_sd = net_wrench_force_sd(&c->wrench);
  out->contact_force_sd.z = hypot(out->contact_force_sd.z, push_strange_weight(&c->push));
  out->estimated |= PROPRIOD_CENTROIDAL_WRENCH;
  c->seen.f_z = c->wrench.wrench_W.lin.z;
  find_cop(c, in, out);
  const struct net_moment now = {in->t_ns, c->wrench.wrench_W.lin, c->seen.cop_known,
                                 out->cop_position};
  net_history_note(&c->motion, &now);
  feel_feet(c, in);
  publish_feet(c, in, out);
  step_push(c, in, out);
  correct_cop(c, in, out);
  doubt_cop(c, in, out);
  publish_margin(c, in, out);
}

void contacts_adopt(struct contacts *c, const struct contacts *previous) {
  c->wrench = previous->wrench;
  c->wrench.settings = c->settings.wrench;
  c->cop = previous->cop;
  c->cop.settings = c->settings.cop;
  c->push = previous->push;
  c->push.settings = c->settings.push;
  c->seen = previous->seen;
  c->legs = previous->legs;
  c->seen.foot_f_z = NULL; /* points into the other one */
  c->feet_W = previous->feet_W;
  c->feet_unrest_W = previous->feet_unrest_W;
  c->feet_started = previous->feet_started;
  c->feet_ns = previous->feet_ns;
  c->motion = previous->motion;
  c->sensed = previous->sensed;
}
