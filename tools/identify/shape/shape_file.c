/* Shapes written by hand, as YAML. */
#include "common/number.h"
#include "common/word_distance.h"
#include "identify/shape/shape_source.h"
#include "settings/yaml_reader.h"

#include <stdio.h>
#include <string.h>

const char shape_file_help[] =
    "shapes of bodies:\n"
    "YAML, for --shape FILE; a map for each link that is known better, lengths in m,\n"
    "angles (roll, pitch, yaw) in rad, all in the link's frame\n"
    "  forearm:\n"
    "    box: [x, y, z, roll, pitch, yaw, edge, edge, edge]\n"
    "    ellipsoid: [x, y, z, roll, pitch, yaw, half axis, half axis, half axis]\n"
    "                                more nines: the body is in their union\n"
    "    hull: [x, y, z, x, y, z, ...]   its mass is in the hull of these points\n"
    "    com: [...]                  an ellipsoid for the centre of mass alone\n"
    "    mass: [least, most]         kg\n"
    "  right_arm: {mirror: [left_arm, y]}   its image, y of both frames reversed\n"
    "  tool: {fixed: true}           it is as described\n";

static const char *const keys[] = {"box", "ellipsoid", "hull", "com", "mass", "mirror", "fixed"};
enum { KEYS = sizeof(keys) / sizeof(keys[0]), NINE = 9, MOST_NUMBERS = 12 * NINE };

/* m: a hull by hand is as wide as it says. */
static const double HULL_MARGIN = 1e-4;

struct shape_reader {
  const char *name;
  const struct unknowns *u;
  struct body_shapes *shapes;
  struct message *error;
};

static enum status refuse(const struct shape_reader *r, const struct yaml_item *item,
                          const char *what) {
  message_set(r->error, "%s:%d:%d: %s: %s", r->name, item->line, item->column, item->key, what);
  return STATUS_BAD_ARGUMENT;
}

/* The body of a link's name; STATUS_BAD_ARGUMENT with the name that was perhaps meant. */
static enum status find_body(const struct shape_reader *r, const struct yaml_item *item,
                             const char *link, size_t *body) {
  const struct model *model = r->u->model;
  const char *nearest = NULL;
  size_t least = 4;
  for (size_t i = 0; i < r->u->links; i++) {
    const char *name = model->link_name[r->u->first_link + i];
    const size_t distance = word_distance(name, link);
    if (distance == 0) {
      *body = i;
      return STATUS_OK;
    }
    nearest = distance < least ? name : nearest;
    least = distance < least ? distance : least;
  }
  message_set(r->error, "%s:%d:%d: no moving link '%.64s'%s%s%s", r->name, item->line, item->column,
              link, nearest != NULL ? ", did you mean '" : "", nearest != NULL ? nearest : "",
              nearest != NULL ? "'?" : "");
  return STATUS_BAD_ARGUMENT;
}

static enum status numbers_of(const struct shape_reader *r, const struct yaml_item *list,
                              double *value) {
  for (size_t i = 0; i < list->n_elements; i++) {
    if (number_read(list[1 + i].text, &value[i], NULL) != STATUS_OK) {
      return refuse(r, list + 1 + i, "is no number");
    }
  }
  return STATUS_OK;
}

/* One shape of nine numbers. */
static enum status add_nine(struct body_shape *body, const char *kind, const double *nine,
                            size_t number) {
  const struct pose at = {mat3_from_rpy((vec3){nine[3], nine[4], nine[5]}),
                          {nine[0], nine[1], nine[2]}};
  const vec3 size = {nine[6], nine[7], nine[8]};
  const struct ellipsoid ellipsoid = ellipsoid_from_axes(&at, size);
  char name[SHAPE_NAME];
  snprintf(name, sizeof(name), "%s %zu", kind, number);
  return strcmp(kind, "box") == 0   ? body_add_box(body, &at, size, name)
         : strcmp(kind, "com") == 0 ? body_bound_com(body, &ellipsoid)
                                    : body_add_ellipsoid(body, &ellipsoid, name);
}

static enum status take_nines(struct shape_reader *r, const struct yaml_item *list,
                              const char *kind, struct body_shape *body) {
  double value[MOST_NUMBERS];
  if (list->n_elements == 0 || list->n_elements % NINE != 0 || list->n_elements > MOST_NUMBERS) {
    return refuse(r, list, "wants nine numbers, or a few times nine");
  }
  enum status status = numbers_of(r, list, value);
  for (size_t i = 0; i < list->n_elements && status == STATUS_OK; i += NINE) {
    if (!(value[i + 6] > 0.0 && value[i + 7] > 0.0 && value[i + 8] > 0.0)) {
      return refuse(r, list + 1 + i + 6, "extents must be above 0 m");
    }
    status = add_nine(body, kind, value + i, i / NINE + 1);
  }
  return status;
}

/* Corners of what holds the body. */
static enum status take_hull(struct shape_reader *r, const struct yaml_item *list,
                             struct body_shape *body) {
  double value[MOST_NUMBERS];
  vec3 corner[MOST_NUMBERS / 3];
  const size_t n = list->n_elements / 3;
  if (list->n_elements % 3 != 0 || n < 4 || list->n_elements > MOST_NUMBERS) {
    return refuse(r, list, "wants four corners and more, three numbers each");
  }
  enum status status = numbers_of(r, list, value);
  for (size_t i = 0; i < n && status == STATUS_OK; i++) {
    corner[i] = (vec3){value[3 * i], value[3 * i + 1], value[3 * i + 2]};
  }
  if (status == STATUS_OK) {
    status = body_add_points(body, corner, n, HULL_MARGIN, "hull");
    status = status == STATUS_SINGULAR ? refuse(r, list, "corners have no volume") : status;
  }
  return status;
}

static enum status take_mass(struct shape_reader *r, const struct yaml_item *list,
                             struct body_shape *body) {
  double value[2];
  if (list->n_elements != 2) {
    return refuse(r, list, "wants two masses");
  }
  const enum status status = numbers_of(r, list, value);
  if (status == STATUS_OK && !(value[0] >= 0.0 && value[0] < value[1])) {
    return refuse(r, list, "wants the least mass, then the most, kg");
  }
  return status == STATUS_OK ? body_bound_mass(body, value[0], value[1]) : status;
}

static enum status take_mirror(struct shape_reader *r, const struct yaml_item *list,
                               struct body_shape *body) {
  const char *axis = list->n_elements == 2 ? list[2].text : "";
  size_t of;
  if (strlen(axis) != 1 || axis[0] < 'x' || axis[0] > 'z') {
    return refuse(r, list, "wants a link and x, y or z");
  }
  const enum status status = find_body(r, list + 1, list[1].text, &of);
  if (status == STATUS_OK) {
    body_mirror(body, of, axis[0] - 'x');
  }
  return status;
}

static enum status take_list(struct shape_reader *r, const struct yaml_item *list, const char *key,
                             struct body_shape *body) {
  return strcmp(key, "mass") == 0     ? take_mass(r, list, body)
         : strcmp(key, "hull") == 0   ? take_hull(r, list, body)
         : strcmp(key, "mirror") == 0 ? take_mirror(r, list, body)
                                      : take_nines(r, list, key, body);
}

static enum status check_key(const struct shape_reader *r, const struct yaml_item *item,
                             const char *key) {
  const char *nearest = NULL;
  size_t least = 4;
  for (size_t i = 0; i < KEYS; i++) {
    const size_t distance = word_distance(keys[i], key);
    nearest = distance < least ? keys[i] : nearest;
    least = distance < least ? distance : least;
  }
  if (least == 0) {
    return STATUS_OK;
  }
  message_set(r->error, "%s:%d:%d: %.64s: unknown key%s%s%s", r->name, item->key_line,
              item->key_column, key, nearest != NULL ? ", did you mean " : "",
              nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
  return STATUS_BAD_ARGUMENT;
}

/* `LINK.KEY`, a list, or `fixed`. */
static enum status take_item(struct shape_reader *r, const struct yaml_item *item) {
  char link[YAML_KEY_SIZE];
  snprintf(link, sizeof(link), "%s", item->key);
  char *dot = strrchr(link, '.');
  if (dot == NULL) {
    return refuse(r, item, "wants a link with its shapes");
  }
  *dot = '\0';
  size_t body;
  const char *key = dot + 1;
  enum status status = check_key(r, item, key);
  if (status == STATUS_OK) {
    status = find_body(r, item, link, &body);
  }
  if (status != STATUS_OK) {
    return status;
  }
  const bool fixed = strcmp(key, "fixed") == 0;
  if (fixed && item->kind == YAML_VALUE && strcmp(item->text, "true") == 0) {
    body_fix(&r->shapes->body[body]);
    return STATUS_OK;
  }
  return fixed                     ? refuse(r, item, "wants true")
         : item->kind != YAML_LIST ? refuse(r, item, "wants a list")
                                   : take_list(r, item, key, &r->shapes->body[body]);
}

enum status shapes_of_file(const char *text, size_t length, const char *name,
                           const struct unknowns *unknowns, struct body_shapes *shapes,
                           struct message *error) {
  struct yaml_items items;
  struct shape_reader r = {name, unknowns, shapes, error};
  enum status status = yaml_items_read(text, length, name, &items, error);
  if (status != STATUS_OK) {
    return status;
  }
  for (size_t i = 0; i < items.count && status == STATUS_OK; i++) {
    const struct yaml_item *item = &items.item[i];
    if (item->kind != YAML_ELEMENT && item->kind != YAML_MAP) {
      status = take_item(&r, item);
    }
  }
  yaml_items_free(&items);
  return status;
}
