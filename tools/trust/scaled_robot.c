#include "scaled_robot.h"

#include "common/file.h"
#include "settings/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FACTOR_MIN 0.2
#define FACTOR_MAX 5.0

enum { FILE_MAX_BYTES = 1 << 24 };

static const char temporary[] = "/tmp/propriod-scaled-";

/* With which power of the factor an attribute's numbers grow, at the same density and the same
 * gravity: torques as weight times length, times as the root of a length. */
static const struct scaling {
  const char *element, *attribute;
  double power;
} scalings[] = {
    {"origin", "xyz", 1.0},       {"box", "size", 1.0},          {"cylinder", "radius", 1.0},
    {"cylinder", "length", 1.0},  {"sphere", "radius", 1.0},     {"mass", "value", 3.0},
    {"inertia", "ixx", 5.0},      {"inertia", "ixy", 5.0},       {"inertia", "ixz", 5.0},
    {"inertia", "iyy", 5.0},      {"inertia", "iyz", 5.0},       {"inertia", "izz", 5.0},
    {"rotor", "inertia", 5.0},    {"limit", "effort", 4.0},      {"limit", "velocity", -0.5},
    {"dynamics", "damping", 4.5}, {"dynamics", "friction", 4.0},
};

static double power_of(const char *element, const char *attribute) {
  for (size_t i = 0; i < sizeof(scalings) / sizeof(scalings[0]); i++) {
    if (strcmp(scalings[i].element, element) == 0 &&
        strcmp(scalings[i].attribute, attribute) == 0) {
      return scalings[i].power;
    }
  }
  return 0.0;
}

/* Writes the numbers up to the closing quote times `times`; returns where the quote is. */
static const char *write_scaled(FILE *out, const char *at, double times) {
  while (*at != '"' && *at != '\0') {
    char *end;
    const double number = strtod(at, &end);
    if (end == at) {
      fputc(*at++, out);
    } else {
      fprintf(out, " %.12g", times * number);
      at = end;
    }
  }
  return at;
}

/* A name of the text at `at`, letters and underscores. */
static size_t word_at(const char *at, char word[32]) {
  const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
  snprintf(word, 32, "%.*s", (int)length, at);
  return length;
}

static void scale_urdf(FILE *out, const char *text, double factor) {
  char element[32] = "", word[32];
  for (const char *at = text; *at != '\0';) {
    if (strncmp(at, "<!--", 4) == 0) {
      const char *end = strstr(at, "-->");
      at = end != NULL ? end + 3 : at + strlen(at);
    } else if (*at == '<') {
      word_at(at + 1, element);
      fputc(*at++, out);
    } else {
      const size_t length = word_at(at, word);
      fwrite(at, 1, length > 0 ? length : 1, out);
      at += length > 0 ? length : 1;
      const double power = length > 0 && strncmp(at, "=\"", 2) == 0 ? power_of(element, word) : 0.0;
      if (power < 0.0 || power > 0.0) {
        fputs("=\"", out);
        at = write_scaled(out, at + 2, pow(factor, power));
      }
    }
  }
}

/* Lines of cell,link,x,y,z,quaternion: the place grows. */
static void scale_cells(FILE *out, const char *text, double factor) {
  for (const char *line = text; *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    char cell[64], link[64];
    double p[3], q[4];
    if (sscanf(line, "%63[^,],%63[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf", cell, link, &p[0], &p[1], &p[2],
               &q[0], &q[1], &q[2], &q[3]) == 9) {
      fprintf(out, "%s,%s,%.9g,%.9g,%.9g,%.12g,%.12g,%.12g,%.12g\n", cell, link, factor * p[0],
              factor * p[1], factor * p[2], q[0], q[1], q[2], q[3]);
    } else {
      fprintf(out, "%.*s\n", (int)length, line);
    }
    line += length + (line[length] == '\n');
  }
}

/* Reads `from`, writes `to` through `scale`. */
static enum status scale_file(const char *from, const char *to, double factor,
                              void (*scale)(FILE *, const char *, double), struct message *error) {
  char *text;
  size_t length;
  const enum status status = file_read(from, FILE_MAX_BYTES, &text, &length, error);
  if (status != STATUS_OK) {
    return status;
  }
  FILE *out = fopen(to, "w");
  if (out != NULL) {
    scale(out, text, factor);
  }
  free(text);
  if (out == NULL || fclose(out) != 0) {
    message_set(error, "%s cannot be written", to);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

static enum status load_scaled(const char *name, double factor, const char *folder,
                               struct stock_robot *stock, struct message *error) {
  struct robot_settings settings;
  char made[64], from[2 * ROBOT_PATH_SIZE], to[2 * ROBOT_PATH_SIZE];
  if (stock_robot_settings(name, &settings) != STATUS_OK) {
    message_set(error, "there is no stock robot '%s'", name);
    return STATUS_BAD_ARGUMENT;
  }
  snprintf(made, sizeof(made), "%sXXXXXX", temporary);
  if (mkdtemp(made) == NULL) {
    message_set(error, "%s cannot be made", made);
    return STATUS_REFUSED;
  }
  snprintf(from, sizeof(from), "%s/%s", folder, settings.urdf);
  snprintf(to, sizeof(to), "%s/%s", made, settings.urdf);
  enum status status = scale_file(from, to, factor, scale_urdf, error);
  if (status == STATUS_OK && settings.cells[0] != '\0' && strcmp(settings.cells, "urdf") != 0) {
    snprintf(from, sizeof(from), "%s/%s", folder, settings.cells);
    snprintf(to, sizeof(to), "%s/%s", made, settings.cells);
    status = scale_file(from, to, factor, scale_cells, error);
  }
  return status == STATUS_OK ? stock_robot_load(name, made, stock, error) : status;
}

static enum status load_configured(const char *file, struct stock_robot *stock,
                                   struct message *error) {
  static struct settings settings;
  static struct settings_report report;
  enum status status = settings_load(file, NULL, &settings, &report);
  if (status != STATUS_OK) {
    message_set(error, "%s", report.error[0].text);
    return status;
  }
  snprintf(stock->urdf, sizeof(stock->urdf), "%s", settings.robot.urdf);
  return robot_load(&settings.robot, "", &stock->robot, error);
}

static bool names_configuration(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot != NULL && strcmp(dot, ".yaml") == 0;
}

enum status scaled_robot_load(const char *name, const char *folder, struct stock_robot *stock,
                              struct message *error) {
  if (names_configuration(name)) {
    return load_configured(name, stock, error);
  }
  const char *at = strchr(name, '@');
  if (at == NULL) {
    return stock_robot_load(name, folder, stock, error);
  }
  char plain[64], *end;
  snprintf(plain, sizeof(plain), "%.*s", (int)(at - name), name);
  const double factor = strtod(at + 1, &end);
  if (*end != '\0' || !(factor >= FACTOR_MIN && factor <= FACTOR_MAX)) {
    message_set(error, "%s: the factor must be within 0.2 and 5", name);
    return STATUS_BAD_ARGUMENT;
  }
  return load_scaled(plain, factor, folder, stock, error);
}

void scaled_robot_free(struct stock_robot *stock) {
  robot_destroy(stock->robot);
  char *slash = strrchr(stock->urdf, '/');
  if (strncmp(stock->urdf, temporary, strlen(temporary)) != 0 || slash == NULL) {
    return;
  }
  /* the two files of the folder, then the folder */
  char cells[ROBOT_PATH_SIZE + 16];
  unlink(stock->urdf);
  snprintf(cells, sizeof(cells), "%.*s_cells.csv", (int)(strlen(stock->urdf) - 5), stock->urdf);
  unlink(cells);
  *slash = '\0';
  rmdir(stock->urdf);
}
