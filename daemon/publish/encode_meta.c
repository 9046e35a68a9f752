#include "publish/encode_meta.h"

#include "publish/encode_centroidal.h"
#include "publish/encode_diag.h"
#include "publish/encode_event.h"
#include "publish/encode_inertia.h"
#include "publish/encode_state.h"

static const struct field_table *const tables[] = {&state_fields, &centroidal_fields, &skin_fields};
enum { N_TABLES = sizeof(tables) / sizeof(tables[0]) };

static void encode_joints(struct wire *wire, const struct model *model) {
  static const char *const type[] = {[JOINT_REVOLUTE] = "revolute",
                                     [JOINT_CONTINUOUS] = "continuous",
                                     [JOINT_PRISMATIC] = "prismatic"};
  wire_text(wire, "joints");
  wire_array(wire, model->n_joints);
  for (size_t j = 0; j < model->n_joints; j++) {
    wire_text(wire, model->joint[j].name);
  }
  wire_text(wire, "joint_types");
  wire_array(wire, model->n_joints);
  for (size_t j = 0; j < model->n_joints; j++) {
    wire_text(wire, type[model->joint[j].type]);
  }
  wire_text(wire, "joint_units");
  wire_array(wire, model->n_joints);
  for (size_t j = 0; j < model->n_joints; j++) {
    wire_text(wire, model->joint[j].type == JOINT_PRISMATIC ? "m" : "rad");
  }
}

static void encode_links(struct wire *wire, const struct model *model) {
  wire_text(wire, "links");
  wire_array(wire, model->n_links);
  for (size_t i = 0; i < model->n_links; i++) {
    wire_text(wire, model->link_name[i]);
  }
}

static void encode_feet(struct wire *wire, const struct robot *robot) {
  wire_text(wire, "feet");
  wire_array(wire, robot->n_feet);
  for (size_t i = 0; i < robot->n_feet; i++) {
    wire_text(wire, robot->foot[i].name);
  }
}

static void encode_frames(struct wire *wire, const char *base) {
  wire_text(wire, "frames");
  wire_map(wire, 3);
  wire_pair_text(wire, "world", "fixed to the ground, z upwards against gravity (REP-103)");
  wire_pair_text(wire, "base_link", base);
  wire_pair_text(wire, "link", "of each link in `inertia`: its own, as the URDF has it");
}

static const struct {
  const char *topic;
  void (*describe)(struct wire *wire);
} untabled[] = {
    {INERTIA_TOPIC, describe_inertia}, {DIAG_TOPIC, describe_diag}, {EVENT_TOPIC, describe_event}};
enum { N_UNTABLED = sizeof(untabled) / sizeof(untabled[0]) };

static void encode_topics(struct wire *wire) {
  wire_text(wire, "topics");
  wire_map(wire, N_TABLES + N_UNTABLED);
  for (size_t i = 0; i < N_TABLES; i++) {
    wire_text(wire, tables[i]->topic);
    fields_describe(wire, tables[i]);
  }
  for (size_t i = 0; i < N_UNTABLED; i++) {
    wire_text(wire, untabled[i].topic);
    untabled[i].describe(wire);
  }
}

void encode_meta_body(struct wire *wire, const struct robot *robot, double period_s) {
  const struct model *model = &robot->model;
  wire_pair_text(wire, "robot", model->name);
  wire_pair_real(wire, "period", period_s);
  wire_pair_truth(wire, "fixed_base", robot->fixed_base);
  wire_pair_real(wire, "model_mass", model_mass(model));
  wire_pair_count(wire, "n_cells", robot->n_cells);
  wire_pair_text(wire, "base", model->link_name[0]);
  encode_joints(wire, model);
  encode_links(wire, model);
  encode_feet(wire, robot);
  encode_skin_meta(wire, robot);
  encode_frames(wire, model->link_name[0]);
  encode_topics(wire);
}
