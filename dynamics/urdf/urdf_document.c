#include "urdf/urdf_document.h"

#include "urdf/urdf_attribute.h"
#include "urdf/urdf_joint_elements.h"
#include "urdf/urdf_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What encloses the element at hand. */
enum section {
  OUTSIDE,
  IN_ROBOT,
  IN_LINK,
  IN_INERTIAL,
  IN_COLLISION,
  IN_GEOMETRY,
  IN_JOINT,
  IN_SENSOR,
  PASSED_OVER
};

struct reader {
  struct urdf_document document;
  size_t room_links, room_joints, room_sensors; /* elements allocated */
  size_t depth;
  enum section section[XML_MAX_DEPTH + 1]; /* [depth] */
  unsigned seen[XML_MAX_DEPTH + 1];        /* [depth] a bit for each grammar row met there */
  bool told_expression;
  struct urdf_notes *notes;
  struct message *error;
};

static struct urdf_link *last_link(struct reader *reader) {
  return &reader->document.link[reader->document.n_links - 1];
}
static struct urdf_joint *last_joint(struct reader *reader) {
  return &reader->document.joint[reader->document.n_joints - 1];
}
static struct urdf_sensor *last_sensor(struct reader *reader) {
  return &reader->document.sensor[reader->document.n_sensors - 1];
}

/* One more element of `size` bytes, zeroed, in `*block`, which doubles when it is full. */
static enum status extend(const struct urdf_cursor *cursor, void **block, size_t *room,
                          size_t *count, size_t size, size_t most) {
  if (*count >= most) {
    return urdf_refuse(cursor, STATUS_OUT_OF_RANGE, "more than %zu of them", most);
  }
  if (*count == *room) {
    const size_t wanted = *room == 0 ? 32 : 2 * *room;
    void *larger = realloc(*block, wanted * size);
    if (larger == NULL) {
      return urdf_refuse(cursor, STATUS_NO_MEMORY, "no memory for %zu of them", wanted);
    }
    *block = larger;
    *room = wanted;
  }
  memset((char *)*block + *count * size, 0, size);
  (*count)++;
  return STATUS_OK;
}

static enum status read_robot(struct reader *reader, const struct urdf_cursor *cursor) {
  if (xml_attribute(cursor->element, "name") == NULL) {
    return STATUS_OK; /* many tools leave it out, and nothing depends on it */
  }
  return urdf_name(cursor, "name", reader->document.name);
}

static enum status read_link(struct reader *reader, const struct urdf_cursor *cursor) {
  struct urdf_document *document = &reader->document;
  void *block = document->link;
  const enum status status = extend(cursor, &block, &reader->room_links, &document->n_links,
                                    sizeof(*document->link), URDF_MAX_LINKS);
  document->link = block;
  if (status != STATUS_OK) {
    return status;
  }
  struct urdf_link *link = last_link(reader);
  link->place = cursor->element->place;
  link->inertial.placement = POSE_IDENTITY;
  return urdf_name(cursor, "name", link->name);
}

static enum status read_inertial(struct reader *reader, const struct urdf_cursor *cursor) {
  last_link(reader)->has_inertial = true;
  last_link(reader)->inertial_place = cursor->element->place;
  return STATUS_OK;
}

static enum status read_mass(struct reader *reader, const struct urdf_cursor *cursor) {
  last_link(reader)->mass_place = cursor->element->place;
  const struct urdf_range range = {0.0, URDF_MAX_MASS, "kg"};
  return urdf_required_number(cursor, "value", range, &last_link(reader)->inertial.m);
}

static enum status read_inertia(struct reader *reader, const struct urdf_cursor *cursor) {
  struct urdf_inertial *inertial = &last_link(reader)->inertial;
  last_link(reader)->inertia_place = cursor->element->place;
  const struct {
    const char *name;
    double *value;
  } entry[] = {{"ixx", &inertial->Ixx}, {"ixy", &inertial->Ixy}, {"ixz", &inertial->Ixz},
               {"iyy", &inertial->Iyy}, {"iyz", &inertial->Iyz}, {"izz", &inertial->Izz}};
  const struct urdf_range range = {-URDF_MAX_INERTIA, URDF_MAX_INERTIA, "kg m^2"};
  enum status status = STATUS_OK;
  for (size_t i = 0; i < sizeof(entry) / sizeof(entry[0]) && status == STATUS_OK; i++) {
    const bool is_moment = entry[i].name[1] == entry[i].name[2];
    if (!is_moment && xml_attribute(cursor->element, entry[i].name) == NULL) {
      urdf_note(reader->notes, &cursor->element->place,
                "link '%s': <inertia>: %s is missing: 0 is taken", last_link(reader)->name,
                entry[i].name);
      continue;
    }
    status = urdf_required_number(cursor, entry[i].name, range, entry[i].value);
  }
  return status;
}

static enum status read_inertial_origin(struct reader *reader, const struct urdf_cursor *cursor) {
  last_link(reader)->has_origin = true;
  last_link(reader)->origin_place = cursor->element->place;
  return urdf_pose(cursor, &last_link(reader)->inertial.placement);
}

/* Shapes matter for feet that are balls alone: whatever else stands there is nobody's fault. */
static enum status read_collision(struct reader *reader, const struct urdf_cursor *cursor) {
  (void)cursor;
  struct urdf_link *link = last_link(reader);
  link->n_collisions++;
  link->sphere_radius = 0.0;
  link->sphere_origin = POSE_IDENTITY;
  return STATUS_OK;
}

static enum status read_geometry(struct reader *reader, const struct urdf_cursor *cursor) {
  (void)reader, (void)cursor;
  return STATUS_OK;
}

static enum status read_sphere(struct reader *reader, const struct urdf_cursor *cursor) {
  struct message ignored;
  const struct urdf_range range = {0.0, URDF_MAX_DISTANCE, "m"};
  struct urdf_cursor quiet = *cursor;
  double radius;
  quiet.error = &ignored;
  if (urdf_required_number(&quiet, "radius", range, &radius) == STATUS_OK) {
    last_link(reader)->sphere_radius = radius;
  }
  return STATUS_OK;
}

static enum status read_collision_origin(struct reader *reader, const struct urdf_cursor *cursor) {
  struct message ignored;
  struct urdf_cursor quiet = *cursor;
  quiet.error = &ignored;
  if (urdf_pose(&quiet, &last_link(reader)->sphere_origin) != STATUS_OK) {
    last_link(reader)->n_collisions++; /* nobody knows where: no ball */
  }
  return STATUS_OK;
}

static enum status read_joint(struct reader *reader, const struct urdf_cursor *cursor) {
  struct urdf_document *document = &reader->document;
  void *block = document->joint;
  enum status status = extend(cursor, &block, &reader->room_joints, &document->n_joints,
                              sizeof(*document->joint), URDF_MAX_LINKS);
  document->joint = block;
  if (status != STATUS_OK) {
    return status;
  }
  struct urdf_joint *joint = last_joint(reader);
  joint->place = cursor->element->place;
  joint->origin = POSE_IDENTITY;
  joint->axis = (vec3){1.0, 0.0, 0.0};
  joint->multiplier = 1.0;
  status = urdf_name(cursor, "name", joint->name);
  if (status != STATUS_OK) {
    return status;
  }
  const struct urdf_cursor named = {cursor->element, "joint", joint->name, cursor->error};
  return urdf_joint_type_of(&named, &joint->type);
}

static enum status read_sensor(struct reader *reader, const struct urdf_cursor *cursor) {
  struct urdf_document *document = &reader->document;
  void *block = document->sensor;
  const enum status status = extend(cursor, &block, &reader->room_sensors, &document->n_sensors,
                                    sizeof(*document->sensor), URDF_MAX_SENSORS);
  document->sensor = block;
  if (status != STATUS_OK) {
    return status;
  }
  struct urdf_sensor *sensor = last_sensor(reader);
  const char *type = xml_attribute(cursor->element, "type");
  sensor->place = cursor->element->place;
  sensor->origin = POSE_IDENTITY;
  sensor->is_accelerometer = type != NULL && strcmp(type, "accelerometer") == 0;
  return urdf_name(cursor, "name", sensor->name);
}

static enum status read_sensor_parent(struct reader *reader, const struct urdf_cursor *cursor) {
  struct urdf_sensor *sensor = last_sensor(reader);
  if (!sensor->is_accelerometer && xml_attribute(cursor->element, "link") == NULL) {
    return STATUS_OK; /* a sensor within a joint */
  }
  return urdf_name(cursor, "link", sensor->parent);
}

static enum status read_sensor_origin(struct reader *reader, const struct urdf_cursor *cursor) {
  return urdf_pose(cursor, &last_sensor(reader)->origin);
}

/* The elements that are read, and what encloses them. Every other element is passed over. */
static const struct grammar_row {
  enum section within;
  const char *element;
  enum section opens;
  bool repeats; /* may stand there more than once */
  enum status (*read)(struct reader *reader, const struct urdf_cursor *cursor);
  enum status (*of_joint)(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                          struct urdf_notes *notes); /* in place of `read` */
} grammar[] = {
    {OUTSIDE, "robot", IN_ROBOT, false, .read = read_robot},
    {IN_ROBOT, "link", IN_LINK, true, .read = read_link},
    {IN_LINK, "inertial", IN_INERTIAL, false, .read = read_inertial},
    {IN_INERTIAL, "mass", PASSED_OVER, false, .read = read_mass},
    {IN_INERTIAL, "inertia", PASSED_OVER, false, .read = read_inertia},
    {IN_INERTIAL, "origin", PASSED_OVER, false, .read = read_inertial_origin},
    {IN_LINK, "collision", IN_COLLISION, true, .read = read_collision},
    {IN_COLLISION, "origin", PASSED_OVER, true, .read = read_collision_origin},
    {IN_COLLISION, "geometry", IN_GEOMETRY, true, .read = read_geometry},
    {IN_GEOMETRY, "sphere", PASSED_OVER, true, .read = read_sphere},
    {IN_ROBOT, "joint", IN_JOINT, true, .read = read_joint},
    {IN_JOINT, "origin", PASSED_OVER, false, .of_joint = urdf_joint_origin},
    {IN_JOINT, "parent", PASSED_OVER, false, .of_joint = urdf_joint_parent},
    {IN_JOINT, "child", PASSED_OVER, false, .of_joint = urdf_joint_child},
    {IN_JOINT, "axis", PASSED_OVER, false, .of_joint = urdf_joint_axis},
    {IN_JOINT, "limit", PASSED_OVER, false, .of_joint = urdf_joint_limit},
    {IN_JOINT, "dynamics", PASSED_OVER, false, .of_joint = urdf_joint_dynamics},
    {IN_JOINT, "mimic", PASSED_OVER, false, .of_joint = urdf_joint_mimic},
    {IN_JOINT, "rotor", PASSED_OVER, false, .of_joint = urdf_joint_rotor},
    {IN_ROBOT, "sensor", IN_SENSOR, true, .read = read_sensor},
    {IN_SENSOR, "parent", PASSED_OVER, false, .read = read_sensor_parent},
    {IN_SENSOR, "origin", PASSED_OVER, false, .read = read_sensor_origin},
};
enum { GRAMMAR_ROWS = sizeof(grammar) / sizeof(grammar[0]) };

static int find_row(enum section within, const char *element) {
  for (int i = 0; i < GRAMMAR_ROWS; i++) {
    if (grammar[i].within == within && strcmp(grammar[i].element, element) == 0) {
      return i;
    }
  }
  return -1;
}

/* Whom to name when something within `section` is wrong. */
static struct urdf_cursor cursor_at(struct reader *reader, enum section section,
                                    const struct xml_element *element) {
  struct urdf_cursor cursor = {.element = element, .error = reader->error};
  switch (section) {
  case IN_LINK:
  case IN_INERTIAL:
  case IN_COLLISION:
  case IN_GEOMETRY:
    cursor.kind = "link", cursor.owner = last_link(reader)->name;
    break;
  case IN_JOINT:
    cursor.kind = "joint", cursor.owner = last_joint(reader)->name;
    break;
  case IN_SENSOR:
    cursor.kind = "sensor", cursor.owner = last_sensor(reader)->name;
    break;
  default:
    break;
  }
  return cursor;
}

/* A name from a file that was not expanded, once. */
static void note_expression(struct reader *reader, const struct urdf_cursor *cursor) {
  const char *name = xml_attribute(cursor->element, "name");
  if (name == NULL || (strstr(name, "${") == NULL && strstr(name, "$(") == NULL) ||
      reader->told_expression) {
    return;
  }
  reader->told_expression = true;
  urdf_note(reader->notes, &cursor->element->place,
            "<%.40s>: the name '%.63s' is an expression of xacro: was the file expanded, "
            "xacro FILE > robot.urdf?",
            cursor->element->name, name);
}

/* Elements that are neither read nor passed over in silence. */
static enum status check_stranger(const struct urdf_cursor *cursor, enum section within) {
  if (within == OUTSIDE) {
    return urdf_refuse(cursor, STATUS_BAD_ARGUMENT, "a URDF begins with <robot>");
  }
  if (strncmp(cursor->element->name, "xacro:", strlen("xacro:")) == 0) {
    return urdf_refuse(cursor, STATUS_REFUSED,
                       "a macro of xacro: expand the file first, xacro FILE > robot.urdf");
  }
  return STATUS_OK;
}

static enum status on_open(void *context, const struct xml_element *element,
                           struct message *error) {
  (void)error;
  struct reader *reader = context;
  const enum section within = reader->section[reader->depth];
  const struct urdf_cursor cursor = cursor_at(reader, within, element);
  const int row = find_row(within, element->name);
  const unsigned bit = row < 0 ? 0u : 1u << row;
  const bool again = row >= 0 && !grammar[row].repeats && (reader->seen[reader->depth] & bit) != 0;
  reader->seen[reader->depth] |= bit;
  reader->depth++;
  reader->section[reader->depth] = row < 0 || again ? PASSED_OVER : grammar[row].opens;
  reader->seen[reader->depth] = 0;
  if (again) {
    urdf_note(reader->notes, &element->place, "%s '%s': <%s> stands there twice; the first counts",
              cursor.kind, cursor.owner, element->name);
    return STATUS_OK;
  }
  note_expression(reader, &cursor);
  if (row < 0) {
    return check_stranger(&cursor, within);
  }
  return grammar[row].of_joint != NULL
             ? grammar[row].of_joint(last_joint(reader), &cursor, reader->notes)
             : grammar[row].read(reader, &cursor);
}

/* Refuses a section that closes without the child `name`; it is reported where it opened. */
static enum status require(struct reader *reader, enum section section, const char *name,
                           const char *element_name, struct xml_place place) {
  const int row = find_row(section, name);
  if ((reader->seen[reader->depth] & 1u << row) != 0) {
    return STATUS_OK;
  }
  const struct xml_element element = {.name = element_name, .place = place};
  const struct urdf_cursor cursor = cursor_at(reader, section, &element);
  const bool of_body = strcmp(element_name, "inertial") == 0;
  return urdf_refuse(&cursor, STATUS_BAD_ARGUMENT, "<%s> is missing%s", name,
                     of_body ? "; give it, or leave <inertial> out with robot.inertia: unknown"
                             : "");
}

static enum status on_close(void *context, const struct xml_place *place, struct message *error) {
  (void)place, (void)error;
  struct reader *reader = context;
  const enum section section = reader->section[reader->depth];
  enum status status = STATUS_OK;
  if (section == IN_INERTIAL) {
    const struct xml_place at = last_link(reader)->inertial_place;
    status = require(reader, section, "mass", "inertial", at);
    if (status == STATUS_OK) {
      status = require(reader, section, "inertia", "inertial", at);
    }
  } else if (section == IN_JOINT) {
    status = require(reader, section, "parent", "joint", last_joint(reader)->place);
    if (status == STATUS_OK) {
      status = require(reader, section, "child", "joint", last_joint(reader)->place);
    }
  } else if (section == IN_SENSOR && last_sensor(reader)->is_accelerometer) {
    status = require(reader, section, "parent", "sensor", last_sensor(reader)->place);
  }
  reader->depth--;
  return status;
}

enum status urdf_document_read(const char *text, size_t length, struct urdf_document *document,
                               struct urdf_notes *notes, struct message *error) {
  struct reader reader = {.notes = notes, .error = error};
  const struct xml_listener listener = {&reader, on_open, on_close};
  const enum status status = xml_walk(text, length, URDF_MAX_BYTES, &listener, error);
  if (status != STATUS_OK) {
    urdf_document_free(&reader.document);
    return status;
  }
  *document = reader.document;
  return STATUS_OK;
}

void urdf_document_free(struct urdf_document *document) {
  free(document->link);
  free(document->joint);
  free(document->sensor);
  *document = (struct urdf_document){0};
}
