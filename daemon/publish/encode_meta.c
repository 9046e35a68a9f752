#include "publish/encode_meta.h"

#include "publish/topics.h"
#include "skin/cell_health.h"

/* What a pair of `meta` is made from. */
struct source {
  const struct robot *robot;
  const struct model *model;
  double period_s;
};

static void robot(struct wire *wire, const struct source *s) {
  wire_text(wire, s->model->name);
}

static void period(struct wire *wire, const struct source *s) {
  wire_real(wire, s->period_s);
}

static void fixed_base(struct wire *wire, const struct source *s) {
  wire_truth(wire, s->robot->fixed_base);
}

static void mass(struct wire *wire, const struct source *s) {
  wire_real(wire, s->robot->inertia_unknown ? 0.0 : model_mass(s->model));
}

static void inertia(struct wire *wire, const struct source *s) {
  wire_text(wire, s->robot->inertia_unknown ? "unknown" : "given");
}

static void n_cells(struct wire *wire, const struct source *s) {
  wire_count(wire, s->robot->n_cells);
}

static void base(struct wire *wire, const struct source *s) {
  wire_text(wire, s->model->link_name[0]);
}

static void joints(struct wire *wire, const struct source *s) {
  wire_array(wire, s->model->n_joints);
  for (size_t j = 0; j < s->model->n_joints; j++) {
    wire_text(wire, s->model->joint[j].name);
  }
}

static void joint_types(struct wire *wire, const struct source *s) {
  static const char *const type[] = {[JOINT_REVOLUTE] = "revolute",
                                     [JOINT_CONTINUOUS] = "continuous",
                                     [JOINT_PRISMATIC] = "prismatic"};
  wire_array(wire, s->model->n_joints);
  for (size_t j = 0; j < s->model->n_joints; j++) {
    wire_text(wire, type[s->model->joint[j].type]);
  }
}

static void joint_units(struct wire *wire, const struct source *s) {
  wire_array(wire, s->model->n_joints);
  for (size_t j = 0; j < s->model->n_joints; j++) {
    wire_text(wire, s->model->joint[j].type == JOINT_PRISMATIC ? "m" : "rad");
  }
}

static void links(struct wire *wire, const struct source *s) {
  wire_array(wire, s->model->n_links);
  for (size_t i = 0; i < s->model->n_links; i++) {
    wire_text(wire, s->model->link_name[i]);
  }
}

static void feet(struct wire *wire, const struct source *s) {
  wire_array(wire, s->robot->n_feet);
  for (size_t i = 0; i < s->robot->n_feet; i++) {
    wire_text(wire, s->robot->foot[i].name);
  }
}

static void cell_links(struct wire *wire, const struct source *s) {
  wire_array(wire, s->robot->n_cells);
  for (size_t i = 0; i < s->robot->n_cells; i++) {
    wire_count(wire, s->robot->cell[i].link);
  }
}

static void cell_states(struct wire *wire, const struct source *s) {
  (void)s;
  wire_array(wire, CELL_STATES);
  for (int i = 0; i < CELL_STATES; i++) {
    wire_text(wire, cell_state_text((enum cell_state)i));
  }
}

static void cell_reasons(struct wire *wire, const struct source *s) {
  (void)s;
  wire_array(wire, CELL_REASONS);
  for (int i = 0; i < CELL_REASONS; i++) {
    wire_text(wire, cell_reason_text((enum cell_reason)i));
  }
}

static void frames(struct wire *wire, const struct source *s) {
  const char *const frame[][2] = {
      {"world", "fixed to the ground, z upwards against gravity (REP-103)"},
      {"base_link", s->model->link_name[0]},
      {"link", "of each link in `inertia`: its own, as the URDF has it"}};
  wire_map(wire, sizeof(frame) / sizeof(frame[0]));
  for (size_t i = 0; i < sizeof(frame) / sizeof(frame[0]); i++) {
    wire_pair_text(wire, frame[i][0], frame[i][1]);
  }
}

static void describe_topics(struct wire *wire, const struct source *s) {
  (void)s;
  size_t count = 0;
  while (topics[count] != NULL) {
    count++;
  }
  wire_map(wire, count);
  for (size_t i = 0; i < count; i++) {
    wire_text(wire, topics[i]->name);
    fields_describe(wire, topics[i]);
  }
}

static const struct {
  const char *key;
  void (*write)(struct wire *wire, const struct source *source);
} rows[] = {
    {"robot", robot},
    {"period", period},
    {"fixed_base", fixed_base},
    {"model_mass", mass}, /* 0 when it is unknown */
    {"inertia", inertia},
    {"n_cells", n_cells},
    {"base", base},
    {"joints", joints},
    {"joint_types", joint_types},
    {"joint_units", joint_units},
    {"links", links},
    {"feet", feet},
    {"cell_links", cell_links},     /* index in `links` */
    {"cell_states", cell_states},   /* what the codes of `skin` are called */
    {"cell_reasons", cell_reasons}, /* the same */
    {"frames", frames},
    {"topics", describe_topics},
};
const size_t meta_pairs = sizeof(rows) / sizeof(rows[0]);

void encode_meta_body(struct wire *wire, const struct robot *robot_, double period_s) {
  const struct source source = {robot_, &robot_->model, period_s};
  for (size_t i = 0; i < meta_pairs; i++) {
    wire_text(wire, rows[i].key);
    rows[i].write(wire, &source);
  }
}
