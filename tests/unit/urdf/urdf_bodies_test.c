/* Lumping against what it must not change: mass, first moment, energy, the shape of the inertia. */
#include "inertia/inertia.h"
#include "math/sym4.h"
#include "support/robot_text.h"
#include "support/suite.h"
#include "urdf/urdf_reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct random rng;

static vec3 random_vector(double reach) {
  const double x = random_uniform(&rng, -reach, reach), y = random_uniform(&rng, -reach, reach);
  return (vec3){x, y, random_uniform(&rng, -reach, reach)};
}

struct text {
  char data[1 << 16];
  size_t length;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format,
                                                         ...) {
  va_list arguments;
  va_start(arguments, format);
  text->length += (size_t)vsnprintf(text->data + text->length, sizeof(text->data) - text->length,
                                    format, arguments);
  va_end(arguments);
  ck_assert_uint_lt(text->length, sizeof(text->data));
}

/* A URDF frame as it is written. */
struct origin {
  vec3 xyz, rpy;
};

static struct origin random_origin(void) {
  return (struct origin){random_vector(0.5), random_vector(3.1)};
}

static struct pose pose_of(struct origin o) {
  return (struct pose){mat3_from_rpy(o.rpy), o.xyz};
}

static void append_origin(struct text *text, struct origin o) {
  append(text, "<origin xyz='%.17g %.17g %.17g' rpy='%.17g %.17g %.17g'/>", o.xyz.x, o.xyz.y,
         o.xyz.z, o.rpy.x, o.rpy.y, o.rpy.z);
}

/* One rigid part as the file gives it: principal moments of a solid box in a turned frame. */
struct part {
  double m;
  vec3 box; /* m, edges */
  struct origin inertial;
  struct origin joint; /* of this link in its parent's frame */
};

static struct part random_part(void) {
  return (struct part){random_uniform(&rng, 0.1, 5.0),
                       {random_uniform(&rng, 0.05, 0.4), random_uniform(&rng, 0.05, 0.4),
                        random_uniform(&rng, 0.05, 0.4)},
                       random_origin(),
                       random_origin()};
}

static vec3 moments_of(const struct part *part) {
  const vec3 e = part->box;
  return vec3_scale(part->m / 12.0,
                    (vec3){e.y * e.y + e.z * e.z, e.x * e.x + e.z * e.z, e.x * e.x + e.y * e.y});
}

static void append_link(struct text *text, const char *name, const struct part *part) {
  const vec3 I = moments_of(part);
  append(text, "<link name='%s'><inertial>", name);
  append_origin(text, part->inertial);
  append(text,
         "<mass value='%.17g'/><inertia ixx='%.17g' ixy='0' ixz='0' iyy='%.17g' iyz='0' "
         "izz='%.17g'/></inertial></link>\n",
         part->m, I.x, I.y, I.z);
}

static void append_joint(struct text *text, const char *name, const char *type, const char *parent,
                         const char *child, struct origin origin) {
  append(text, "<joint name='%s' type='%s'><parent link='%s'/><child link='%s'/>", name, type,
         parent, child);
  append_origin(text, origin);
  append(text, "</joint>\n");
}

enum { PARTS = 6 };

/* A base and a body of six parts, each fixed to the one before or to the first. */
static struct model chain_of_parts(const struct part part[PARTS], bool star) {
  static struct text text;
  text.length = 0;
  const struct part base = random_part();
  append(&text, "<robot>\n");
  append_link(&text, "base", &base);
  for (int i = 0; i < PARTS; i++) {
    char name[16], parent[16];
    snprintf(name, sizeof(name), "p%d", i);
    snprintf(parent, sizeof(parent), "p%d", star ? 0 : i - 1);
    append_link(&text, name, &part[i]);
    char joint[16];
    snprintf(joint, sizeof(joint), "j%d", i);
    append_joint(&text, joint, i == 0 ? "revolute" : "fixed", i == 0 ? "base" : parent, name,
                 part[i].joint);
  }
  append(&text, "</robot>\n");
  return test_model(text.data, text.length);
}

/* Pose of part i in the frame of part 0. */
static struct pose pose_in_body(const struct part part[PARTS], bool star, int i) {
  struct pose X = POSE_IDENTITY;
  for (int k = star ? i : 1; k <= i && k > 0; k++) {
    const struct pose step = pose_of(part[k].joint);
    X = pose_mul(&X, &step);
  }
  return X;
}

/* Kinetic energy of one part from the velocity of its own centre of mass and the rotation about it,
 * in its own principal axes: knows nothing of parallel axes. */
static double energy_of(const struct part *part, const struct pose *X, struct motion v) {
  const struct pose in_link = pose_of(part->inertial), X_I = pose_mul(X, &in_link);
  const vec3 v_C = vec3_add(v.lin, vec3_cross(v.ang, X_I.p));
  const vec3 omega_I = mat3_tmul_vec3(&X_I.R, v.ang), I = moments_of(part);
  return 0.5 * (part->m * vec3_dot(v_C, v_C) + I.x * omega_I.x * omega_I.x +
                I.y * omega_I.y * omega_I.y + I.z * omega_I.z * omega_I.z);
}

START_TEST(a_lumped_body_has_the_kinetic_energy_of_its_parts) {
  rng = random_from(test_seed());
  for (int run = 0; run < 50; run++) {
    struct part part[PARTS];
    for (int i = 0; i < PARTS; i++) {
      part[i] = random_part();
    }
    const bool star = run % 2 == 0;
    const struct model model = chain_of_parts(part, star);
    ck_assert_uint_eq(model.n_links, 2);
    const struct motion v = {random_vector(3.0), random_vector(2.0)};
    double parts = 0.0;
    for (int i = 0; i < PARTS; i++) {
      const struct pose X = pose_in_body(part, star, i);
      parts += energy_of(&part[i], &X, v);
    }
    const struct force p = inertia_apply(&model.inertia[1], &v);
    const double lumped = 0.5 * (vec3_dot(p.ang, v.ang) + vec3_dot(p.lin, v.lin));
    assert_near(lumped, parts, 1e-12 * parts);
  }
}
END_TEST

START_TEST(lumping_keeps_mass_and_first_moment) {
  rng = random_from(test_seed() + 1);
  struct part part[PARTS];
  double m = 0.0;
  vec3 h = VEC3_ZERO;
  for (int i = 0; i < PARTS; i++) {
    part[i] = random_part();
    const struct pose X = pose_in_body(part, false, i);
    m += part[i].m;
    h = vec3_axpy(h, part[i].m, pose_apply(&X, part[i].inertial.xyz));
  }
  const struct inertia I = chain_of_parts(part, false).inertia[1];
  assert_near(I.m, m, 1e-14 * m);
  ck_assert_double_le(vec3_norm(vec3_sub(I.h, h)), 1e-13 * m);
}
END_TEST

/* Principal moments about the centre of mass do not know where the body's frame is. */
START_TEST(the_shape_of_a_lumped_body_does_not_depend_on_the_link_it_is_lumped_to) {
  rng = random_from(test_seed() + 2);
  struct part part[PARTS];
  for (int i = 0; i < PARTS; i++) {
    part[i] = random_part();
  }
  const struct inertia first = chain_of_parts(part, false).inertia[1];
  /* the same parts with the chain turned round: the last part carries all others */
  struct part turned[PARTS];
  for (int i = 0; i < PARTS; i++) {
    turned[i] = part[PARTS - 1 - i];
  }
  for (int i = 1; i < PARTS; i++) {
    const struct pose step = pose_of(part[PARTS - i].joint), back = pose_inverse(&step);
    turned[i].joint = (struct origin){back.p, mat3_to_rpy(&back.R)};
  }
  const struct inertia last = chain_of_parts(turned, false).inertia[1];
  const mat3 A = inertia_tensor_at_com(&first), B = inertia_tensor_at_com(&last);
  double a[3], b[3];
  ck_assert_int_eq(sym3_eigen(&A, a, NULL), STATUS_OK);
  ck_assert_int_eq(sym3_eigen(&B, b, NULL), STATUS_OK);
  for (int k = 0; k < 3; k++) {
    assert_near(a[k], b[k], 1e-12 * a[2]);
  }
  assert_near(first.m, last.m, 1e-14 * first.m);
}
END_TEST

START_TEST(a_massless_link_between_two_parts_changes_nothing) {
  rng = random_from(test_seed() + 3);
  static struct text with, without;
  const struct part base = random_part(), arm = random_part(), hand = random_part();
  const struct origin step = random_origin(), rest = random_origin();
  const struct pose first = pose_of(step), second = pose_of(rest);
  const struct pose both = pose_mul(&first, &second);
  struct text *const texts[] = {&with, &without};
  for (int i = 0; i < 2; i++) {
    append(texts[i], "<robot>");
    append_link(texts[i], "base", &base);
    append_link(texts[i], "arm", &arm);
    append_link(texts[i], "hand", &hand);
    append_joint(texts[i], "elbow", "revolute", "base", "arm", arm.joint);
  }
  append(&with, "<link name='flange'/>");
  append_joint(&with, "mount", "fixed", "arm", "flange", step);
  append_joint(&with, "wrist", "fixed", "flange", "hand", rest);
  append_joint(&without, "wrist", "fixed", "arm", "hand",
               (struct origin){both.p, mat3_to_rpy(&both.R)});
  for (int i = 0; i < 2; i++) {
    append(texts[i], "</robot>");
  }
  double a[INERTIA_PARAMETERS], b[INERTIA_PARAMETERS];
  inertia_to(&test_model(with.data, with.length).inertia[1], a);
  inertia_to(&test_model(without.data, without.length).inertia[1], b);
  for (int k = 0; k < INERTIA_PARAMETERS; k++) {
    assert_near(a[k], b[k], 1e-12);
  }
}
END_TEST

SUITE(a_lumped_body_has_the_kinetic_energy_of_its_parts, lumping_keeps_mass_and_first_moment,
      the_shape_of_a_lumped_body_does_not_depend_on_the_link_it_is_lumped_to,
      a_massless_link_between_two_parts_changes_nothing)
