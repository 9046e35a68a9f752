#include "publish/encode_skin.h"

#define FROM(member) offsetof(struct estimator_report, member)

static const struct field rows[] = {
    {"cell_state", FIELD_CELL_CODES, "", "", FROM(state), 0, "code in `cell_states`"},
    {"cell_reason", FIELD_CELL_CODES, "", "", FROM(reason), 0,
     "code in `cell_reasons`: why the cell's last bad sample was bad"},
    {"cell_residual", FIELD_CELL_REALS, "m/s^2", "", FROM(residual), 0,
     "smoothed size of what the cell's readings differ from its link's motion by"},
    {"cell_chosen", FIELD_CELL_CODES, "", "", FROM(chosen), 0,
     "1: wanted from the driver and used; 0: spared, others tell more"},
    {"cells_ok", FIELD_COUNT, "", "", FROM(cells_in[CELL_OK]), 0, "cells in use without a fault"},
    {"cells_suspect", FIELD_COUNT, "", "", FROM(cells_in[CELL_SUSPECT]), 0,
     "cells in use with a bad sample not long ago"},
    {"cells_faulty", FIELD_COUNT, "", "", FROM(cells_in[CELL_FAULTY]), 0, "cells left out"},
    {"cells_contact", FIELD_COUNT, "", "", FROM(cells_in[CELL_CONTACT]), 0,
     "cells left out because something touches them"},
    {"cells_precontact", FIELD_COUNT, "", "", FROM(cells_in[CELL_PRECONTACT]), 0,
     "cells left out because something is about to touch them"},
    {"cells_stale", FIELD_COUNT, "", "", FROM(cells_in[CELL_STALE]), 0,
     "cells that the driver has called invalid for a while"},
    {"outliers", FIELD_COUNT, "", "", FROM(outliers), 0,
     "samples taken out of a fusion since the start"},
    {"links_whole", FIELD_COUNT, "", "", FROM(links_whole), 0,
     "links whose cells tell all six numbers of their acceleration"},
    {"links_partial", FIELD_COUNT, "", "", FROM(links_partial), 0,
     "links whose cells tell fewer: too few, or on a line"},
};

const struct field_table skin_fields = {"skin", rows, sizeof(rows) / sizeof(rows[0])};

void encode_skin(struct wire *wire, const struct estimator_report *report, uint64_t seq,
                 int64_t epoch_ns, enum propriod_status status) {
  const struct stamp stamp = {seq, report->t_ns, epoch_ns, status};
  fields_begin(wire, &stamp, fields_pairs(&skin_fields, 0));
  fields_encode(wire, &skin_fields, report, 0, report->n_cells);
}

void encode_skin_meta(struct wire *wire, const struct robot *robot) {
  wire_text(wire, "cell_links");
  wire_array(wire, robot->n_cells);
  for (size_t i = 0; i < robot->n_cells; i++) {
    wire_count(wire, robot->cell[i].link);
  }
  wire_text(wire, "cell_states");
  wire_array(wire, CELL_STATES);
  for (int i = 0; i < CELL_STATES; i++) {
    wire_text(wire, cell_state_text((enum cell_state)i));
  }
  wire_text(wire, "cell_reasons");
  wire_array(wire, CELL_REASONS);
  for (int i = 0; i < CELL_REASONS; i++) {
    wire_text(wire, cell_reason_text((enum cell_reason)i));
  }
}
