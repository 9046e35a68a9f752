#include "robot/cell_table.h"

#include "support/robot_text.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "cell,link,x,y,z,qx,qy,qz,qw\n"

static struct model arm(void) {
  return test_model_file("config/robots/tx40.urdf");
}

/* Reads over a counting arena and then for real. */
static enum status read_cells(const char *text, size_t length, const struct model *model,
                              struct skin_cell **cells, size_t *n, struct message *error) {
  struct arena count = {0};
  struct skin_cell *none;
  size_t counted;
  enum status status = cell_table_read(text, length, model, &count, &none, &counted, error);
  if (status != STATUS_OK) {
    return status;
  }
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  status = cell_table_read(text, length, model, &arena, cells, n, error);
  if (status == STATUS_OK) {
    ck_assert_uint_eq(*n, counted);
    ck_assert_uint_eq(arena.used, count.used);
  }
  return status;
}

START_TEST(cells_keep_their_order_and_stand_where_the_table_says) {
  const struct model model = arm();
  const char text[] =
      "\xef\xbb\xbf# the skin\r\n\r\n" HEADER "second,link_2, 0.1 ,-0.2,3e-1,0,0,0,1\r\n"
      "  # a comment\n"
      "first,link_1,0,0,0,0,0,0.7071068,0.7071068";
  struct skin_cell *cell;
  size_t n;
  struct message error = {""};
  ck_assert_msg(read_cells(text, sizeof(text) - 1, &model, &cell, &n, &error) == STATUS_OK, "%s",
                error.text);
  ck_assert_uint_eq(n, 2);
  ck_assert_str_eq(cell[0].name, "second");
  ck_assert_uint_eq(cell[0].link, (size_t)model_find_link(&model, "link_2"));
  ck_assert_uint_eq(cell[1].link, (size_t)model_find_link(&model, "link_1"));
  assert_near(cell[0].placement.p.x, 0.1, 1e-16);
  assert_near(cell[0].placement.p.y, -0.2, 1e-16);
  assert_near(cell[0].placement.p.z, 0.3, 1e-16);
  /* a quarter about z, printed with seven digits and made exact: x_L = y_S, so e_x goes to e_y */
  const mat3 *R = &cell[1].placement.R;
  assert_near(R->m[1][0], 1.0, 1e-15);
  assert_near(R->m[0][1], -1.0, 1e-15);
  assert_near(R->m[2][2], 1.0, 1e-15);
}
END_TEST

START_TEST(columns_may_stand_in_any_order) {
  const struct model model = arm();
  const char text[] = "qw,qz,qy,qx,z,y,x,link,cell\n1,0,0,0,3,2,1,link_1,c\n";
  struct skin_cell *cell;
  size_t n;
  struct message error;
  ck_assert_int_eq(read_cells(text, sizeof(text) - 1, &model, &cell, &n, &error), STATUS_OK);
  ck_assert_str_eq(cell[0].name, "c");
  ck_assert(cell[0].placement.p.x == 1.0 && cell[0].placement.p.z == 3.0);
}
END_TEST

START_TEST(a_cell_on_a_lumped_link_moves_with_its_body) {
  static const char urdf[] =
      "<robot><link name='base'/><link name='arm'><inertial><mass value='1'/>"
      "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
      "<link name='cover'/><joint name='j' type='revolute'><parent link='base'/>"
      "<child link='arm'/></joint><joint name='screwed' type='fixed'><parent link='arm'/>"
      "<child link='cover'/><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/></joint></robot>";
  const struct model model = test_model(urdf, strlen(urdf));
  const char text[] = HEADER "c,cover,0.5,0,0,0,0,0,1\n";
  struct skin_cell *cell;
  size_t n;
  struct message error;
  ck_assert_int_eq(read_cells(text, sizeof(text) - 1, &model, &cell, &n, &error), STATUS_OK);
  ck_assert_uint_eq(cell[0].link, 1);
  assert_near(cell[0].placement.p.x, 1.0, 1e-15);
  assert_near(cell[0].placement.p.y, 0.5, 1e-15);
}
END_TEST

START_TEST(every_bad_table_is_refused_with_line_column_value_and_limit) {
  static const struct {
    const char *text;
    enum status status;
    const char *complaint;
  } bad[] = {
      {"", STATUS_TOO_FEW, "1: empty: a header and at least one cell are needed"},
      {"\n\n# nothing\n", STATUS_TOO_FEW, "1: empty: a header and at least one cell are needed"},
      {HEADER, STATUS_TOO_FEW, "1: no cell below the header"},
      {"cell,link,x,y,z\n", STATUS_BAD_ARGUMENT,
       "1: fewer than 9 columns: cell,link,x,y,z,qx,qy,qz,qw"},
      {"cell,link,x,y,z,qx,qy,qz,qw,area\n", STATUS_BAD_ARGUMENT,
       "1: more than 9 columns: cell,link,x,y,z,qx,qy,qz,qw"},
      {"cell,link,x,y,z,qx,qy,qz,w\n", STATUS_BAD_ARGUMENT,
       "1: header: unknown column 'w', these are needed: cell,link,x,y,z,qx,qy,qz,qw"},
      {"cell,link,x,y,z,qx,qy,qz,qz\n", STATUS_BAD_ARGUMENT,
       "1: header: column 'qz' stands there twice"},
      {HEADER "c,link_1,0,0,0,0,0,0\n", STATUS_BAD_ARGUMENT,
       "2: fewer than 9 columns: cell,link,x,y,z,qx,qy,qz,qw"},
      {HEADER "c,link_1,0,0,0,0,0,0,1,2\n", STATUS_BAD_ARGUMENT,
       "2: more than 9 columns: cell,link,x,y,z,qx,qy,qz,qw"},
      {HEADER "\n\n,link_1,0,0,0,0,0,0,1\n", STATUS_BAD_ARGUMENT, "4: cell: empty"},
      {HEADER "c,link_1,0,,0,0,0,0,1\n", STATUS_BAD_ARGUMENT, "2: y: empty"},
      {HEADER "c,link_1,0,one,0,0,0,0,1\n", STATUS_BAD_ARGUMENT, "2: y: 'one' is not a number"},
      {HEADER "c,link_1,0,1 2,0,0,0,0,1\n", STATUS_BAD_ARGUMENT, "2: y: '1 2' is not a number"},
      {HEADER "c,link_1,0,0,nan,0,0,0,1\n", STATUS_NOT_FINITE, "2: z: 'nan' is not finite"},
      {HEADER "c,link_1,0,0,0,-inf,0,0,1\n", STATUS_NOT_FINITE, "2: qx: '-inf' is not finite"},
      {HEADER "c,link_1,1e999,0,0,0,0,0,1\n", STATUS_NOT_FINITE, "2: x: '1e999' is not finite"},
      {HEADER "c,link_1,120,0,0,0,0,0,1\n", STATUS_OUT_OF_RANGE,
       "2: x: 120 is beyond the limit of +-10 m"},
      {HEADER "c,link_1,0,0,0,0,0,0,2\n", STATUS_OUT_OF_RANGE,
       "2: qw: 2 is beyond the limit of +-1.01"},
      {HEADER "c,link_1,0,0,0,0,0,0,0\n", STATUS_OUT_OF_RANGE,
       "2: qx,qy,qz,qw: the quaternion's norm is 0, it must be 1 within 0.01"},
      {HEADER "c,link_1,0,0,0,0,0,0.5,0.5\n", STATUS_OUT_OF_RANGE,
       "2: qx,qy,qz,qw: the quaternion's norm is 0.707107, it must be 1 within 0.01"},
      {HEADER "c,link_9,0,0,0,0,0,0,1\n", STATUS_BAD_ARGUMENT,
       "2: link: 'link_9' is no link or frame of the robot, did you mean 'link_1'?"},
      {HEADER "c,link_1,0,0,0,0,0,0,1\n# between\nd,link_1,0,0,0,0,0,0,1\nc,link_2,0,0,0,0,0,0,1\n",
       STATUS_BAD_ARGUMENT, "5: cell: the name 'c' is taken in line 2; give one another"},
      {HEADER "\"c\",link_1,0,0,0,0,0,0,1\n", STATUS_BAD_ARGUMENT,
       "2: cell: byte 0x22: quotes and control characters are not allowed"},
      {HEADER "c\x1b[2J,link_1,0,0,0,0,0,0,1\n", STATUS_BAD_ARGUMENT,
       "2: cell: byte 0x1b: quotes and control characters are not allowed"},
      {HEADER
       "0123456789012345678901234567890123456789012345678901234567890123,link_1,0,0,0,0,0,0,1",
       STATUS_OUT_OF_RANGE, "2: cell: 64 bytes, at most 63 are allowed"},
  };
  const struct model model = arm();
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct skin_cell *cell = (struct skin_cell *)&bad;
    size_t n = 77;
    struct message error = {"no complaint"};
    const enum status status =
        read_cells(bad[i].text, strlen(bad[i].text), &model, &cell, &n, &error);
    ck_assert_str_eq(error.text, bad[i].complaint);
    ck_assert_int_eq(status, bad[i].status);
    ck_assert_ptr_eq(cell, &bad);
    ck_assert_uint_eq(n, 77);
  }
}
END_TEST

START_TEST(more_than_16384_cells_and_more_than_8_mebibytes_are_refused) {
  enum { ROOM = 9 << 20 };
  const struct model model = arm();
  char *text = malloc(ROOM);
  size_t length = (size_t)sprintf(text, HEADER), n;
  for (int i = 0; i <= ROBOT_MAX_CELLS; i++) {
    length += (size_t)sprintf(text + length, "c%d,link_1,0,0,0,0,0,0,1\n", i);
  }
  struct skin_cell *cell;
  struct message error;
  ck_assert_int_eq(read_cells(text, length, &model, &cell, &n, &error), STATUS_OUT_OF_RANGE);
  ck_assert_str_eq(error.text, "1: 16385 cells, at most 16384 are allowed");
  memset(text + length, '\n', ROOM - length);
  ck_assert_int_eq(read_cells(text, ROOM, &model, &cell, &n, &error), STATUS_OUT_OF_RANGE);
  ck_assert_str_eq(error.text, "1: 9437184 bytes, at most 8388608 are allowed");
}
END_TEST

START_TEST(every_accelerometer_of_a_urdf_is_a_cell) {
  const struct model model = arm();
  ck_assert_uint_gt(model.n_accelerometers, 0);
  struct arena count = {0};
  struct skin_cell *cell;
  size_t n;
  struct message error;
  ck_assert_int_eq(cell_table_from_model(&model, &count, &cell, &n, &error), STATUS_OK);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  ck_assert_int_eq(cell_table_from_model(&model, &arena, &cell, &n, &error), STATUS_OK);
  ck_assert_uint_eq(n, model.n_accelerometers);
  for (size_t i = 0; i < n; i++) {
    ck_assert_str_eq(cell[i].name, model.accelerometer[i].name);
    ck_assert_uint_eq(cell[i].link, model.accelerometer[i].link);
  }
  const struct model bare = test_model_file("config/robots/chain9.urdf");
  struct arena again = {0};
  ck_assert_int_eq(cell_table_from_model(&bare, &again, &cell, &n, &error), STATUS_TOO_FEW);
  ck_assert_str_eq(error.text, "1:1: 0 <sensor type=\"accelerometer\">, 1 to 16384 are needed as "
                               "skin cells");
}
END_TEST

SUITE(cells_keep_their_order_and_stand_where_the_table_says, columns_may_stand_in_any_order,
      a_cell_on_a_lumped_link_moves_with_its_body,
      every_bad_table_is_refused_with_line_column_value_and_limit,
      more_than_16384_cells_and_more_than_8_mebibytes_are_refused,
      every_accelerometer_of_a_urdf_is_a_cell)
