#include "urdf/urdf_reader.h"

#include "common/name_index.h"
#include "inertia/nearest_inertia.h"
#include "urdf/urdf_consistency.h"
#include "urdf/urdf_model.h"
#include "urdf/urdf_stages.h"
#include "urdf/urdf_tree.h"

#include <string.h>

/* Gives a body without mass that carries others, as a shaft within a ball joint is drawn, one of no
 * weight that matters. */
static void repair_massless(struct urdf_stages *stages, size_t b, struct urdf_notes *notes) {
  const double mass = 1e-3, radius = 0.01; /* kg, m */
  const double moment = 0.4 * mass * radius * radius;
  const struct urdf_link *link = &stages->document.link[stages->bodies.link[b]];
  stages->bodies.inertia[b] =
      (struct inertia){.m = mass, .Ixx = moment, .Iyy = moment, .Izz = moment};
  urdf_note(notes, &link->place, "link '%s': moves and has no mass: %g kg is taken", link->name,
            mass);
}

/* Gives bodies that no distribution of mass has the nearest that one has. */
static void repair_bodies(struct urdf_stages *stages, struct urdf_notes *notes) {
  for (size_t b = 0; b < stages->bodies.n; b++) {
    if (b > 0 && stages->bodies.inertia[b].m == 0.0) {
      repair_massless(stages, b, notes);
      continue;
    }
    struct message complaint;
    double change = 0.0;
    size_t link;
    if (urdf_body_consistent(&stages->document, &stages->bodies, b, &link, &complaint) !=
            STATUS_OK &&
        nearest_inertia(&stages->bodies.inertia[b], URDF_LEAST_SPREAD, &change) == STATUS_OK) {
      const struct urdf_link *blamed = &stages->document.link[link];
      urdf_note(
          notes, blamed->has_inertial ? &blamed->inertial_place : &blamed->place,
          "link '%s': its moments are changed by %.2g %%, to the nearest that a body can have",
          blamed->name, 100.0 * change);
    }
  }
}

/* Balls in place of bodies of which nothing is known: sound, and of nobody's weight. */
static void stand_in(struct urdf_stages *stages) {
  const double mass = 1.0, moment = 0.4 * mass * 0.1 * 0.1; /* kg, kg m^2: of 0.1 m radius */
  for (size_t b = 0; b < stages->bodies.n; b++) {
    stages->bodies.inertia[b] =
        (struct inertia){.m = mass, .Ixx = moment, .Iyy = moment, .Izz = moment};
  }
}

/* Complains of the first inconsistent body and says how many more there are. */
static enum status check_bodies(const struct urdf_stages *stages, struct message *error) {
  struct message first, other;
  size_t faulty = 0, link;
  for (size_t b = 0; b < stages->bodies.n; b++) {
    if (urdf_body_consistent(&stages->document, &stages->bodies, b, &link,
                             faulty == 0 ? &first : &other) != STATUS_OK) {
      faulty++;
    }
  }
  if (faulty > 1) {
    message_set(error, "%.460s (and %zu more)", first.text, faulty - 1);
  } else if (faulty == 1) {
    *error = first;
  }
  return faulty == 0 ? STATUS_OK : STATUS_NOT_CONSISTENT;
}

/* Accelerometers are skin cells by name, so their names must differ; every sensor needs its
 * link. */
static enum status check_sensors(const struct urdf_stages *stages, struct message *error) {
  const struct urdf_document *d = &stages->document;
  for (size_t i = 0; i < d->n_sensors; i++) {
    const struct urdf_sensor *sensor = &d->sensor[i];
    if (sensor->parent[0] == '\0') {
      continue;
    }
    const long link = name_index_find(&stages->tree.links, sensor->parent);
    if (link < 0 || stages->bodies.of_link[link] < 0) {
      message_set(error, "%lu:%lu: sensor '%s': parent link '%s' %s", sensor->place.line,
                  sensor->place.column, sensor->name, sensor->parent,
                  link < 0 ? "does not exist" : "is no part of the robot");
      return STATUS_BAD_ARGUMENT;
    }
  }
  return STATUS_OK;
}

static enum status check_sensor_names(const struct urdf_stages *stages, struct message *error) {
  const struct urdf_document *d = &stages->document;
  struct name_index names;
  if (d->n_sensors == 0) {
    return STATUS_OK;
  }
  if (name_index_init(&names, d->sensor->name, d->n_sensors, sizeof(*d->sensor)) != STATUS_OK) {
    message_set(error, "1:1: no memory for %zu sensors", d->n_sensors);
    return STATUS_NO_MEMORY;
  }
  size_t earlier = 0;
  const long again = name_index_repeated(&names, &earlier);
  name_index_free(&names);
  if (again < 0) {
    return STATUS_OK;
  }
  const struct urdf_sensor *sensor = &d->sensor[again];
  message_set(error,
              "%lu:%lu: sensor '%s': the name is taken by the sensor at %lu:%lu; give one another",
              sensor->place.line, sensor->place.column, sensor->name, d->sensor[earlier].place.line,
              d->sensor[earlier].place.column);
  return STATUS_BAD_ARGUMENT;
}

static enum status check_mimics(const struct urdf_stages *stages, struct message *error) {
  enum status status = STATUS_OK;
  for (size_t j = 0; j < stages->document.n_joints && status == STATUS_OK; j++) {
    struct urdf_mimic unused;
    status = urdf_mimic_resolve(&stages->document, &stages->tree, j, &unused, error);
  }
  return status;
}

static enum status check_stages(const struct urdf_stages *stages, struct message *error) {
  enum status status = check_bodies(stages, error);
  if (status == STATUS_OK) {
    status = check_mimics(stages, error);
  }
  if (status == STATUS_OK) {
    status = check_sensors(stages, error);
  }
  if (status == STATUS_OK) {
    status = check_sensor_names(stages, error);
  }
  return status;
}

enum status urdf_read(const char *text, size_t length, struct arena *arena, struct model *model,
                      struct message *error) {
  return urdf_read_as(text, length, NULL, arena, model, NULL, error);
}

enum status urdf_read_as(const char *text, size_t length, const struct urdf_choices *choices,
                         struct arena *arena, struct model *model, struct urdf_notes *notes,
                         struct message *error) {
  struct message unheard = {""};
  struct message *told = error != NULL ? error : &unheard;
  struct urdf_stages stages;
  if (notes != NULL) {
    notes->n = 0;
  }
  enum status status = urdf_stages_read(text, length, choices, &stages, notes, told);
  if (status == STATUS_OK && choices != NULL && choices->inertia == URDF_INERTIA_UNKNOWN) {
    stand_in(&stages);
  }
  if (status == STATUS_OK && choices != NULL && choices->repair == URDF_REPAIR_NEAREST) {
    repair_bodies(&stages, notes);
  }
  if (status == STATUS_OK) {
    status = check_stages(&stages, told);
  }
  if (status == STATUS_OK) {
    status = urdf_model_build(&stages, arena, model, told);
  }
  urdf_stages_free(&stages);
  return status;
}

static size_t find_all(const struct urdf_stages *stages, struct urdf_finding *findings,
                       size_t capacity) {
  size_t found = 0;
  for (size_t b = 0; b < stages->bodies.n; b++) {
    struct urdf_finding finding;
    size_t link;
    if (urdf_body_consistent(&stages->document, &stages->bodies, b, &link, &finding.complaint) ==
        STATUS_OK) {
      continue;
    }
    memcpy(finding.link, stages->document.link[link].name, sizeof(finding.link));
    if (found < capacity) {
      findings[found] = finding;
    }
    found++;
  }
  return found;
}

enum status urdf_check(const char *text, size_t length, struct urdf_finding *findings,
                       size_t capacity, size_t *n_findings, struct message *error) {
  struct message unheard = {""};
  struct urdf_stages stages;
  const enum status status =
      urdf_stages_read(text, length, NULL, &stages, NULL, error != NULL ? error : &unheard);
  if (status == STATUS_OK) {
    *n_findings = find_all(&stages, findings, capacity);
  }
  urdf_stages_free(&stages);
  return status;
}
