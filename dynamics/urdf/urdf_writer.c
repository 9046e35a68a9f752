#include "urdf/urdf_writer.h"

#include "common/number.h"
#include "inertia/inertia.h"
#include "urdf/text_patch.h"
#include "urdf/urdf_consistency.h"
#include "urdf/urdf_stages.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENT_SIZE = 16 * NUMBER_SIZE }; /* bytes for an <inertial> and all its numbers */

struct writer {
  const char *text;
  struct urdf_stages stages;
  struct text_patch patch;
};

/* A link's new <inertial> as text: axes parallel to the link's, numbers that give back the same
 * doubles. */
struct inertial_text {
  char mass[NUMBER_SIZE];
  char xyz[3 * NUMBER_SIZE];
  char moment[6][NUMBER_SIZE]; /* about the centre of mass: ixx ixy ixz iyy iyz izz */
};

static const char *const moment_name[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};

static struct inertial_text print_inertial(const struct inertia *inertia) {
  struct inertial_text text;
  vec3 c = VEC3_ZERO;
  mat3 I = {0};
  if (inertia->m > 0.0) {
    c = inertia_com(inertia);
    I = inertia_tensor_at_com(inertia);
  }
  const double moments[6] = {I.m[0][0], I.m[0][1], I.m[0][2], I.m[1][1], I.m[1][2], I.m[2][2]};
  char x[NUMBER_SIZE], y[NUMBER_SIZE], z[NUMBER_SIZE];
  number_write(c.x, x);
  number_write(c.y, y);
  number_write(c.z, z);
  snprintf(text.xyz, sizeof(text.xyz), "%s %s %s", x, y, z);
  number_write(inertia->m, text.mass);
  for (int i = 0; i < 6; i++) {
    number_write(moments[i], text.moment[i]);
  }
  return text;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Finds the value of an attribute within the opening tag at `place`: its offset and length without
 * the quotes. The tag is well-formed, expat has read it. */
static bool find_value(const char *text, const struct xml_place *place, const char *attribute,
                       size_t *offset, size_t *length) {
  size_t at = place->offset;
  const size_t end = place->offset + place->length;
  while (at < end && !is_blank(text[at])) { /* the element's name */
    at++;
  }
  while (at < end) {
    while (at < end && is_blank(text[at])) {
      at++;
    }
    const size_t name = at;
    while (at < end && text[at] != '=' && !is_blank(text[at])) {
      at++;
    }
    const size_t name_length = at - name;
    while (at < end && text[at] != '"' && text[at] != '\'') {
      at++;
    }
    const char *close = at < end ? memchr(text + at + 1, text[at], end - at - 1) : NULL;
    if (close == NULL) {
      return false; /* the tag's end: no more attributes */
    }
    *offset = at + 1;
    *length = (size_t)(close - text) - *offset;
    if (name_length == strlen(attribute) && memcmp(text + name, attribute, name_length) == 0) {
      return true;
    }
    at = *offset + *length + 1;
  }
  return false;
}

/* Replaces an attribute's value, or adds the attribute behind the element's name. */
static enum status set_attribute(struct writer *w, const struct xml_place *place,
                                 const char *attribute, const char *value) {
  size_t offset, length;
  if (find_value(w->text, place, attribute, &offset, &length)) {
    return text_patch_add(&w->patch, offset, length, value);
  }
  offset = place->offset;
  while (!is_blank(w->text[offset]) && w->text[offset] != '/' && w->text[offset] != '>') {
    offset++;
  }
  char added[4 * NUMBER_SIZE];
  snprintf(added, sizeof(added), " %s=\"%s\"", attribute, value);
  return text_patch_add(&w->patch, offset, 0, added);
}

/* Inserts `element` behind the opening tag at `place`, with the same blanks before it as the
 * element that follows has. */
static enum status insert_behind(struct writer *w, const struct xml_place *place,
                                 const char *element) {
  const size_t offset = place->offset + place->length;
  char text[ELEMENT_SIZE + 64];
  size_t blanks = 0;
  while (blanks < 48 && is_blank(w->text[offset + blanks])) { /* more text follows: </link> */
    blanks++;
  }
  snprintf(text, sizeof(text), "%.*s%s", (int)blanks, w->text + offset, element);
  return text_patch_add(&w->patch, offset, 0, text);
}

static enum status change_origin(struct writer *w, const struct urdf_link *link, const char *xyz) {
  if (!link->has_origin) {
    char element[4 * NUMBER_SIZE];
    snprintf(element, sizeof(element), "<origin xyz=\"%s\" rpy=\"0 0 0\"/>", xyz);
    return insert_behind(w, &link->inertial_place, element);
  }
  enum status status = set_attribute(w, &link->origin_place, "xyz", xyz);
  if (status == STATUS_OK) {
    status = set_attribute(w, &link->origin_place, "rpy", "0 0 0");
  }
  return status;
}

static enum status change_inertial(struct writer *w, const struct urdf_link *link,
                                   const struct inertial_text *inertial) {
  enum status status = change_origin(w, link, inertial->xyz);
  if (status == STATUS_OK) {
    status = set_attribute(w, &link->mass_place, "value", inertial->mass);
  }
  for (int i = 0; i < 6 && status == STATUS_OK; i++) {
    status = set_attribute(w, &link->inertia_place, moment_name[i], inertial->moment[i]);
  }
  return status;
}

static enum status insert_inertial(struct writer *w, const struct urdf_link *link,
                                   const struct inertial_text *inertial) {
  char element[ELEMENT_SIZE];
  const char(*I)[NUMBER_SIZE] = inertial->moment;
  snprintf(element, sizeof(element),
           "<inertial><origin xyz=\"%s\" rpy=\"0 0 0\"/><mass value=\"%s\"/>"
           "<inertia ixx=\"%s\" ixy=\"%s\" ixz=\"%s\" iyy=\"%s\" iyz=\"%s\" izz=\"%s\"/>"
           "</inertial>",
           inertial->xyz, inertial->mass, I[0], I[1], I[2], I[3], I[4], I[5]);
  const size_t end = link->place.offset + link->place.length;
  if (w->text[end - 2] != '/') {
    return insert_behind(w, &link->place, element);
  }
  char whole[ELEMENT_SIZE + 16]; /* <link .../> opens up */
  snprintf(whole, sizeof(whole), ">%s</link>", element);
  return text_patch_add(&w->patch, end - 2, 2, whole);
}

static enum status set_inertial(struct writer *w, size_t link, const struct inertia *inertia) {
  const struct urdf_link *at = &w->stages.document.link[link];
  const struct inertial_text text = print_inertial(inertia);
  return at->has_inertial ? change_inertial(w, at, &text) : insert_inertial(w, at, &text);
}

/* What the links lumped onto body `b` have, beside its own link. */
static struct inertia lumped_on(const struct writer *w, size_t b) {
  const struct urdf_bodies *bodies = &w->stages.bodies;
  struct inertia sum = {0};
  for (size_t i = 0; i < w->stages.document.n_links; i++) {
    const struct urdf_link *link = &w->stages.document.link[i];
    if (bodies->of_link[i] == (long)b && i != bodies->link[b] && link->has_inertial) {
      const struct inertia part = urdf_inertial_about(&link->inertial, &bodies->in_body[i]);
      sum = inertia_add(&sum, &part);
    }
  }
  return sum;
}

static enum status empty_lumped(struct writer *w, size_t b) {
  const struct urdf_bodies *bodies = &w->stages.bodies;
  const struct inertia none = {0};
  enum status status = STATUS_OK;
  for (size_t i = 0; i < w->stages.document.n_links && status == STATUS_OK; i++) {
    if (bodies->of_link[i] == (long)b && i != bodies->link[b] &&
        w->stages.document.link[i].has_inertial) {
      status = set_inertial(w, i, &none);
    }
  }
  return status;
}

static enum status change_body(struct writer *w, size_t b, const struct inertia *inertia) {
  const struct inertia lumped = lumped_on(w, b);
  const struct inertia rest = inertia_axpy(inertia, -1.0, &lumped);
  const size_t own = w->stages.bodies.link[b];
  if (urdf_consistent(&rest, NULL) == STATUS_OK) {
    return set_inertial(w, own, &rest);
  }
  const enum status status = empty_lumped(w, b);
  return status == STATUS_OK ? set_inertial(w, own, inertia) : status;
}

static long find_body(const struct writer *w, const char *name) {
  for (size_t b = 0; b < w->stages.bodies.n; b++) {
    if (strcmp(w->stages.document.link[w->stages.bodies.link[b]].name, name) == 0) {
      return (long)b;
    }
  }
  return -1;
}

static enum status check_change(const struct writer *w, const struct urdf_change *changes, size_t i,
                                struct message *error) {
  struct message what;
  if (find_body(w, changes[i].link) < 0) {
    message_set(error, "link '%.64s' is no body of this robot", changes[i].link);
    return STATUS_BAD_ARGUMENT;
  }
  for (size_t k = 0; k < i; k++) {
    if (strcmp(changes[k].link, changes[i].link) == 0) {
      message_set(error, "link '%.64s' is to be changed twice", changes[i].link);
      return STATUS_BAD_ARGUMENT;
    }
  }
  if (urdf_consistent(&changes[i].inertia, &what) != STATUS_OK) {
    message_set(error, "link '%.64s': new values: %.380s", changes[i].link, what.text);
    return STATUS_NOT_CONSISTENT;
  }
  return STATUS_OK;
}

static enum status change_all(struct writer *w, const struct urdf_change *changes, size_t n_changes,
                              struct message *error) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < n_changes && status == STATUS_OK; i++) {
    status = check_change(w, changes, i, error);
    if (status == STATUS_OK) {
      status = change_body(w, (size_t)find_body(w, changes[i].link), &changes[i].inertia);
      if (status != STATUS_OK) {
        message_set(error, "link '%.64s': no memory for its new values", changes[i].link);
      }
    }
  }
  return status;
}

/* -- drives ----------------------------------------------------------------------------------- */

static const struct urdf_joint *find_joint(const struct writer *w, const char *name) {
  for (size_t j = 0; j < w->stages.document.n_joints; j++) {
    if (strcmp(w->stages.document.joint[j].name, name) == 0) {
      return &w->stages.document.joint[j];
    }
  }
  return NULL;
}

static enum status check_drive(const struct writer *w, const struct urdf_drive_change *change,
                               struct message *error) {
  const struct {
    const char *name;
    double value;
  } part[] = {{"viscous friction", change->viscous},
              {"Coulomb friction", change->coulomb},
              {"rotor inertia", change->rotor_inertia}};
  if (find_joint(w, change->joint) == NULL) {
    message_set(error, "joint '%.64s' is no joint of this robot", change->joint);
    return STATUS_BAD_ARGUMENT;
  }
  for (int i = 0; i < 3; i++) {
    if (!(part[i].value >= 0.0 && part[i].value <= URDF_MAX_FACTOR)) {
      message_set(error, "joint '%.64s': %s: %g is not within 0 .. %g", change->joint, part[i].name,
                  part[i].value, URDF_MAX_FACTOR);
      return STATUS_OUT_OF_RANGE;
    }
  }
  return STATUS_OK;
}

static enum status set_dynamics(struct writer *w, const struct urdf_joint *joint,
                                const char *viscous, const char *coulomb) {
  if (!joint->has_dynamics) {
    char element[4 * NUMBER_SIZE];
    snprintf(element, sizeof(element), "<dynamics damping=\"%s\" friction=\"%s\"/>", viscous,
             coulomb);
    return insert_behind(w, &joint->place, element);
  }
  const enum status status = set_attribute(w, &joint->dynamics_place, "damping", viscous);
  return status == STATUS_OK ? set_attribute(w, &joint->dynamics_place, "friction", coulomb)
                             : status;
}

static enum status set_rotor(struct writer *w, const struct urdf_joint *joint,
                             const char *inertia) {
  size_t offset, length;
  if (!joint->has_rotor) {
    char element[2 * NUMBER_SIZE];
    snprintf(element, sizeof(element), "<rotor inertia=\"%s\"/>", inertia);
    return insert_behind(w, &joint->place, element);
  }
  const enum status status = set_attribute(w, &joint->rotor_place, "inertia", inertia);
  return status == STATUS_OK && find_value(w->text, &joint->rotor_place, "ratio", &offset, &length)
             ? set_attribute(w, &joint->rotor_place, "ratio", "1")
             : status;
}

static enum status change_drive(struct writer *w, const struct urdf_drive_change *change) {
  const struct urdf_joint *joint = find_joint(w, change->joint);
  char viscous[NUMBER_SIZE], coulomb[NUMBER_SIZE], rotor[NUMBER_SIZE];
  number_write(change->viscous, viscous);
  number_write(change->coulomb, coulomb);
  number_write(change->rotor_inertia, rotor);
  const enum status status = set_dynamics(w, joint, viscous, coulomb);
  return status == STATUS_OK && (joint->has_rotor || change->rotor_inertia > 0.0)
             ? set_rotor(w, joint, rotor)
             : status;
}

static enum status change_drives(struct writer *w, const struct urdf_drive_change *changes,
                                 size_t n_changes, struct message *error) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < n_changes && status == STATUS_OK; i++) {
    status = check_drive(w, &changes[i], error);
    if (status == STATUS_OK) {
      status = change_drive(w, &changes[i]);
    }
  }
  return status;
}

/* -- whole ------------------------------------------------------------------------------------ */

enum status urdf_write_drives(const char *text, size_t length,
                              const struct urdf_drive_change *changes, size_t n_changes, char **out,
                              size_t *out_length, struct message *error) {
  struct message unheard = {""};
  struct message *told = error != NULL ? error : &unheard;
  struct writer w = {.text = text};
  enum status status = urdf_stages_read(text, length, NULL, &w.stages, NULL, told);
  if (status == STATUS_OK) {
    status = change_drives(&w, changes, n_changes, told);
  }
  if (status == STATUS_OK) {
    status = text_patch_apply(&w.patch, text, length, out, out_length);
  }
  text_patch_free(&w.patch);
  urdf_stages_free(&w.stages);
  return status;
}

enum status urdf_write(const char *text, size_t length, const struct urdf_change *changes,
                       size_t n_changes, char **out, size_t *out_length, struct message *error) {
  struct message unheard = {""};
  struct message *told = error != NULL ? error : &unheard;
  struct writer w = {.text = text};
  enum status status = urdf_stages_read(text, length, NULL, &w.stages, NULL, told);
  if (status == STATUS_OK) {
    status = change_all(&w, changes, n_changes, told);
  }
  if (status == STATUS_OK) {
    status = text_patch_apply(&w.patch, text, length, out, out_length);
    if (status != STATUS_OK) {
      message_set(told, "no memory for %zu bytes of URDF", length);
    }
  }
  text_patch_free(&w.patch);
  urdf_stages_free(&w.stages);
  return status;
}
