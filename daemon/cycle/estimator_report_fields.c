#include "cycle/estimator_report.h"
#include "joints/joint_fields.h"
#include "robot/reading_fields.h"

#define ROW(member, unit, meaning) FIELD(struct estimator_report, member, unit, "", 0, meaning)
#define CELLS(state, key, meaning)                                                                 \
  FIELD_AS(key, struct estimator_report, cells_in[state], "", "", 0, meaning)

static const struct field skin[] = {
    ROW(cell_state, "", "code in `cell_states`"),
    ROW(cell_reason, "", "code in `cell_reasons`: why the cell's last bad sample was bad"),
    ROW(cell_residual, "m/s^2",
        "smoothed size of what the cell's readings differ from its link's motion by"),
    ROW(cell_chosen, "", "1: wanted from the driver and used; 0: spared, others tell more"),
    CELLS(CELL_OK, "cells_ok", "cells in use without a fault"),
    CELLS(CELL_SUSPECT, "cells_suspect", "cells in use with a bad sample not long ago"),
    CELLS(CELL_FAULTY, "cells_faulty", "cells left out"),
    CELLS(CELL_CONTACT, "cells_contact", "cells left out because something touches them"),
    CELLS(CELL_PRECONTACT, "cells_precontact",
          "cells left out because something is about to touch them"),
    CELLS(CELL_STALE, "cells_stale", "cells that the driver has called invalid for a while"),
    ROW(outliers, "", "samples taken out of a fusion since the start"),
    ROW(links_whole, "", "links whose cells tell all six numbers of their acceleration"),
    ROW(links_partial, "", "links whose cells tell fewer: too few, or on a line"),
};
const struct field_rows report_fields = FIELD_ROWS(skin);

#define REJECTED(reason, key, meaning)                                                             \
  FIELD_AS(key, struct estimator_counters, rejected[reason], "", "", 0, meaning)

static const struct field refused[] = {
    REJECTED(CELL_REASON_INVALID, "invalid", "samples that the driver called invalid"),
    REJECTED(CELL_REASON_NOT_FINITE, "not_finite", "samples with NaN or infinity"),
    REJECTED(CELL_REASON_PATTERN, "pattern", "samples of three equal numbers: all zeros, all ones"),
    REJECTED(CELL_REASON_SATURATED, "saturated", "samples at the end of the range"),
    REJECTED(CELL_REASON_STUCK, "stuck", "samples that stayed the same while the link moved"),
    REJECTED(CELL_REASON_RESIDUAL, "residual", "samples that contradict their link's motion"),
    REJECTED(CELL_REASON_REPEATED, "repeated",
             "readings of cells that had not measured since the last"),
};
static const struct field_rows refused_rows = FIELD_ROWS(refused);

const struct field_table report_filter_counters = {
    .name = "filter",
    .group = {{&joint_counter_fields, offsetof(struct estimator_counters, filter)},
              {&reading_fields, offsetof(struct estimator_counters, readings)}}};
const struct field_table report_cell_counters = {.name = "cells", .group = {{&refused_rows, 0}}};
