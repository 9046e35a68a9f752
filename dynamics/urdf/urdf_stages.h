/* The stages between a URDF's text and a model, which reading and writing share. */
#ifndef URDF_STAGES_H
#define URDF_STAGES_H

#include "common/message.h"
#include "common/status.h"
#include "urdf/urdf_bodies.h"
#include "urdf/urdf_choices.h"
#include "urdf/urdf_document.h"
#include "urdf/urdf_tree.h"

#include <stddef.h>

struct urdf_stages {
  struct urdf_document document; /* what is written */
  struct urdf_tree tree;         /* how it hangs together */
  struct urdf_bodies bodies;     /* what moves as one */
};

/* Goes through all stages; [start] [worker]. `choices` NULL: nothing is locked or repaired; `notes`
 * may be NULL. `stages` must be freed whatever the status. Statuses
 * and messages as urdf_read; `error` is not NULL. */
enum status urdf_stages_read(const char *text, size_t length, const struct urdf_choices *choices,
                             struct urdf_stages *stages, struct urdf_notes *notes,
                             struct message *error);
void urdf_stages_free(struct urdf_stages *stages);

#endif
