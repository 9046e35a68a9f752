#include "payload.h"

enum status payload_init(struct payload *payload, const struct sim_payload *options,
                         const struct model *model, struct message *error) {
  struct payload new = {.options = *options, .exists = options->link != NULL};
  if (!new.exists) {
    *payload = new;
    return STATUS_OK;
  }
  const int frame = model_find_frame(model, options->link);
  if (frame < 0) {
    message_set(error, "payload: robot %s has no link or frame '%s'", model->name, options->link);
    return STATUS_BAD_ARGUMENT;
  }
  if (!(options->mass > 0.0) || !(options->amplitude >= 0.0) ||
      options->amplitude > options->mass) {
    message_set(error,
                "payload: mass %g kg with amplitude %g kg: both positive, amplitude at most "
                "the mass",
                options->mass, options->amplitude);
    return STATUS_BAD_ARGUMENT;
  }
  new.link = model->frame[frame].link;
  new.placement = model->frame[frame].placement;
  *payload = new;
  return STATUS_OK;
}

bool payload_is_attached(const struct payload *payload, double t) {
  const struct sim_payload *options = &payload->options;
  return payload->exists && t >= options->attach_s &&
         (options->release_s <= 0.0 || t < options->release_s);
}

static double mass_at(const struct sim_payload *options, double t) {
  const double phase = options->rate_hz * (t - options->attach_s);
  switch (options->waveform) {
  case SIM_SINE:
    return options->mass + options->amplitude * sin(2.0 * M_PI * phase);
  case SIM_SQUARE:
    return options->mass + (phase - floor(phase) < 0.5 ? 1.0 : -1.0) * options->amplitude;
  case SIM_CONSTANT:
    break;
  }
  return options->mass;
}

/* R diag(d) R^T, about the centre of mass, moved to the origin by the parallel-axis theorem. */
static struct inertia box_inertia(double m, vec3 c, vec3 d, const mat3 *R) {
  double I[3][3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      I[i][j] = R->m[i][0] * d.x * R->m[j][0] + R->m[i][1] * d.y * R->m[j][1] +
                R->m[i][2] * d.z * R->m[j][2];
    }
  }
  return (struct inertia){.m = m,
                          .h = vec3_scale(m, c),
                          .Ixx = I[0][0] + m * (c.y * c.y + c.z * c.z),
                          .Iyy = I[1][1] + m * (c.x * c.x + c.z * c.z),
                          .Izz = I[2][2] + m * (c.x * c.x + c.y * c.y),
                          .Ixy = I[0][1] - m * c.x * c.y,
                          .Ixz = I[0][2] - m * c.x * c.z,
                          .Iyz = I[1][2] - m * c.y * c.z};
}

struct inertia payload_inertia(const struct payload *payload, double t) {
  const double m = payload_is_attached(payload, t) ? mass_at(&payload->options, t) : 0.0;
  if (m <= 0.0) {
    return (struct inertia){0};
  }
  const vec3 s = payload->options.size;
  const vec3 d = {m / 12.0 * (s.y * s.y + s.z * s.z), m / 12.0 * (s.x * s.x + s.z * s.z),
                  m / 12.0 * (s.x * s.x + s.y * s.y)};
  const vec3 c = pose_apply(&payload->placement, payload->options.com);
  return box_inertia(m, c, d, &payload->placement.R);
}

struct inertia payload_added(const struct inertia *link, const struct inertia *load) {
  return (struct inertia){.m = link->m + load->m,
                          .h = vec3_add(link->h, load->h),
                          .Ixx = link->Ixx + load->Ixx,
                          .Ixy = link->Ixy + load->Ixy,
                          .Ixz = link->Ixz + load->Ixz,
                          .Iyy = link->Iyy + load->Iyy,
                          .Iyz = link->Iyz + load->Iyz,
                          .Izz = link->Izz + load->Izz};
}
