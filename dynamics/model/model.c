#include "model/model.h"

#include <string.h>

int model_find_link(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->n_links; i++) {
    if (strcmp(model->link_name[i], name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

int model_find_joint(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->n_joints; i++) {
    if (strcmp(model->joint[i].name, name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

int model_find_frame(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->n_frames; i++) {
    if (strcmp(model->frame[i].name, name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

bool model_is_beyond(const struct model *model, size_t link, size_t root) {
  int at = (int)link;
  while (at > (int)root) { /* parents stand before their children */
    at = model->parent[at];
  }
  return at == (int)root;
}

double model_mass(const struct model *model) {
  double mass = 0.0;
  for (size_t i = 0; i < model->n_links; i++) {
    mass += model->inertia[i].m;
  }
  return mass;
}
