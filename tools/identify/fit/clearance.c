#include "identify/fit/clearance.h"

#include "collision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BARS = 512 };

/* m: a link that is shorter has no bar of its own. */
static const double SHORTEST = 0.005;
/* m beyond the margin: what is nearer where all joints are at zero is not looked at. */
static const double NEUTRAL = 0.01;
/* Of its length: the most radius of a bar in the place of a missing shape. */
static const double STOUTEST = 0.25;

struct clearance_settings clearance_defaults(void) {
  return (struct clearance_settings){
      .margin = 0.01, .thickness = 0.04, .ground = -HUGE_VAL, .up = {0.0, 0.0, 1.0}};
}

void clearance_neutral(const struct model *model, double *q) {
  for (size_t j = 0; j < model->n_joints; j++) {
    q[j] = fmin(fmax(0.0, model->joint[j].q_min), model->joint[j].q_max);
  }
}

/* -- bars ------------------------------------------------------------------------------------- */

/* A box lies along its longest edge, a cylinder along z; the bar's ends reach as far as the shape's
 * corners. */
static struct bar bar_of(const struct shape *shape) {
  double half[3] = {0.5 * shape->size.x, 0.5 * shape->size.y, 0.5 * shape->size.z};
  struct bar bar = {.link = shape->link, .radius = shape->size.x};
  double reach[3] = {0.0};
  if (shape->type == SHAPE_BOX) {
    const int longest = half[0] >= half[1]   ? (half[0] >= half[2] ? 0 : 2)
                        : half[1] >= half[2] ? 1
                                             : 2;
    bar.radius = hypot(half[(longest + 1) % 3], half[(longest + 2) % 3]);
    reach[longest] = half[longest];
  } else if (shape->type == SHAPE_CYLINDER) {
    reach[2] = half[2];
  }
  const vec3 along = {reach[0], reach[1], reach[2]};
  bar.a = pose_apply(&shape->placement, along);
  bar.b = pose_apply(&shape->placement, vec3_scale(-1.0, along));
  return bar;
}

static void add_bar(struct clearance *c, const struct bar *bar) {
  if (c->n_bars < MOST_BARS) {
    c->bar[c->n_bars++] = *bar;
  }
}

/* From a link's origin to the joints that it carries, where no shape says what it is. */
static void add_stand_ins(struct clearance *c, const bool *shaped) {
  for (size_t j = 0; j < c->model->n_joints; j++) {
    const size_t parent = (size_t)c->model->parent[j + 1];
    const vec3 to = c->model->joint[j].placement.p;
    const double length = vec3_norm(to);
    if (!shaped[parent] && length > SHORTEST) {
      const struct bar bar = {
          parent, {0.0, 0.0, 0.0}, to, fmin(c->settings.thickness, STOUTEST * length)};
      add_bar(c, &bar);
      c->stand_ins++;
    }
  }
}

static enum status make_bars(struct clearance *c, const char *urdf, const char *name,
                             struct message *error) {
  bool shaped[MODEL_MAX_JOINTS + 1] = {false};
  struct shapes shapes;
  const enum status status = shapes_of_urdf(urdf, strlen(urdf), name, c->model, &shapes, error);
  if (status != STATUS_OK) {
    return status;
  }
  for (size_t i = 0; i < shapes.count; i++) {
    const struct bar bar = bar_of(&shapes.shape[i]);
    add_bar(c, &bar);
    shaped[bar.link] = true;
  }
  shapes_free(&shapes);
  add_stand_ins(c, shaped);
  return STATUS_OK;
}

/* -- distances -------------------------------------------------------------------------------- */

static double clamp(double value) {
  return fmin(1.0, fmax(0.0, value));
}

/* Of two segments: the nearest points of both lines, drawn back to the ends. */
static double segment_distance(vec3 a0, vec3 a1, vec3 b0, vec3 b1) {
  const vec3 u = vec3_sub(a1, a0), v = vec3_sub(b1, b0), w = vec3_sub(a0, b0);
  const double uu = vec3_dot(u, u), vv = vec3_dot(v, v), uv = vec3_dot(u, v), uw = vec3_dot(u, w),
               vw = vec3_dot(v, w), across = uu * vv - uv * uv;
  double s = across > 1e-12 * uu * vv ? clamp((uv * vw - vv * uw) / across) : 0.0;
  const double t = vv > 0.0 ? clamp((uv * s + vw) / vv) : 0.0;
  s = uu > 0.0 ? clamp((uv * t - uw) / uu) : 0.0;
  return vec3_norm(vec3_add(w, vec3_sub(vec3_scale(s, u), vec3_scale(t, v))));
}

static double pair_distance(const struct clearance *c, size_t i, size_t k) {
  return segment_distance(c->a[i], c->b[i], c->a[k], c->b[k]) - c->bar[i].radius - c->bar[k].radius;
}

static double height(const struct clearance *c, size_t i) {
  const vec3 up = c->settings.up;
  return fmin(vec3_dot(up, c->a[i]), vec3_dot(up, c->b[i])) - c->bar[i].radius - c->settings.ground;
}

/* All bars in base coordinates. */
static bool place(struct clearance *c, const double *q) {
  if (kinematics_update_position(&c->kin, q) != STATUS_OK) {
    return false;
  }
  for (size_t i = 0; i < c->n_bars; i++) {
    c->a[i] = pose_apply(&c->kin.X_BL[c->bar[i].link], c->bar[i].a);
    c->b[i] = pose_apply(&c->kin.X_BL[c->bar[i].link], c->bar[i].b);
  }
  return true;
}

double clearance_at(struct clearance *c, const double *q) {
  double least = HUGE_VAL;
  if (!place(c, q)) {
    return -HUGE_VAL;
  }
  for (size_t p = 0; p < c->n_pairs; p++) {
    least = fmin(least, pair_distance(c, c->pair[p][0], c->pair[p][1]));
  }
  for (size_t i = 0; i < c->n_bars && isfinite(c->settings.ground); i++) {
    least = c->grounded[i] ? least : fmin(least, height(c, i));
  }
  return least - c->settings.margin;
}

/* -- what is looked at ------------------------------------------------------------------------ */

static bool neighbours(const struct model *model, size_t a, size_t b) {
  return a == b || (a > 0 && (size_t)model->parent[a] == b) ||
         (b > 0 && (size_t)model->parent[b] == a);
}

static void choose_pairs(struct clearance *c) {
  double q[MODEL_MAX_JOINTS];
  clearance_neutral(c->model, q);
  if (!place(c, q)) {
    return;
  }
  for (size_t i = 0; i < c->n_bars; i++) {
    c->grounded[i] = c->bar[i].link == 0 || height(c, i) < c->settings.margin + NEUTRAL;
    for (size_t k = 0; k < i; k++) {
      if (!neighbours(c->model, c->bar[i].link, c->bar[k].link) &&
          pair_distance(c, i, k) > c->settings.margin + NEUTRAL) {
        c->pair[c->n_pairs][0] = i;
        c->pair[c->n_pairs++][1] = k;
      }
    }
  }
}

enum status clearance_make(const char *urdf, const char *name, const struct model *model,
                           const struct clearance_settings *settings, struct clearance *clearance,
                           struct message *error) {
  struct clearance c = {.model = model, .settings = *settings};
  struct arena arena = {0};
  c.bar = calloc(MOST_BARS, sizeof(*c.bar));
  enum status status = c.bar != NULL ? make_bars(&c, urdf, name, error) : STATUS_NO_MEMORY;
  for (int pass = 0; pass < 2 && status == STATUS_OK; pass++) {
    status = kinematics_init(&c.kin, model, &arena);
    if (status == STATUS_OK && pass == 0) {
      c.memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(c.memory, arena.used);
      status = c.memory != NULL ? STATUS_OK : STATUS_NO_MEMORY;
    }
  }
  if (status == STATUS_OK) {
    c.a = calloc(c.n_bars + 1, sizeof(*c.a));
    c.b = calloc(c.n_bars + 1, sizeof(*c.b));
    c.grounded = calloc(c.n_bars + 1, sizeof(*c.grounded));
    c.pair = calloc(c.n_bars * c.n_bars / 2 + 1, sizeof(*c.pair));
    status = c.a != NULL && c.b != NULL && c.grounded != NULL && c.pair != NULL ? STATUS_OK
                                                                                : STATUS_NO_MEMORY;
  }
  if (status == STATUS_OK) {
    choose_pairs(&c);
    *clearance = c;
  } else {
    clearance_free(&c);
  }
  return status;
}

void clearance_free(struct clearance *c) {
  free(c->bar);
  free(c->memory);
  free(c->a);
  free(c->b);
  free(c->grounded);
  free(c->pair);
  *c = (struct clearance){0};
}
