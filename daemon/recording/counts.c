#include "recording/counts.h"

#include "recording/column.h"
#include "recording/quantum.h"

#include <stdlib.h>
#include <string.h>

enum {
  PATIENCE = 40, /* blocks, the longest wait before a step is looked for again: ten seconds */
  MOST_EXCEPTIONS = 16, /* one number in so many may be no product */
  LEAST_NUMBERS = 32,   /* of a converter in a block, worth the trouble */
  ALIGN = 64
};

static size_t aligned(size_t bytes) {
  return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* What packing has on its way: counts of all numbers, numbers or counts side by side, exceptions,
 * and the numbers and counts of one converter. */
struct desk {
  int32_t *counts;
  unsigned char *beside, *exceptions, *own;
  int32_t *own_counts;
};

static size_t lay_desk(struct desk *desk, unsigned char *scratch, size_t rows, size_t elements,
                       size_t width) {
  const size_t n = rows * elements;
  const size_t beside = aligned(n * sizeof(int32_t)), exceptions = beside + aligned(n * width);
  const size_t own = exceptions + aligned(n / MOST_EXCEPTIONS * width);
  const size_t own_counts = own + aligned(rows * width);
  if (scratch != NULL) {
    *desk = (struct desk){.counts = (int32_t *)(void *)scratch,
                          .beside = scratch + beside,
                          .exceptions = scratch + exceptions,
                          .own = scratch + own,
                          .own_counts = (int32_t *)(void *)(scratch + own_counts)};
  }
  return own_counts + aligned(rows * sizeof(int32_t));
}

size_t counts_scratch(size_t rows, size_t elements, size_t width) {
  return lay_desk(NULL, NULL, rows, elements, width);
}

size_t counts_overhead(size_t elements) {
  return sizeof(struct counts_head) + elements * sizeof(double);
}

/* -- packing ---------------------------------------------------------------------------------- */

/* Looks for a step, seldom where there is none. */
static void look_for_step(struct converter *converter, const unsigned char *numbers, size_t rows,
                          size_t elements, size_t width) {
  if (converter->step > 0.0) {
    return;
  }
  if (converter->wait > 0) {
    converter->wait--;
    return;
  }
  converter->step = quantum_find(numbers, rows, elements, width);
  if (converter->step <= 0.0) {
    converter->wait = converter->patience;
    converter->patience =
        converter->patience < PATIENCE / 2 ? (uint8_t)(2 * converter->patience + 1) : PATIENCE;
  }
}

/* The counts of one converter's numbers; false, and nothing is known of it: they are none. */
static bool count(struct converter *converter, const unsigned char *numbers, size_t rows,
                  size_t elements, size_t width, int32_t *counts, unsigned char *exceptions,
                  size_t *n_exceptions) {
  const size_t n = rows * elements;
  *n_exceptions = 0;
  if (n < LEAST_NUMBERS) {
    return false;
  }
  look_for_step(converter, numbers, rows, elements, width);
  if (converter->step > 0.0 && quantum_split(numbers, n, width, converter->step, counts, exceptions,
                                             n / MOST_EXCEPTIONS, n_exceptions)) {
    converter->patience = 0;
    return true;
  }
  converter->step = 0.0;
  return false;
}

/* Writes counts, packed, and exceptions; their end. */
static unsigned char *write_counts(const struct counts_head *head, const void *counts, size_t rows,
                                   size_t elements, const unsigned char *exceptions, size_t width,
                                   unsigned char *place) {
  column_pack(counts, rows, elements, sizeof(int32_t), place);
  place += rows * elements * sizeof(int32_t);
  memcpy(place, exceptions, head->n_exceptions * width);
  return place + head->n_exceptions * width;
}

static unsigned char *pack_alike(const struct counted_column *column, const struct desk *desk,
                                 unsigned char *place) {
  size_t n_exceptions;
  if (!count(column->converter, column->number, column->rows, column->elements, column->width,
             desk->counts, desk->exceptions, &n_exceptions)) {
    return NULL;
  }
  const struct counts_head head = {.step = column->converter->step,
                                   .n_exceptions = (uint32_t)n_exceptions};
  memcpy(place, &head, sizeof(head));
  return write_counts(&head, desk->counts, column->rows, column->elements, desk->exceptions,
                      column->width, place + sizeof(head));
}

/* Every `stride`th number of `width` bytes, and back. */
static void gather(const void *from, size_t rows, size_t stride, size_t width, void *to) {
  for (size_t r = 0; r < rows; r++) {
    memcpy((char *)to + r * width, (const char *)from + r * stride, width);
  }
}

static void scatter(const void *from, size_t rows, size_t stride, size_t width, void *to) {
  for (size_t r = 0; r < rows; r++) {
    memcpy((char *)to + r * stride, (const char *)from + r * width, width);
  }
}

/* Counts each element by its own converter; how many elements have a step. */
static size_t count_each(const struct counted_column *column, const struct desk *desk,
                         size_t *n_exceptions) {
  const size_t rows = column->rows, width = column->width, word = sizeof(int32_t);
  size_t counted = 0, more;
  *n_exceptions = 0;
  for (size_t e = 0; e < column->elements; e++) {
    gather(column->number + e * width, rows, column->elements * width, width, desk->own);
    if (count(&column->converter[e], desk->own, rows, 1, width, desk->own_counts,
              desk->exceptions + *n_exceptions * width, &more)) {
      scatter(desk->own_counts, rows, column->elements * word, word, desk->counts + e);
      *n_exceptions += more;
      counted++;
    }
  }
  return counted;
}

/* The numbers of `width` bytes whose element has a step, or has none, side by side. */
static void select_elements(const struct counted_column *column, const void *from, size_t width,
                            bool with_step, unsigned char *to) {
  for (size_t r = 0; r < column->rows; r++) {
    for (size_t e = 0; e < column->elements; e++) {
      if ((column->converter[e].step > 0.0) == with_step) {
        memcpy(to, (const char *)from + (r * column->elements + e) * width, width);
        to += width;
      }
    }
  }
}

static unsigned char *pack_each(const struct counted_column *column, const struct desk *desk,
                                unsigned char *place) {
  size_t n_exceptions;
  const size_t counted = count_each(column, desk, &n_exceptions);
  if (counted == 0) {
    return NULL;
  }
  const struct counts_head head = {.n_exceptions = (uint32_t)n_exceptions};
  memcpy(place, &head, sizeof(head));
  place += sizeof(head);
  for (size_t e = 0; e < column->elements; e++) {
    memcpy(place + e * sizeof(double), &column->converter[e].step, sizeof(double));
  }
  place += column->elements * sizeof(double);
  select_elements(column, desk->counts, sizeof(int32_t), true, desk->beside);
  place = write_counts(&head, desk->beside, column->rows, counted, desk->exceptions, column->width,
                       place);
  const size_t others = column->elements - counted;
  select_elements(column, column->number, column->width, false, desk->beside);
  column_pack(desk->beside, column->rows, others, column->width, place);
  return place + column->rows * others * column->width;
}

unsigned char *counts_pack(const struct counted_column *column, unsigned char *scratch,
                           unsigned char *place, enum column_coding *coding) {
  struct desk desk = {NULL};
  lay_desk(&desk, scratch, column->rows, column->elements, column->width);
  const bool alike = column->n_converters == 1;
  *coding = alike ? COLUMN_COUNTS : COLUMN_STEPS;
  return alike ? pack_alike(column, &desk, place) : pack_each(column, &desk, place);
}

/* -- unpacking -------------------------------------------------------------------------------- */

/* What is left of a payload; NULL at its end, once more was asked for than there is. */
struct rest {
  const unsigned char *at;
  size_t left;
};

static const unsigned char *take(struct rest *rest, size_t n, size_t width) {
  const unsigned char *at = rest->at;
  if (at == NULL || (width > 0 && n > rest->left / width)) {
    rest->at = NULL;
    return NULL;
  }
  rest->at += n * width;
  rest->left -= n * width;
  return at;
}

/* A count takes four bytes, whatever it stands for. */
static bool is_possible(size_t left, size_t rows, size_t elements, size_t width) {
  return (width == 4 || width == 8) && elements > 0 && rows <= left / sizeof(int32_t) / elements;
}

/* Counts as they once were written, in which -0.0 was no neighbour of zero. */
static void renew_counts(int32_t *counts, size_t n) {
  for (size_t i = 0; i < n; i++) {
    counts[i] = counts[i] == INT32_MIN       ? -1
                : counts[i] == INT32_MIN + 1 ? QUANTUM_EXCEPTION
                                             : counts[i] - (counts[i] < 0);
  }
}

static bool unpack_alike(enum column_coding coding, struct rest *rest, size_t n_rows,
                         size_t elements, size_t width, unsigned char *place) {
  struct counts_head head;
  const size_t n = n_rows * elements;
  const unsigned char *at = take(rest, 1, sizeof(head));
  if (at == NULL) {
    return false;
  }
  memcpy(&head, at, sizeof(head));
  const unsigned char *packed = take(rest, n, sizeof(int32_t));
  const unsigned char *exceptions = take(rest, head.n_exceptions, width);
  int32_t *counts = exceptions != NULL ? malloc(n * sizeof(*counts) + 1) : NULL;
  if (counts == NULL) {
    return false;
  }
  column_unpack(packed, n_rows, elements, sizeof(*counts), (unsigned char *)counts);
  if (coding == COLUMN_OLDER_COUNTS) {
    renew_counts(counts, n);
  }
  const bool joined =
      quantum_join(counts, n, width, head.step, exceptions, head.n_exceptions, place);
  free(counts);
  return joined;
}

/* The exceptions among the counts of one converter. */
static size_t exceptions_of(const int32_t *counts, size_t rows) {
  size_t n = 0;
  for (size_t r = 0; r < rows; r++) {
    n += counts[r] == QUANTUM_EXCEPTION;
  }
  return n;
}

/* Elements side by side, back to their places: of a step from counts, without from numbers. `own`
 * has room for one converter's numbers and counts. */
static bool join_each(const double *step, const unsigned char *counts, size_t counted,
                      struct rest exceptions, const unsigned char *others, size_t rows,
                      size_t elements, size_t width, unsigned char *own, unsigned char *place) {
  const size_t word = sizeof(int32_t);
  int32_t *own_counts = (int32_t *)(void *)(own + rows * width);
  size_t c = 0, o = 0;
  for (size_t e = 0; e < elements; e++) {
    if (step[e] > 0.0) {
      gather(counts + c++ * word, rows, counted * word, word, own_counts);
      const size_t n = exceptions_of(own_counts, rows);
      const unsigned char *at = take(&exceptions, n, width);
      if (at == NULL || !quantum_join(own_counts, rows, width, step[e], at, n, own)) {
        return false;
      }
    } else {
      gather(others + o++ * width, rows, (elements - counted) * width, width, own);
    }
    scatter(own, rows, elements * width, width, place + e * width);
  }
  return exceptions.left == 0;
}

/* How many of `elements` steps, as they lie at `steps`, are there. */
static size_t with_step(const unsigned char *steps, size_t elements) {
  size_t counted = 0;
  for (size_t e = 0; e < elements; e++) {
    double step;
    memcpy(&step, steps + e * sizeof(step), sizeof(step));
    counted += step > 0.0;
  }
  return counted;
}

static bool unpack_each(struct rest *rest, size_t rows, size_t elements, size_t width,
                        unsigned char *place) {
  struct counts_head head;
  const unsigned char *at = take(rest, 1, sizeof(head));
  const unsigned char *steps = take(rest, elements, sizeof(double));
  const size_t n = rows * elements;
  unsigned char *memory =
      steps != NULL ? malloc(n * width + rows * (width + sizeof(int32_t)) + elements * 8 + 8)
                    : NULL;
  if (memory == NULL) {
    return false;
  }
  double *step = (double *)(void *)memory;
  unsigned char *beside = memory + elements * sizeof(double), *own = beside + n * width;
  const size_t counted = with_step(steps, elements);
  memcpy(&head, at, sizeof(head));
  memcpy(step, steps, elements * sizeof(double));
  const unsigned char *counts = take(rest, rows * counted, sizeof(int32_t));
  const unsigned char *exceptions = take(rest, head.n_exceptions, width);
  const unsigned char *others = take(rest, rows * (elements - counted), width);
  bool whole = others != NULL;
  if (whole) {
    unsigned char *side = beside + rows * counted * sizeof(int32_t);
    column_unpack(counts, rows, counted, sizeof(int32_t), beside);
    column_unpack(others, rows, elements - counted, width, side);
    whole = join_each(step, beside, counted, (struct rest){exceptions, head.n_exceptions * width},
                      side, rows, elements, width, own, place);
  }
  free(memory);
  return whole;
}

size_t counts_size(enum column_coding coding, const unsigned char *packed, size_t left, size_t rows,
                   size_t elements, size_t width) {
  struct rest rest = {packed, left};
  struct counts_head head;
  size_t counted = elements;
  const unsigned char *at = take(&rest, 1, sizeof(head));
  if (!is_possible(left, rows, elements, width) || at == NULL) {
    return 0;
  }
  memcpy(&head, at, sizeof(head));
  if (coding == COLUMN_STEPS) {
    const unsigned char *steps = take(&rest, elements, sizeof(double));
    counted = steps != NULL ? with_step(steps, elements) : 0;
  }
  take(&rest, rows * counted, sizeof(int32_t));
  take(&rest, head.n_exceptions, width);
  return take(&rest, rows * (elements - counted), width) != NULL ? left - rest.left : 0;
}

size_t counts_unpack(enum column_coding coding, const unsigned char *packed, size_t left,
                     size_t rows, size_t elements, size_t width, unsigned char *place) {
  struct rest rest = {packed, left};
  if (!is_possible(left, rows, elements, width)) {
    return 0;
  }
  const bool whole = coding == COLUMN_STEPS
                         ? unpack_each(&rest, rows, elements, width, place)
                         : unpack_alike(coding, &rest, rows, elements, width, place);
  return whole ? left - rest.left : 0;
}
