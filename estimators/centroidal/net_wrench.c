#include "centroidal/net_wrench.h"

#include "numerics/first_order.h"

#include <math.h>

static const double UNREST_S = 0.03; /* s: how fast what the smoothing hid is forgotten */

struct net_wrench_settings net_wrench_defaults(void) {
  return (struct net_wrench_settings){.corner_hz = 60.0, .least_vertical = 0.2};
}

enum status net_wrench_init(struct net_wrench *net, const struct net_wrench_settings *settings) {
  const double values[] = {settings->corner_hz, settings->least_vertical};
  for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
    if (!(values[i] >= 0.0 && isfinite(values[i]))) {
      return STATUS_OUT_OF_RANGE;
    }
  }
  *net = (struct net_wrench){.settings = *settings};
  return STATUS_OK;
}

/* The larger of what is hidden now and what is left of before. */
static vec3 remember(vec3 before, double left, vec3 hidden) {
  return (vec3){fmax(left * before.x, fabs(hidden.x)), fmax(left * before.y, fabs(hidden.y)),
                fmax(left * before.z, fabs(hidden.z))};
}

void net_wrench_step(struct net_wrench *net, const struct centroidal *centroidal, const mat3 *R_WB,
                     double dt) {
  net->raw_W = (struct force){mat3_mul_vec3(R_WB, centroidal->rate.ang),
                              mat3_mul_vec3(R_WB, centroidal->rate.lin)};
  const double smoothing = net->started ? first_order_share(net->settings.corner_hz, dt) : 1.0;
  const double lag = net->started ? first_order_lag(net->settings.corner_hz, dt) : 0.0;
  const struct force before = net->wrench_W;
  const vec3 turned = vec3_sub(net->raw_W.ang, before.ang),
             pushed = vec3_sub(net->raw_W.lin, before.lin);
  net->wrench_W.ang = vec3_axpy(before.ang, smoothing, turned);
  net->wrench_W.lin = vec3_axpy(before.lin, smoothing, pushed);
  const double left = exp(-dt / UNREST_S);
  net->unrest_W.ang = remember(net->unrest_W.ang, left, vec3_scale(lag, turned));
  net->unrest_W.lin = remember(net->unrest_W.lin, left, vec3_scale(lag, pushed));
  net->started = true;
}

vec3 net_wrench_force_sd(const struct net_wrench *net) {
  const vec3 hidden = net->unrest_W.lin;
  return (vec3){hypot(sqrt(net->cov[3][3]), hidden.x), hypot(sqrt(net->cov[4][4]), hidden.y),
                hypot(sqrt(net->cov[5][5]), hidden.z)};
}

/* One deviation of what the wrench's error moves by `gradient`: moments, forces. */
static double moved_by(const struct net_wrench *net, const double gradient[6]) {
  double variance = 0.0;
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      variance += gradient[i] * net->cov[i][k] * gradient[k];
    }
  }
  return sqrt(fmax(variance, 0.0));
}

/* ... and of what the smoothing has hidden of it. */
static double hidden_by(const struct net_wrench *net, const double gradient[6]) {
  const struct force u = net->unrest_W;
  const double unrest[6] = {u.ang.x, u.ang.y, u.ang.z, u.lin.x, u.lin.y, u.lin.z};
  double variance = 0.0;
  for (int i = 0; i < 6; i++) {
    variance += gradient[i] * gradient[i] * unrest[i] * unrest[i];
  }
  return sqrt(variance);
}

enum status net_wrench_cop(const struct net_wrench *net, vec3 com_W, double ground, double weight,
                           vec3 *cop_W, double sd[2], double hidden[2]) {
  const vec3 f = net->wrench_W.lin, dL = net->wrench_W.ang;
  if (!(f.z > net->settings.least_vertical * weight) || !vec3_is_finite(f) || !vec3_is_finite(dL)) {
    return STATUS_OUT_OF_RANGE;
  }
  const double height = com_W.z - ground;
  *cop_W = (vec3){com_W.x - height * f.x / f.z - dL.y / f.z,
                  com_W.y - height * f.y / f.z + dL.x / f.z, ground};
  /* d cop / d [dL; f]; vertical force moves the point towards below the centre of mass */
  const double by_x[6] = {0.0, -1.0 / f.z, 0.0, -height / f.z, 0.0, (com_W.x - cop_W->x) / f.z},
               by_y[6] = {1.0 / f.z, 0.0, 0.0, 0.0, -height / f.z, (com_W.y - cop_W->y) / f.z};
  sd[0] = hypot(moved_by(net, by_x), net->com_sd.x);
  sd[1] = hypot(moved_by(net, by_y), net->com_sd.y);
  hidden[0] = hidden_by(net, by_x);
  hidden[1] = hidden_by(net, by_y);
  return STATUS_OK;
}

enum status divergent_component(vec3 com_W, vec3 com_velocity_W, double ground, vec3 *dcm_W) {
  const double height = com_W.z - ground;
  if (!(height > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *dcm_W = vec3_axpy(com_W, sqrt(height / STANDARD_GRAVITY), com_velocity_W);
  return STATUS_OK;
}
