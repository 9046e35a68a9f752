#include "recording/cycle_block.h"

#include "common/loose_pages.h"
#include "recording/column.h"
#include "recording/counts.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLE_ELEMENTS = 4, STAMP_ELEMENTS = 3, ALIGN = 64 };

static const size_t state_head_words = PROPRIOD_STATE_HEAD_BYTES / 8;

void cycle_block_describe(struct block_column column[CYCLE_COLUMNS],
                          const uint32_t count[PROPRIOD_SHM_STREAMS]) {
  const size_t n = count[PROPRIOD_SHM_JOINTS], cells = count[PROPRIOD_SHM_SKIN];
  const size_t imu = count[PROPRIOD_SHM_IMU], wrenches = count[PROPRIOD_SHM_WRENCH];
  const struct {
    size_t width, elements;
  } list[CYCLE_COLUMNS] = {
      [COLUMN_CYCLE] = {8, CYCLE_ELEMENTS},
      [COLUMN_DIGEST] = {8, 1},
      [COLUMN_CHOSEN] = {8, (cells + 63) / 64},
      [COLUMN_STATE] = {8, state_head_words + PROPRIOD_STATE_ARRAYS * n},
      [COLUMN_CENTROIDAL] = {8, sizeof(struct propriod_centroidal) / 8},
      [COLUMN_INERTIA] = {1, sizeof(struct inertia_estimate)},
      [COLUMN_Q] = {8, n},
      [COLUMN_DQ] = {8, n},
      [COLUMN_TAU] = {8, n},
      [COLUMN_IMU] = {8, 6 * imu},
      [COLUMN_ORIENTATION] = {8, imu > 0 ? 4 : 0},
      [COLUMN_SKIN] = {4, 3 * cells},
      [COLUMN_FLAGS] = {1, cells},
      [COLUMN_PROXIMITY] = {4, cells},
      [COLUMN_FORCE] = {4, cells},
      [COLUMN_WRENCH] = {8, 6 * wrenches},
  };
  for (int c = 0; c < CYCLE_COLUMNS; c++) {
    column[c] = (struct block_column){.width = list[c].width, .elements = list[c].elements};
  }
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    column[COLUMN_STAMP + kind].width = 8;
    column[COLUMN_STAMP + kind].elements = count[kind] > 0 ? STAMP_ELEMENTS : 0;
  }
}

static size_t row_bytes(const struct block_column *column) {
  return column->width * column->elements;
}

static size_t aligned(size_t bytes) {
  return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static const size_t heads_bytes = 8 + CYCLE_COLUMNS * sizeof(struct column_head);

/* Converters of a column: those of the skin are alike, elsewhere each number has its own. */
static size_t converters_of(unsigned what, const struct block_column *column) {
  switch (what) {
  case COLUMN_Q:
  case COLUMN_DQ:
  case COLUMN_TAU:
  case COLUMN_IMU:
  case COLUMN_WRENCH:
    return column->elements;
  case COLUMN_ORIENTATION:
  case COLUMN_SKIN:
  case COLUMN_PROXIMITY:
  case COLUMN_FORCE:
    return 1;
  default:
    return 0;
  }
}

/* -- writing ---------------------------------------------------------------------------------- */

enum status cycle_block_init(struct cycle_block *block, const uint32_t count[PROPRIOD_SHM_STREAMS],
                             size_t max_cycles, size_t max_bytes) {
  struct cycle_block made = {.memory = NULL};
  memcpy(made.count, count, sizeof(made.count));
  cycle_block_describe(made.column, count);
  size_t bytes = 0, packed = heads_bytes, scratch = 0, converters = 0;
  for (int c = 0; c < CYCLE_COLUMNS; c++) {
    struct block_column *column = &made.column[c];
    const size_t row = row_bytes(column), most = row > 0 ? max_bytes / row + 1 : 0;
    column->capacity = most < max_cycles ? most : max_cycles;
    bytes += aligned(column->capacity * row);
    column->n_converters = converters_of((unsigned)c, column);
    converters += column->n_converters;
    packed += column->capacity * row + counts_overhead(column->n_converters);
    const size_t more = counts_scratch(column->capacity, column->elements, column->width);
    scratch = column->n_converters > 0 && more > scratch ? more : scratch;
  }
  /* rows, payload, what becomes of one column on its way, and what is known of converters */
  made.pages_size =
      bytes + aligned(packed) + aligned(scratch) + converters * sizeof(struct converter);
  made.memory = loose_pages_take(made.pages_size);
  if (made.memory == NULL) {
    return STATUS_NO_MEMORY;
  }
  unsigned char *place = made.memory;
  for (int c = 0; c < CYCLE_COLUMNS; c++) {
    made.column[c].row = place;
    place += aligned(made.column[c].capacity * row_bytes(&made.column[c]));
  }
  made.packed = place;
  made.scratch = place + aligned(packed);
  struct converter *converter = (struct converter *)(void *)(made.scratch + aligned(scratch));
  for (int c = 0; c < CYCLE_COLUMNS; c++) {
    made.column[c].converter = converter;
    converter += made.column[c].n_converters;
  }
  *block = made;
  return STATUS_OK;
}

void cycle_block_free(struct cycle_block *block) {
  if (block->pages_size > 0) {
    loose_pages_free(block->memory, block->pages_size);
  } else {
    free(block->memory);
  }
  *block = (struct cycle_block){.memory = NULL};
}

/* The optional arrays that a frame has, PROPRIOD_SHM_*. */
static uint32_t fields_of(const struct sensor_frame *frame, unsigned kind) {
  switch (kind) {
  case PROPRIOD_SHM_JOINTS:
    return (frame->joints.dq != NULL ? PROPRIOD_SHM_VELOCITY : 0) |
           (frame->joints.tau != NULL ? PROPRIOD_SHM_EFFORT : 0);
  case PROPRIOD_SHM_IMU:
    return frame->imu.has_orientation ? PROPRIOD_SHM_ORIENTATION : 0;
  case PROPRIOD_SHM_SKIN:
    return (frame->skin.proximity != NULL ? PROPRIOD_SHM_PROXIMITY : 0) |
           (frame->skin.force != NULL ? PROPRIOD_SHM_FORCE : 0);
  default:
    return 0;
  }
}

static bool is_fresh(const struct sensor_frame *frame, unsigned kind) {
  struct sensor_frame *stamped = (struct sensor_frame *)(uintptr_t)frame; /* only read */
  return recorded_stamp(stamped, kind)->fresh;
}

size_t cycle_block_cycles(const struct cycle_block *block) {
  return block->column[COLUMN_CYCLE].n_rows;
}

/* Room for another row in every column that the robot has. */
static bool has_room(const struct cycle_block *block) {
  for (int c = 0; c < CYCLE_COLUMNS; c++) {
    const struct block_column *column = &block->column[c];
    if (column->elements > 0 && column->n_rows == column->capacity) {
      return false;
    }
  }
  return true;
}

bool cycle_block_fits(const struct cycle_block *block, const struct recorded_cycle *cycle) {
  if (!has_room(block)) {
    return false;
  }
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (is_fresh(&cycle->frame, kind) && block->column[COLUMN_STAMP + kind].n_rows > 0 &&
        block->fields[kind] != fields_of(&cycle->frame, kind)) {
      return false;
    }
  }
  return true;
}

/* The place of a new row. */
static unsigned char *new_row(struct cycle_block *block, unsigned column) {
  struct block_column *c = &block->column[column];
  return c->row + c->n_rows++ * row_bytes(c);
}

static void add(struct cycle_block *block, unsigned column, const void *numbers) {
  memcpy(new_row(block, column), numbers, row_bytes(&block->column[column]));
}

static void add_if(struct cycle_block *block, unsigned column, const void *numbers) {
  if (numbers != NULL) {
    add(block, column, numbers);
  }
}

static void add_imu(struct cycle_block *block, const struct imu_reading *imu) {
  double rates[6 * PROPRIOD_SHM_MAX_IMUS];
  vec3_to(imu->specific_force, rates);
  vec3_to(imu->angular_rate, rates + 3);
  for (size_t k = 0; k < imu->n_limbs && k + 1 < PROPRIOD_SHM_MAX_IMUS; k++) {
    vec3_to(imu->limb[k].specific_force, rates + 6 * (k + 1));
    vec3_to(imu->limb[k].angular_rate, rates + 6 * (k + 1) + 3);
  }
  const double orientation[] = {imu->orientation.x, imu->orientation.y, imu->orientation.z,
                                imu->orientation.w};
  add(block, COLUMN_IMU, rates);
  if (imu->has_orientation) {
    add(block, COLUMN_ORIENTATION, orientation);
  }
}

static void add_skin(struct cycle_block *block, const struct skin_reading *skin) {
  add(block, COLUMN_SKIN, skin->acceleration);
  add(block, COLUMN_FLAGS, skin->flags);
  add_if(block, COLUMN_PROXIMITY, skin->proximity);
  add_if(block, COLUMN_FORCE, skin->force);
}

static void add_stream(struct cycle_block *block, unsigned kind,
                       const struct recorded_cycle *cycle) {
  struct sensor_frame frame = cycle->frame;
  const struct stream_stamp *stamp = recorded_stamp(&frame, kind);
  const int64_t stamps[STAMP_ELEMENTS] = {(int64_t)stamp->seq, stamp->t_ns,
                                          cycle->arrival_ns[kind]};
  block->fields[kind] = fields_of(&frame, kind);
  add(block, COLUMN_STAMP + kind, stamps);
  switch (kind) {
  case PROPRIOD_SHM_JOINTS:
    add(block, COLUMN_Q, frame.joints.q);
    add_if(block, COLUMN_DQ, frame.joints.dq);
    add_if(block, COLUMN_TAU, frame.joints.tau);
    break;
  case PROPRIOD_SHM_IMU:
    add_imu(block, &frame.imu);
    break;
  case PROPRIOD_SHM_SKIN:
    add_skin(block, &frame.skin);
    break;
  default:
    add(block, COLUMN_WRENCH, frame.wrench.wrench);
    break;
  }
}

/* Of the state's arrays the joints in use. */
static void add_result(struct cycle_block *block, const struct estimates *result) {
  const size_t n = block->count[PROPRIOD_SHM_JOINTS];
  unsigned char *row = new_row(block, COLUMN_STATE);
  const unsigned char *state = (const unsigned char *)&result->state;
  memcpy(row, state, PROPRIOD_STATE_HEAD_BYTES);
  for (size_t a = 0; a < PROPRIOD_STATE_ARRAYS; a++) {
    memcpy(row + PROPRIOD_STATE_HEAD_BYTES + a * n * 8,
           state + PROPRIOD_STATE_HEAD_BYTES + a * PROPRIOD_MAX_JOINTS * 8, n * 8);
  }
  add(block, COLUMN_CENTROIDAL, &result->centroidal);
  add(block, COLUMN_INERTIA, &result->inertia);
}

void cycle_block_add(struct cycle_block *block, const struct recorded_cycle *cycle) {
  struct sensor_frame frame = cycle->frame;
  uint64_t bits = (uint64_t)cycle->flags << 16 | (uint64_t)cycle->generation << 32;
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    const struct stream_stamp *stamp = recorded_stamp(&frame, kind);
    const bool has = block->count[kind] > 0;
    bits |= (uint64_t)(stamp->present && has) << kind | (uint64_t)(stamp->fresh && has)
                                                            << kind << 8;
    if (stamp->fresh && has) {
      add_stream(block, kind, cycle);
    }
  }
  const uint64_t row[CYCLE_ELEMENTS] = {(uint64_t)frame.t_ns, (uint64_t)cycle->woken_ns, bits,
                                        cycle->lost};
  block->first_ns = cycle_block_cycles(block) == 0 ? frame.t_ns : block->first_ns;
  block->last_ns = frame.t_ns;
  add(block, COLUMN_CYCLE, row);
  if ((cycle->flags & CYCLE_HAS_DIGEST) != 0) {
    add(block, COLUMN_DIGEST, &cycle->digest);
  }
  if ((cycle->flags & CYCLE_CHOSE) != 0) {
    add(block, COLUMN_CHOSEN, cycle->chosen);
  }
  if ((cycle->flags & CYCLE_HAS_RESULT) != 0) {
    add_result(block, cycle->result);
  }
}

size_t cycle_block_bytes(const struct cycle_block *block) {
  size_t bytes = 0;
  for (int c = 0; c < CYCLE_COLUMNS; c++) {
    bytes += block->column[c].n_rows * row_bytes(&block->column[c]);
  }
  return bytes;
}

/* Writes a column as counts of its steps; the end of it, or NULL: it is no such column. */
static unsigned char *pack_counts(const struct cycle_block *block, struct column_head *head,
                                  unsigned char *place) {
  const struct block_column *column = &block->column[head->what];
  const struct counted_column counted = {column->row,   column->n_rows,    column->elements,
                                         column->width, column->converter, column->n_converters};
  enum column_coding coding;
  unsigned char *end = counts_pack(&counted, block->scratch, place, &coding);
  head->coding = end != NULL ? (uint8_t)coding : COLUMN_PATTERNS;
  return end;
}

static unsigned char *pack_column(struct cycle_block *block, struct column_head *head,
                                  unsigned char *place) {
  const struct block_column *column = &block->column[head->what];
  unsigned char *end = column->n_converters > 0 ? pack_counts(block, head, place) : NULL;
  if (end != NULL) {
    return end;
  }
  column_pack(column->row, column->n_rows, column->elements, column->width, place);
  return place + column->n_rows * row_bytes(column);
}

const unsigned char *cycle_block_pack(struct cycle_block *block, size_t *size) {
  uint32_t counts[2] = {0, 0};
  struct column_head head[CYCLE_COLUMNS];
  for (int c = 0; c < CYCLE_COLUMNS; c++) {
    const struct block_column *column = &block->column[c];
    if (column->n_rows > 0) {
      head[counts[0]++] = (struct column_head){.what = (uint16_t)c,
                                               .width = (uint8_t)column->width,
                                               .elements = (uint32_t)column->elements,
                                               .rows = (uint32_t)column->n_rows};
    }
  }
  unsigned char *const heads = block->packed + sizeof(counts);
  unsigned char *place = heads + counts[0] * sizeof(head[0]);
  for (uint32_t i = 0; i < counts[0]; i++) {
    place = pack_column(block, &head[i], place);
  }
  memcpy(block->packed, counts, sizeof(counts));
  memcpy(heads, head, counts[0] * sizeof(head[0]));
  *size = (size_t)(place - block->packed);
  return block->packed;
}

void cycle_block_clear(struct cycle_block *block) {
  for (int c = 0; c < CYCLE_COLUMNS; c++) {
    block->column[c].n_rows = 0;
  }
}
