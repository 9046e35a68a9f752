#include "identify/rows/rotor_bodies.h"

#include "inertia/pseudo_inertia.h"

#include <math.h>

enum { TEN = INERTIA_PARAMETERS, HALVINGS = 8 };

/* kg/m^3: copper, iron and air; a rotor is as long as it is wide. */
static const double DENSITY = 5000.0;
/* Share of the link before that a rotor weighs at most, and that stays when it is taken out. */
static const double OF_LINK = 0.1, STAYS = 0.2;

/* The link before a rotor's joint as a body of x; false: it is the base and no unknown. */
static bool link_before(const struct unknowns *u, size_t r, size_t *body) {
  const int parent = u->model->parent[u->rotor[r].joint + 1];
  *body = (size_t)parent - u->first_link;
  return parent >= (int)u->first_link;
}

/* Moment of inertia about the joint's axis. */
static double about_axis(const struct inertia *rotor, vec3 axis) {
  const mat3 I = inertia_tensor(rotor);
  return vec3_dot(axis, mat3_mul_vec3(&I, axis));
}

void rotor_bodies_lump(const struct unknowns *u, const double *x, struct inertia *link,
                       double *inertia) {
  for (size_t i = 0; i < u->links; i++) {
    link[i] = inertia_from(x + TEN * i);
  }
  for (size_t r = 0; r < u->n_rotors; r++) {
    const struct joint *joint = &u->model->joint[u->rotor[r].joint];
    const struct inertia rotor = inertia_from(x + TEN * (u->links + r)),
                         there = inertia_transform(&joint->placement, &rotor);
    const double ratio = u->rotor[r].ratio;
    size_t before;
    inertia[u->rotor[r].joint] = ratio * ratio * about_axis(&rotor, joint->axis);
    if (link_before(u, r, &before)) {
      link[before] = inertia_add(&link[before], &there);
    }
  }
}

/* What a motor that suits its joint has where nothing is told: at the joint's side as much as the
 * link that it moves. kg m^2, kg */
static double matched(const struct inertia *link, const struct joint *joint) {
  return joint->type == JOINT_PRISMATIC ? link->m : about_axis(link, joint->axis);
}

/* A cylinder about the axis, as long as wide, of this mass and moment about the axis. */
static struct inertia cylinder(double mass, double moment, vec3 axis) {
  /* I_across = m (3 r^2 + (2 r)^2) / 12 = 7/6 I_axis */
  const double across = moment * 7.0 / 6.0, along = moment - across;
  const double a[3] = {axis.x, axis.y, axis.z};
  mat3 I;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      I.m[i][k] = (i == k ? across : 0.0) + along * a[i] * a[k];
    }
  }
  return inertia_of_body(mass, VEC3_ZERO, &I);
}

/* Whether the rotor can be taken out of the link, and a share of it stays. */
static bool can_spare(const struct inertia *link, const struct inertia *rotor) {
  const struct inertia most = inertia_axpy(link, -STAYS, link),
                       rest = inertia_axpy(&most, -1.0, rotor);
  return inertia_consistency(&rest, 0.0, NULL) == STATUS_OK;
}

void rotor_bodies_split(const struct unknowns *u, const struct inertia *link, const double *inertia,
                        double *x) {
  for (size_t i = 0; i < u->links; i++) {
    inertia_to(&link[i], x + TEN * i);
  }
  for (size_t r = 0; r < u->n_rotors; r++) {
    const struct joint *joint = &u->model->joint[u->rotor[r].joint];
    const double ratio = u->rotor[r].ratio, told = inertia[u->rotor[r].joint];
    const double likely = matched(&link[u->rotor[r].joint + 1 - u->first_link], joint);
    const double moment = (told > 0.0 ? told : likely) / (ratio * ratio);
    /* I = m r^2 / 2 and m = 2 pi r^3 density: the mass of this moment */
    double mass = 2.0 * DENSITY * M_PI * pow(moment / (DENSITY * M_PI), 0.6);
    size_t before;
    struct inertia rotor = cylinder(mass, moment, joint->axis);
    /* out of the link before, and lighter until the link is still a body without it */
    if (link_before(u, r, &before)) {
      const struct inertia whole = inertia_from(x + TEN * before);
      mass = fmin(mass, OF_LINK * whole.m);
      for (int i = 0; i < HALVINGS; i++, mass *= 0.5) {
        rotor = cylinder(mass, moment, joint->axis);
        const struct inertia there = inertia_transform(&joint->placement, &rotor);
        if (can_spare(&whole, &there)) {
          const struct inertia rest = inertia_axpy(&whole, -1.0, &there);
          inertia_to(&rest, x + TEN * before);
          break;
        }
      }
    }
    inertia_to(&rotor, x + TEN * (u->links + r));
  }
}
