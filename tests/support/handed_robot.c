#include "support/handed_robot.h"

#include "common/file.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FINGERS = 5, LINKS = 3, CELLS = 6, FILE_MAX_BYTES = 1 << 24 };

static const double LENGTH[LINKS] = {0.045, 0.030, 0.022}; /* m */
static const double MASS[LINKS] = {0.040, 0.025, 0.015};   /* kg */
static const double THICKNESS = 0.018;                     /* m */

/* Where each finger begins on the hand, m; the thumb last, turned about the hand's x. */
static const struct finger {
  const char *name;
  double x, y, z, roll;
} fingers[FINGERS] = {{"index", 0.01, 0.030, -0.17, 0.0},
                      {"middle", 0.01, 0.010, -0.17, 0.0},
                      {"ring", 0.01, -0.010, -0.17, 0.0},
                      {"little", 0.01, -0.030, -0.17, 0.0},
                      {"thumb", 0.01, 0.045, -0.09, 0.9}};
static const char *const sides[] = {"left", "right"};

static void write_link(FILE *out, const char *name, size_t k) {
  const double l = LENGTH[k], m = MASS[k], w = THICKNESS;
  const double across = m / 12.0 * (l * l + w * w), along = m / 6.0 * w * w;
  fprintf(out,
          "<link name=\"%s_link\"><inertial><origin xyz=\"0 0 %g\"/><mass value=\"%g\"/>"
          "<inertia ixx=\"%.9g\" ixy=\"0\" ixz=\"0\" iyy=\"%.9g\" iyz=\"0\" izz=\"%.9g\"/>"
          "</inertial><collision><origin xyz=\"0 0 %g\"/><geometry><box size=\"%g %g %g\"/>"
          "</geometry></collision></link>\n",
          name, -0.5 * l, m, across, across, along, -0.5 * l, w, w, l);
}

static void write_joint(FILE *out, const char *name, const char *parent, const double xyz[3],
                        double roll) {
  fprintf(
      out,
      "<joint name=\"%s_joint\" type=\"revolute\"><parent link=\"%s_link\"/>"
      "<child link=\"%s_link\"/><origin xyz=\"%g %g %g\" rpy=\"%g 0 0\"/>"
      "<axis xyz=\"0 1 0\"/><limit lower=\"-1.6\" upper=\"0.4\" effort=\"1.5\" velocity=\"12\"/>"
      "<dynamics damping=\"0.005\" friction=\"0.005\"/><rotor inertia=\"0.0004\"/></joint>\n",
      name, parent, name, xyz[0], xyz[1], xyz[2], roll);
}

/* `mirror`: -1 for the right hand. */
static void write_finger(FILE *out, const char *side, const struct finger *finger, double mirror) {
  char parent[64], name[64];
  snprintf(parent, sizeof(parent), "%s_wrist_roll", side);
  for (size_t k = 0; k < LINKS; k++) {
    const double first[3] = {finger->x, mirror * finger->y, finger->z};
    const double next[3] = {0.0, 0.0, k > 0 ? -LENGTH[k - 1] : 0.0};
    snprintf(name, sizeof(name), "%s_%s_%zu", side, finger->name, k + 1);
    write_joint(out, name, parent, k == 0 ? first : next, k == 0 ? mirror * finger->roll : 0.0);
    write_link(out, name, k);
    snprintf(parent, sizeof(parent), "%s", name);
  }
}

/* Three cells on the palm's side of a link and three on its back. */
static void write_finger_cells(FILE *out, const char *side, const struct finger *finger) {
  static const char *const normal[] = {"0,0.7071068,0,0.7071068", "0,-0.7071068,0,0.7071068"};
  for (size_t k = 0; k < LINKS; k++) {
    for (size_t c = 0; c < CELLS; c++) {
      const double x = c % 2 == 0 ? 0.5 : -0.5, y = c / 2 == 1 ? 0.4 : -0.3;
      fprintf(out, "%s_%s_%zu_%zu,%s_%s_%zu_link,%g,%g,%g,%s\n", side, finger->name, k + 1, c, side,
              finger->name, k + 1, x * THICKNESS, y * THICKNESS,
              -LENGTH[k] * (0.2 + 0.3 * (double)(c / 2)), normal[c % 2]);
    }
  }
}

static FILE *open_in(const char *folder, const char *name) {
  char path[2 * ROBOT_PATH_SIZE];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  require(out != NULL);
  return out;
}

/* Out of line: inlined, gcc 12 warns of a pointer to the local variable. */
static __attribute__((noinline)) char *text_of(const char *path) {
  char *text = NULL;
  size_t length;
  struct message error;
  require(file_read(path, FILE_MAX_BYTES, &text, &length, &error) == STATUS_OK);
  return text;
}

static void write_urdf(const char *folder) {
  char *text = text_of("config/robots/humanoid30.urdf");
  const char *end = strstr(text, "</robot>");
  FILE *out = open_in(folder, "humanoid60.urdf");
  require(end != NULL);
  fwrite(text, 1, (size_t)(end - text), out);
  for (size_t s = 0; s < 2; s++) {
    for (size_t i = 0; i < FINGERS; i++) {
      write_finger(out, sides[s], &fingers[i], s == 0 ? 1.0 : -1.0);
    }
  }
  fputs("</robot>\n", out);
  require(fclose(out) == 0);
  free(text);
}

static void write_cells(const char *folder, enum hand_skin skin) {
  char *text = text_of("config/robots/humanoid30_cells.csv");
  FILE *out = open_in(folder, "humanoid60_cells.csv");
  fputs(text, out);
  for (size_t s = 0; s < 2 && skin == HANDS_SKIN; s++) {
    for (size_t i = 0; i < FINGERS; i++) {
      write_finger_cells(out, sides[s], &fingers[i]);
    }
  }
  require(fclose(out) == 0);
  free(text);
}

struct stock_robot handed_robot(enum hand_skin skin) {
  struct robot_settings settings;
  struct stock_robot stock;
  struct message error;
  char folder[] = "/tmp/propriod-handed-XXXXXX";
  require(mkdtemp(folder) != NULL);
  write_urdf(folder);
  write_cells(folder, skin);
  require(stock_robot_settings("humanoid30", &settings) == STATUS_OK);
  snprintf(settings.urdf, sizeof(settings.urdf), "humanoid60.urdf");
  snprintf(settings.cells, sizeof(settings.cells), "%s",
           skin == HANDS_NOTHING ? "" : "humanoid60_cells.csv");
  snprintf(stock.urdf, sizeof(stock.urdf), "%s/humanoid60.urdf", folder);
  const enum status status = robot_load(&settings, folder, &stock.robot, &error);
  if (status != STATUS_OK) {
    fprintf(stderr, "%s\n", error.text);
  }
  require(status == STATUS_OK);
  return stock;
}

void handed_robot_free(struct stock_robot *stock) {
  char path[2 * ROBOT_PATH_SIZE];
  robot_destroy(stock->robot);
  unlink(stock->urdf);
  *strrchr(stock->urdf, '/') = '\0';
  snprintf(path, sizeof(path), "%s/humanoid60_cells.csv", stock->urdf);
  unlink(path);
  rmdir(stock->urdf);
}
