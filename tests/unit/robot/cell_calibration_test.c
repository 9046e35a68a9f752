#include "robot/cell_calibration.h"

#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#define HEADER "cell,m11,m12,m13,m21,m22,m23,m31,m32,m33,bx,by,bz\n"

static const struct skin_cell cell[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};

static enum status read_table(const char *text, struct accelerometer_calibration **out,
                              struct message *error) {
  struct arena arena = {0};
  *out = NULL;
  const enum status counted =
      cell_calibration_read(text, strlen(text), cell, 3, &arena, out, error);
  if (counted != STATUS_OK) {
    return counted;
  }
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  return cell_calibration_read(text, strlen(text), cell, 3, &arena, out, error);
}

START_TEST(a_table_that_was_printed_reads_back_and_cells_without_a_line_stay_as_they_are) {
  const struct accelerometer_calibration c = {
      {{{1.01, 0.02, -0.03}, {0.0, 0.98, 0.01}, {0.005, -0.04, 1.0}}}, {0.1, -0.25, 0.7}};
  char text[1024], line[512];
  struct message error;
  struct accelerometer_calibration *read;
  strcpy(text, cell_calibration_header);
  ck_assert_int_lt(cell_calibration_print("b", &c, line, sizeof(line)), (int)sizeof(line));
  strcat(text, line);
  ck_assert_int_eq(read_table(text, &read, &error), STATUS_OK);
  for (int r = 0; r < 3; r++) {
    for (int k = 0; k < 3; k++) {
      assert_near(read[1].M.m[r][k], c.M.m[r][k], 1e-8);
      ck_assert_double_eq(read[0].M.m[r][k], MAT3_IDENTITY.m[r][k]);
    }
  }
  assert_near(read[1].b.z, 0.7, 1e-8);
  const float raw[9] = {1, 2, 3, 1, 2, 3, -1, -1, -1};
  float calibrated[9];
  cell_calibration_apply(read, 3, raw, calibrated);
  const vec3 expected = accelerometer_apply(&c, (vec3){1.0, 2.0, 3.0});
  assert_near(calibrated[3], expected.x, 1e-6);
  assert_near(calibrated[5], expected.z, 1e-6);
  ck_assert_mem_eq(calibrated, raw, 3 * sizeof(float));
  ck_assert_mem_eq(calibrated + 6, raw + 6, 3 * sizeof(float)); /* a dead bus stays recognisable */
}
END_TEST

START_TEST(every_bad_table_is_refused_with_line_column_value_and_limit) {
  static const struct {
    const char *text, *complaint;
    enum status status;
  } bad[] = {
      {"", "1: empty: a header and at least one cell are needed", STATUS_TOO_FEW},
      {"cell,m11\na,1\n",
       "1: fewer than 13 columns: cell,m11,m12,m13,m21,m22,m23,m31,m32,m33,bx,by,bz",
       STATUS_BAD_ARGUMENT},
      {HEADER "d,1,0,0,0,1,0,0,0,1,0,0,0\n", "2: cell: 'd' is no skin cell of the robot",
       STATUS_BAD_ARGUMENT},
      {HEADER "a,1,0,0,0,1,0,0,0,1,0,0,0\na,1,0,0,0,1,0,0,0,1,0,0,0\n",
       "3: cell: 'a' stands there twice", STATUS_BAD_ARGUMENT},
      {HEADER "a,1,0,0,0,1,0,0,0,1,0,0,nan\n", "2: bz: 'nan' is not finite", STATUS_NOT_FINITE},
      {HEADER "a,1,0,0,0,x,0,0,0,1,0,0,0\n", "2: m22: 'x' is not a number", STATUS_BAD_ARGUMENT},
      {HEADER "a,1,0,0,0,11,0,0,0,1,0,0,0\n", "2: m22: 11 is beyond the limit of +-10",
       STATUS_OUT_OF_RANGE},
      {HEADER "a,1,0,0,0,1,0,0,0,1,0,101,0\n", "2: by: 101 is beyond the limit of +-100 m/s^2",
       STATUS_OUT_OF_RANGE},
      {HEADER "a,1,0,0,1,0,0,0,0,1,0,0,0\n",
       "2: m11..m33: the determinant of M is 0, at least 0.001 is needed", STATUS_SINGULAR},
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct accelerometer_calibration *read;
    struct message error = {""};
    ck_assert_int_eq(read_table(bad[i].text, &read, &error), bad[i].status);
    ck_assert_str_eq(error.text, bad[i].complaint);
    ck_assert_ptr_null(read);
  }
}
END_TEST

SUITE(a_table_that_was_printed_reads_back_and_cells_without_a_line_stay_as_they_are,
      every_bad_table_is_refused_with_line_column_value_and_limit)
