#include "urdf/urdf_stages.h"

#include "urdf/urdf_lock.h"

enum status urdf_stages_read(const char *text, size_t length, const struct urdf_choices *choices,
                             struct urdf_stages *stages, struct urdf_notes *notes,
                             struct message *error) {
  *stages = (struct urdf_stages){0};
  enum status status = urdf_document_read(text, length, &stages->document, notes, error);
  if (status == STATUS_OK && choices != NULL) {
    status = urdf_lock_named(&stages->document, choices, notes, error);
  }
  if (status == STATUS_OK) {
    status = urdf_tree_build(&stages->document, &stages->tree, error);
  }
  if (status == STATUS_OK && choices != NULL && choices->repair == URDF_REPAIR_NEAREST) {
    status = urdf_lock_massless(&stages->document, &stages->tree, notes, error);
  }
  if (status == STATUS_OK) {
    urdf_lock_followers(&stages->document, &stages->tree, notes);
    status = urdf_bodies_lump(&stages->document, &stages->tree, &stages->bodies, error);
  }
  return status;
}

void urdf_stages_free(struct urdf_stages *stages) {
  urdf_bodies_free(&stages->bodies);
  urdf_tree_free(&stages->tree);
  urdf_document_free(&stages->document);
}
