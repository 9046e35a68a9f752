/* Settings written out: for a person to read, and to be read back. */
#include "settings/settings.h"

#include "settings/setting_value.h"
#include "settings/yaml_reader.h"
#include "support/settings_text.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Large, and written by every test: not on the stack of Check's processes. */
static struct settings settings;
static struct settings_report report;

static enum status read_text(const char *text) {
  return settings_read(text, strlen(text), "a.yaml", &settings, &report);
}

START_TEST(rows_of_a_group_stand_together_so_that_the_listing_names_no_group_twice) {
  for (size_t i = 0; i < settings_count(); i++) {
    const char *key = settings_row(i)->key;
    const size_t length = (size_t)(strchr(key, '.') - key) + 1;
    bool left = false;
    for (size_t j = i + 1; j < settings_count(); j++) {
      const bool same = strncmp(key, settings_row(j)->key, length) == 0;
      ck_assert_msg(!same || !left, "%s is away from %s", settings_row(j)->key, key);
      left = left || !same;
    }
  }
}
END_TEST

static void sort(double *low, double *high) {
  const double smaller = fmin(*low, *high), larger = fmax(*low, *high);
  *low = smaller;
  *high = larger;
}

/* Puts in order what settings_check wants in order. */
static void keep_rules(struct settings *of) {
  struct joint_filter_settings *joints = &of->pipeline.joints;
  struct support_settings *support = &of->pipeline.centroidal.base.support;
  sort(&joints->joint_density_min, &joints->joint_density_max);
  sort(&joints->joint_density, &joints->joint_density_max);
  sort(&joints->joint_density_min, &joints->joint_density);
  sort(&support->leave, &support->enter);
  struct five_mass_settings *five = &of->pipeline.centroidal.posture.five;
  five->n_masses = 2;
  five->n_p_s = five->n_p_l = 1;
  five->n_torso = five->n_pelvis = 3;
  of->input.limit_s[PROPRIOD_SHM_JOINTS] =
      fmax(of->input.limit_s[PROPRIOD_SHM_JOINTS], CYCLE_TIMEOUT_PERIODS * of->pipeline.period_s);
  if (of->pipeline.cells_per_link == 1 || of->pipeline.cells_per_link == 2) {
    of->pipeline.cells_per_link = 3;
  }
}

/* Gives every option another value than its default, inside its limits. */
static void change_everything(struct random *random) {
  char text[8192];
  static struct settings changed;
  settings_defaults(&changed);
  for (size_t i = 0; i < settings_count(); i++) {
    const struct setting *row = settings_row(i);
    const double u = random_uniform(random, 0.0, 1.0);
    const double number = row->min + u * (fmin(row->max, 1e6 + row->min) - row->min);
    switch (row->type) {
    case SETTING_BOOL:
      strcpy(text, u < 0.5 ? "false" : "true");
      break;
    case SETTING_INT:
      sprintf(text, "%.0f", number);
      break;
    case SETTING_REAL:
      sprintf(text, "%.17g", number);
      break;
    case SETTING_CHOICE:
      strcpy(text, row->choices[(size_t)(u * 2.0)]);
      break;
    case SETTING_TEXTS:
      strcpy(text, "[one, two]");
      break;
    case SETTING_REALS:
      sprintf(text, "[%.17g, %.17g]", number, row->min);
      break;
    default:
      strcpy(text, "/tmp/a 'text' with \"all\" \\ signs: # [");
      if (strcmp(row->key, "publish.tcp") == 0) { /* not any text will do */
        sprintf(text, "[::1]:%.0f", 65535.0 * u);
      } else if (strcmp(row->key, "input.segment") == 0) {
        memmove(text, text + 5, strlen(text + 5) + 1); /* a name, no path */
      }
    }
    struct message why = {.text = ""};
    ck_assert_msg(setting_read_text(row, text, &changed, &why) == STATUS_OK, "%s: %s: %s", row->key,
                  text, why.text);
  }
  keep_rules(&changed);
  settings = changed;
}

START_TEST(printed_settings_read_back_to_the_same_bits) {
  struct random random = random_from(test_seed());
  for (int i = 0; i < 50; i++) {
    change_everything(&random);
    static struct settings wanted;
    wanted = settings;
    char *text = settings_text(&wanted);
    const enum status status = read_text(text);
    ck_assert_msg(status == STATUS_OK, "%s", report.error[0].text);
    for (size_t k = 0; k < settings_count(); k++) {
      ck_assert_msg(settings_equal(settings_row(k), &wanted, &settings), "%s",
                    settings_row(k)->key);
    }
    free(text);
  }
}
END_TEST

START_TEST(the_reference_page_has_every_option_with_default_limits_and_sentence) {
  char *page = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&page, &size);
  settings_print_reference(out);
  fclose(out);
  for (size_t i = 0; i < settings_count(); i++) {
    char key[YAML_KEY_SIZE + 8];
    snprintf(key, sizeof(key), "\n| `%s` | `", settings_row(i)->key);
    const char *row = strstr(page, key);
    ck_assert_msg(row != NULL, "%s is missing", settings_row(i)->key);
    const char *sentence = strstr(row, settings_row(i)->sentence);
    ck_assert(sentence != NULL && sentence < strchr(row + 1, '\n'));
  }
  free(page);
}
END_TEST

SUITE(rows_of_a_group_stand_together_so_that_the_listing_names_no_group_twice,
      printed_settings_read_back_to_the_same_bits,
      the_reference_page_has_every_option_with_default_limits_and_sentence)
