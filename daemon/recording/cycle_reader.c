#include "recording/cycle_reader.h"

#include "recording/column.h"

#include <stdlib.h>
#include <string.h>

/* -- a payload into columns ------------------------------------------------------------------- */

static size_t row_bytes(const struct block_column *column) {
  return column->width * column->elements;
}

/* Whoever reads looks at nothing of this column. */
static bool is_left_out(const struct cycle_block *block, unsigned what) {
  switch (what) {
  case COLUMN_SKIN:
  case COLUMN_FLAGS:
  case COLUMN_PROXIMITY:
  case COLUMN_FORCE:
    return (block->left_out & RECORDED_SKIN) != 0;
  case COLUMN_INERTIA:
    return (block->left_out & RECORDED_INERTIA) != 0;
  default:
    return false;
  }
}

static bool is_result(unsigned what) {
  return what == COLUMN_STATE || what == COLUMN_CENTROIDAL || what == COLUMN_INERTIA;
}

/* The column of a head; NULL: one to pass over. False: what is there can not be. */
static bool find_column(struct cycle_block *block, const struct column_head *head,
                        struct block_column **column) {
  *column = NULL;
  if (head->what >= CYCLE_COLUMNS || is_left_out(block, head->what)) {
    return true;
  }
  struct block_column *known = &block->column[head->what];
  if (known->width == head->width && known->elements == head->elements && head->elements > 0) {
    *column = known;
    return known->n_rows == 0 && head->rows > 0;
  }
  return is_result(head->what);
}

/* Each frame of a stream has its arrays; of the optional ones, all frames or none. */
static bool streams_fit(const struct cycle_block *block) {
  static const struct {
    uint8_t kind, column, optional;
  } list[] = {{PROPRIOD_SHM_JOINTS, COLUMN_Q, 0},        {PROPRIOD_SHM_JOINTS, COLUMN_DQ, 1},
              {PROPRIOD_SHM_JOINTS, COLUMN_TAU, 1},      {PROPRIOD_SHM_IMU, COLUMN_IMU, 0},
              {PROPRIOD_SHM_IMU, COLUMN_ORIENTATION, 1}, {PROPRIOD_SHM_SKIN, COLUMN_SKIN, 0},
              {PROPRIOD_SHM_SKIN, COLUMN_FLAGS, 0},      {PROPRIOD_SHM_SKIN, COLUMN_PROXIMITY, 1},
              {PROPRIOD_SHM_SKIN, COLUMN_FORCE, 1},      {PROPRIOD_SHM_WRENCH, COLUMN_WRENCH, 0}};
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    const size_t frames = block->column[COLUMN_STAMP + list[i].kind].n_rows;
    const size_t rows = block->column[list[i].column].n_rows;
    const bool left_out = is_left_out(block, list[i].column);
    if (rows != frames && (rows != 0 || !list[i].optional) && !left_out) {
      return false;
    }
  }
  return true;
}

/* Takes a column out of `left` bytes to `place`, NULL: passes over it; the bytes that it took,
 * or 0. */
static size_t take_column(const struct column_head *head, const unsigned char *packed, size_t left,
                          unsigned char *place) {
  const uint64_t row = (uint64_t)head->width * head->elements;
  if (head->coding > COLUMN_PATTERNS && head->coding <= COLUMN_STEPS) {
    return place != NULL
               ? counts_unpack(head->coding, packed, left, head->rows, head->elements, head->width,
                               place)
               : counts_size(head->coding, packed, left, head->rows, head->elements, head->width);
  }
  if (head->coding != COLUMN_PATTERNS || head->rows > left / row) {
    return 0;
  }
  if (place != NULL) {
    column_unpack(packed, head->rows, head->elements, head->width, place);
  }
  return head->rows * row;
}

static enum status make_memory(struct cycle_block *block, size_t room) {
  if (block->memory_size < room) {
    free(block->memory);
    block->memory = malloc(room);
    block->memory_size = block->memory != NULL ? room : 0;
  }
  return block->memory != NULL ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status cycle_block_unpack(struct cycle_block *block, const unsigned char *payload,
                               size_t size) {
  uint32_t n_columns;
  cycle_block_describe(block->column, block->count);
  if (size < 2 * sizeof(n_columns)) {
    return STATUS_REFUSED;
  }
  memcpy(&n_columns, payload, sizeof(n_columns));
  const unsigned char *heads = payload + 2 * sizeof(n_columns);
  if (n_columns > (size - 2 * sizeof(n_columns)) / sizeof(struct column_head)) {
    return STATUS_REFUSED;
  }
  /* counts of doubles become twice as long; each column begins at a multiple of 8 */
  if (make_memory(block, 2 * size + (CYCLE_COLUMNS + 1) * 8) != STATUS_OK) {
    return STATUS_NO_MEMORY;
  }
  unsigned char *place = block->memory;
  const unsigned char *packed = heads + n_columns * sizeof(struct column_head);
  size_t left = size - (size_t)(packed - payload);
  for (uint32_t i = 0; i < n_columns; i++) {
    struct column_head head;
    struct block_column *column;
    memcpy(&head, heads + i * sizeof(head), sizeof(head));
    const uint64_t row = (uint64_t)head.width * head.elements;
    if (row == 0 || head.rows == 0 || (head.width != 1 && head.width != 4 && head.width != 8) ||
        !find_column(block, &head, &column)) {
      return STATUS_REFUSED;
    }
    const size_t took = take_column(&head, packed, left, column != NULL ? place : NULL);
    if (took == 0) {
      return STATUS_REFUSED;
    }
    if (column != NULL) {
      column->n_rows = head.rows;
      column->row = place;
      place += (head.rows * row + 7) / 8 * 8;
    }
    packed += took;
    left -= took;
  }
  return left == 0 && streams_fit(block) ? STATUS_OK : STATUS_REFUSED;
}

/* -- the newest values ------------------------------------------------------------------------ */

/* How many of each the arrays have. */
struct sizes {
  size_t doubles, words, floats, cells;
};

static struct sizes sizes_for(const uint32_t count[PROPRIOD_SHM_STREAMS]) {
  const size_t cells = count[PROPRIOD_SHM_SKIN];
  return (struct sizes){.doubles = 3 * count[PROPRIOD_SHM_JOINTS] + 6 * count[PROPRIOD_SHM_WRENCH],
                        .words = (cells + 63) / 64,
                        .floats = 5 * cells,
                        .cells = cells};
}

enum status cycle_reader_init(struct cycle_reader *reader,
                              const uint32_t count[PROPRIOD_SHM_STREAMS]) {
  const struct sizes n = sizes_for(count);
  void *memory = malloc((n.doubles + n.words) * 8 + n.floats * 4 + n.cells + 1);
  if (memory == NULL) {
    return STATUS_NO_MEMORY;
  }
  reader->memory = memory;
  cycle_reader_reset(reader, count);
  return STATUS_OK;
}

void cycle_reader_reset(struct cycle_reader *reader, const uint32_t count[PROPRIOD_SHM_STREAMS]) {
  const size_t joints = count[PROPRIOD_SHM_JOINTS];
  const struct sizes n = sizes_for(count);
  *reader = (struct cycle_reader){.memory = reader->memory};
  double *d = reader->memory;
  uint64_t *chosen = (uint64_t *)(d + n.doubles);
  float *f = (float *)(chosen + n.words);
  /* all ones is NaN; skin is zero, as the daemon begins */
  memset(d, 0xff, n.doubles * 8);
  memset(chosen, 0, n.words * 8 + n.floats * 4 + n.cells);
  reader->joints = (struct joints_reading){.q = d, .dq = d + joints, .tau = d + 2 * joints};
  reader->skin = (struct skin_reading){.n_cells = n.cells,
                                       .acceleration = f,
                                       .proximity = f + 3 * n.cells,
                                       .force = f + 4 * n.cells,
                                       .flags = (uint8_t *)(f + 5 * n.cells)};
  struct recorded_cycle *cycle = &reader->cycle;
  cycle->chosen = chosen;
  cycle->result = &reader->result;
  cycle->frame.joints.q = reader->joints.q;
  memset(&cycle->frame.imu.specific_force, 0xff, sizeof(vec3));
  memset(&cycle->frame.imu.angular_rate, 0xff, sizeof(vec3));
  memset(&cycle->frame.imu.orientation, 0xff, sizeof(quat));
  cycle->frame.imu.n_limbs = count[PROPRIOD_SHM_IMU] > 0 ? count[PROPRIOD_SHM_IMU] - 1 : 0;
  cycle->frame.imu.limb = reader->limb;
  memset(reader->limb, 0xff, sizeof(reader->limb));
  cycle->frame.skin.n_cells = n.cells;
  cycle->frame.skin.acceleration = reader->skin.acceleration;
  cycle->frame.skin.flags = reader->skin.flags;
  cycle->frame.wrench.n_sensors = count[PROPRIOD_SHM_WRENCH];
  cycle->frame.wrench.wrench = (struct force *)(void *)(d + 3 * joints);
}

void cycle_reader_free(struct cycle_reader *reader) {
  free(reader->memory);
  *reader = (struct cycle_reader){.memory = NULL};
}

void cycle_reader_begin(struct cycle_reader *reader) {
  memset(reader->next, 0, sizeof(reader->next));
}

/* The next row of a column, or NULL. */
static const void *next_row(struct cycle_reader *reader, const struct cycle_block *block,
                            unsigned what) {
  const struct block_column *column = &block->column[what];
  return reader->next[what] < column->n_rows
             ? column->row + reader->next[what]++ * row_bytes(column)
             : NULL;
}

static bool take(struct cycle_reader *reader, const struct cycle_block *block, unsigned what,
                 void *numbers) {
  const void *row = next_row(reader, block, what);
  if (row != NULL) {
    memcpy(numbers, row, row_bytes(&block->column[what]));
  }
  return row != NULL;
}

/* An optional array: `shown` is it when the block has it. */
#define TAKE_OPTIONAL(what, numbers, shown)                                                        \
  (shown) = take(reader, block, what, numbers) ? (numbers) : NULL

static void take_imu(struct cycle_reader *reader, const struct cycle_block *block) {
  struct imu_reading *imu = &reader->cycle.frame.imu;
  double rates[6 * PROPRIOD_SHM_MAX_IMUS], orientation[4];
  if (take(reader, block, COLUMN_IMU, rates)) {
    imu->specific_force = vec3_from(rates);
    imu->angular_rate = vec3_from(rates + 3);
    for (size_t k = 0; k < imu->n_limbs; k++) {
      const double *limb = rates + 6 * (k + 1);
      reader->limb[k] = (struct imu_triads){vec3_from(limb), vec3_from(limb + 3)};
    }
  }
  imu->has_orientation = take(reader, block, COLUMN_ORIENTATION, orientation);
  if (imu->has_orientation) {
    imu->orientation = (quat){orientation[0], orientation[1], orientation[2], orientation[3]};
  }
}

static void take_arrays(struct cycle_reader *reader, const struct cycle_block *block,
                        unsigned kind) {
  struct sensor_frame *frame = &reader->cycle.frame;
  switch (kind) {
  case PROPRIOD_SHM_JOINTS:
    take(reader, block, COLUMN_Q, reader->joints.q);
    TAKE_OPTIONAL(COLUMN_DQ, reader->joints.dq, frame->joints.dq);
    TAKE_OPTIONAL(COLUMN_TAU, reader->joints.tau, frame->joints.tau);
    break;
  case PROPRIOD_SHM_IMU:
    take_imu(reader, block);
    break;
  case PROPRIOD_SHM_SKIN:
    take(reader, block, COLUMN_SKIN, reader->skin.acceleration);
    take(reader, block, COLUMN_FLAGS, reader->skin.flags);
    TAKE_OPTIONAL(COLUMN_PROXIMITY, reader->skin.proximity, frame->skin.proximity);
    TAKE_OPTIONAL(COLUMN_FORCE, reader->skin.force, frame->skin.force);
    break;
  default:
    take(reader, block, COLUMN_WRENCH, frame->wrench.wrench);
    break;
  }
}

static bool take_stream(struct cycle_reader *reader, const struct cycle_block *block,
                        unsigned kind) {
  struct stream_stamp *stamp = recorded_stamp(&reader->cycle.frame, kind);
  int64_t stamps[3];
  if (!take(reader, block, COLUMN_STAMP + kind, stamps)) {
    return false;
  }
  stamp->seq = (uint64_t)stamps[0];
  stamp->t_ns = stamps[1];
  reader->cycle.arrival_ns[kind] = stamps[2];
  take_arrays(reader, block, kind);
  return true;
}

/* What is used as an index is one. */
static bool makes_sense(const struct estimates *result) {
  const struct inertia_estimate *inertia = &result->inertia;
  return result->centroidal.n_feet <= PROPRIOD_MAX_FEET &&
         (unsigned)inertia->status <= PROPRIOD_STATUS_STALE &&
         inertia->result.n_links <= INERTIAL_MAX_LINKS;
}

/* What was published; not there when it is of another version's structs. */
static void take_result(struct cycle_reader *reader, const struct cycle_block *block) {
  const size_t n = block->count[PROPRIOD_SHM_JOINTS];
  const unsigned char *row = next_row(reader, block, COLUMN_STATE);
  if (row == NULL || !take(reader, block, COLUMN_CENTROIDAL, &reader->result.centroidal) ||
      (!take(reader, block, COLUMN_INERTIA, &reader->result.inertia) &&
       !is_left_out(block, COLUMN_INERTIA))) {
    reader->cycle.flags &= ~CYCLE_HAS_RESULT;
    return;
  }
  if (!makes_sense(&reader->result)) {
    reader->cycle.flags &= ~CYCLE_HAS_RESULT;
    return;
  }
  unsigned char *state = (unsigned char *)&reader->result.state;
  memcpy(state, row, PROPRIOD_STATE_HEAD_BYTES);
  for (size_t a = 0; a < PROPRIOD_STATE_ARRAYS; a++) {
    memcpy(state + PROPRIOD_STATE_HEAD_BYTES + a * PROPRIOD_MAX_JOINTS * 8,
           row + PROPRIOD_STATE_HEAD_BYTES + a * n * 8, n * 8);
  }
  reader->result.state.n_joints = n;
}

enum status cycle_reader_next(struct cycle_reader *reader, const struct cycle_block *block) {
  struct recorded_cycle *cycle = &reader->cycle;
  uint64_t row[4];
  if (!take(reader, block, COLUMN_CYCLE, row)) {
    return STATUS_OUT_OF_RANGE;
  }
  cycle->frame.t_ns = (int64_t)row[0];
  cycle->woken_ns = (int64_t)row[1];
  cycle->flags = (uint32_t)(row[2] >> 16 & 0xffff);
  cycle->generation = (uint32_t)(row[2] >> 32);
  cycle->lost = row[3];
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    struct stream_stamp *stamp = recorded_stamp(&cycle->frame, kind);
    stamp->present = (row[2] >> kind & 1) != 0;
    stamp->fresh = (row[2] >> 8 >> kind & 1) != 0;
    if (stamp->fresh && !take_stream(reader, block, kind)) {
      return STATUS_REFUSED;
    }
  }
  if (((cycle->flags & CYCLE_HAS_DIGEST) != 0 &&
       !take(reader, block, COLUMN_DIGEST, &cycle->digest)) ||
      ((cycle->flags & CYCLE_CHOSE) != 0 &&
       !take(reader, block, COLUMN_CHOSEN, (uint64_t *)(uintptr_t)cycle->chosen))) {
    return STATUS_REFUSED;
  }
  if ((cycle->flags & CYCLE_HAS_RESULT) != 0) {
    take_result(reader, block);
  }
  return STATUS_OK;
}
