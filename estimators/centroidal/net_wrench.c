#include "centroidal/net_wrench.h"

#include "numerics/first_order.h"

#include <math.h>

static const double UNREST_S = 0.03; /* s: how fast what the smoothing hid is forgotten */

struct net_wrench_settings net_wrench_defaults(void) {
  return (struct net_wrench_settings){.corner_hz = 60.0,
                                      .base_linear_sd = 0.05,
                                      .base_angular_sd = 0.5,
                                      .joint_sd = 3.0,
                                      .strike_sd = 0.04,
                                      .least_vertical = 0.2};
}

enum status net_wrench_init(struct net_wrench *net, const struct net_wrench_settings *settings) {
  const double values[] = {settings->corner_hz, settings->base_linear_sd, settings->base_angular_sd,
                           settings->joint_sd,  settings->strike_sd,      settings->least_vertical};
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
  net->wrench_W.ang =
      vec3_axpy(net->wrench_W.ang, smoothing, vec3_sub(net->raw_W.ang, net->wrench_W.ang));
  net->wrench_W.lin =
      vec3_axpy(net->wrench_W.lin, smoothing, vec3_sub(net->raw_W.lin, net->wrench_W.lin));
  const double left = exp(-dt / UNREST_S);
  net->unrest_W.ang =
      remember(net->unrest_W.ang, left, vec3_sub(net->raw_W.ang, net->wrench_W.ang));
  net->unrest_W.lin =
      remember(net->unrest_W.lin, left, vec3_sub(net->raw_W.lin, net->wrench_W.lin));
  net->started = true;
}

void net_wrench_deviations(struct net_wrench *net, const double *A, size_t n, const double *ddq_sd,
                           const mat3 *R_WB) {
  const size_t columns = 6 + n;
  double moment[2] = {0.0, 0.0}, force = 0.0;
  for (size_t j = 0; j < columns; j++) {
    const double sd = j < 3   ? net->settings.base_angular_sd
                      : j < 6 ? net->settings.base_linear_sd
                              : (ddq_sd != NULL ? ddq_sd[j - 6] : net->settings.joint_sd);
    const vec3 ang = mat3_mul_vec3(R_WB, (vec3){A[j], A[columns + j], A[2 * columns + j]});
    const vec3 lin = {A[3 * columns + j], A[4 * columns + j], A[5 * columns + j]};
    moment[0] += ang.x * ang.x * sd * sd;
    moment[1] += ang.y * ang.y * sd * sd;
    force += vec3_dot(lin, lin) * sd * sd / 3.0;
  }
  net->moment_sd[0] = sqrt(moment[0]);
  net->moment_sd[1] = sqrt(moment[1]);
  net->force_sd = sqrt(force);
}

enum status net_wrench_cop(const struct net_wrench *net, vec3 com_W, double ground, double weight,
                           bool strike, vec3 *cop_W, double sd[2]) {
  const vec3 f = net->wrench_W.lin, dL = net->wrench_W.ang;
  if (!(f.z > net->settings.least_vertical * weight) || !vec3_is_finite(f) || !vec3_is_finite(dL)) {
    return STATUS_OUT_OF_RANGE;
  }
  const double height = com_W.z - ground;
  *cop_W = (vec3){com_W.x - height * f.x / f.z - dL.y / f.z,
                  com_W.y - height * f.y / f.z + dL.x / f.z, ground};
  const double extra = strike ? net->settings.strike_sd : 0.0;
  for (int axis = 0; axis < 2; axis++) {
    const vec3 ang = net->unrest_W.ang, lin = net->unrest_W.lin;
    const double by_moment = hypot(net->moment_sd[1 - axis], axis == 0 ? ang.y : ang.x) / f.z,
                 by_force = height * hypot(net->force_sd, axis == 0 ? lin.x : lin.y) / f.z;
    const double offset =
        axis == 0 ? com_W.x - cop_W->x : com_W.y - cop_W->y; /* vertical force moves it along */
    const double by_vertical = offset * hypot(net->force_sd, lin.z) / f.z;
    sd[axis] = sqrt(by_moment * by_moment + by_force * by_force + by_vertical * by_vertical +
                    extra * extra);
  }
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
