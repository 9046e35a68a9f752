#include "common/clock.h"
#include "inertial/inertial_prior.h"
#include "learned/learned_file.h"
#include "learned/learned_store.h"
#include "numerics/small_matrix.h"
#include "stock_robot.h"
#include "support/pipeline_fixture.h"
#include "support/random_body.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static void make_folder(void) {
  strcpy(folder, "/tmp/propriod-learned-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void) {
  char command[128];
  snprintf(command, sizeof(command), "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}

static void path_of(char path[128], const char *suffix) {
  snprintf(path, 128, "%s/" LEARNED_FILE_NAME "%s", folder, suffix);
}

/* Something learned, told apart by its snapshot: every number follows from it. */
static struct learned_inertia *sample(uint64_t snapshot) {
  struct learned_inertia *learned = calloc(1, sizeof(*learned));
  struct random random = random_from(snapshot);
  *learned = (struct learned_inertia){.model_hash = 7, .snapshot = snapshot, .n_links = 2};
  strcpy(learned->name[0], "torso");
  for (int k = 0; k < 2; k++) {
    learned->estimate[k] = random_body(&random);
  }
  for (int i = 0; i < 400; i++) {
    learned->covariance[i] = random_normal(&random);
  }
  return learned;
}

static bool is_sample(const struct learned_inertia *learned) {
  struct learned_inertia *expected = sample(learned->snapshot);
  expected->wall_ns = learned->wall_ns;
  const bool same = memcmp(expected, learned, sizeof(*expected)) == 0;
  free(expected);
  return same;
}

static void save(uint64_t snapshot) {
  struct learned_inertia *learned = sample(snapshot);
  struct message error;
  ck_assert_msg(learned_save(folder, learned, &error) == STATUS_OK, "%s", error.text);
  free(learned);
}

/* What is loaded: its snapshot, or -1 where nothing could be. */
static long long load(struct message *error, enum status *status) {
  struct learned_inertia *learned = calloc(1, sizeof(*learned));
  *status = learned_load(folder, learned, error);
  const long long snapshot = *status == STATUS_OK ? (long long)learned->snapshot : -1;
  ck_assert(*status != STATUS_OK || is_sample(learned));
  free(learned);
  return snapshot;
}

static void damage(const char *suffix, long at) {
  char path[128];
  path_of(path, suffix);
  FILE *file = fopen(path, "r+");
  ck_assert_ptr_nonnull(file);
  fseek(file, at, SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, at, SEEK_SET);
  fputc(byte ^ 0x10, file);
  fclose(file);
}

START_TEST(what_is_saved_is_loaded_bit_for_bit_and_an_empty_folder_has_nothing) {
  make_folder();
  struct message error;
  enum status status;
  ck_assert_int_eq(load(&error, &status), -1);
  ck_assert_int_eq(status, STATUS_STALE);
  save(1);
  save(2);
  ck_assert_int_eq(load(&error, &status), 2);
  ck_assert_str_eq(error.text, "");
  ck_assert_int_eq(learned_remove(folder, &error), STATUS_OK);
  ck_assert_int_eq(load(&error, &status), -1);
  ck_assert_int_eq(status, STATUS_STALE);
  remove_folder();
}
END_TEST

START_TEST(a_damaged_file_gives_way_to_the_generation_before_and_says_so) {
  make_folder();
  struct message error;
  enum status status;
  const long places[] = {0, 9, 40, 1000, 50000};
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    save(10);
    save(11);
    damage("", places[i]);
    ck_assert_int_eq(load(&error, &status), 10);
    ck_assert_ptr_nonnull(strstr(error.text, LEARNED_FILE_NAME));
    damage(".before", places[i]);
    ck_assert_int_eq(load(&error, &status), -1);
    ck_assert_int_eq(status, STATUS_REFUSED);
  }
  remove_folder();
}
END_TEST

START_TEST(a_damaged_file_never_takes_the_place_of_the_generation_before) {
  make_folder();
  struct message error;
  enum status status;
  save(20);
  save(21);
  damage("", 1000);
  save(22);
  damage("", 1000); /* as if killed before it was whole */
  ck_assert_int_eq(load(&error, &status), 20);
  remove_folder();
}
END_TEST

START_TEST(a_file_that_is_cut_short_or_too_long_is_refused) {
  make_folder();
  struct message error;
  enum status status;
  char path[128];
  save(3);
  path_of(path, "");
  ck_assert_int_eq(truncate(path, 1000), 0);
  ck_assert_int_eq(load(&error, &status), -1);
  ck_assert_int_eq(status, STATUS_REFUSED);
  save(4);
  FILE *file = fopen(path, "a");
  fputc('x', file);
  fclose(file);
  ck_assert_int_eq(load(&error, &status), -1);
  remove_folder();
}
END_TEST

START_TEST(what_is_wrong_with_a_file_is_said) {
  make_folder();
  struct message error;
  enum status status;
  save(5);
  damage("", 8); /* the version stands behind eight letters */
  ck_assert_int_eq(load(&error, &status), -1);
  ck_assert_ptr_nonnull(strstr(error.text, "another version"));
  struct learned_inertia *learned = sample(6);
  for (uint32_t k = 0; k < 2; k++) {
    learned->n_links = k == 0 ? 0 : INERTIAL_MAX_LINKS + 1;
    ck_assert_int_eq(learned_remove(folder, &error), STATUS_OK);
    ck_assert_int_eq(learned_save(folder, learned, &error), STATUS_OK);
    ck_assert_int_eq(learned_load(folder, learned, &error), STATUS_REFUSED);
    ck_assert_ptr_nonnull(strstr(error.text, "impossible number of links"));
  }
  free(learned);
  remove_folder();
}
END_TEST

START_TEST(a_thousand_kills_during_saves_leave_a_thousand_good_files) {
  make_folder();
  struct random random = random_from(test_seed());
  struct message error;
  enum status status;
  long long newest = 0;
  const int64_t begin_ns = clock_now_ns();
  save(1);
  const double save_us = 1e-3 * (double)(clock_now_ns() - begin_ns);
  for (int kill_number = 0; kill_number < 1000; kill_number++) {
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
      struct learned_inertia *learned = sample(0);
      for (uint64_t k = (uint64_t)newest + 1;; k++) {
        free(learned);
        learned = sample(k);
        learned_save(folder, learned, &error);
      }
    }
    usleep((useconds_t)random_uniform(&random, 0.0, 3000.0 + 3.0 * save_us));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    const long long found = load(&error, &status);
    ck_assert_msg(found >= newest, "after kill %d: %s", kill_number, error.text);
    newest = found;
  }
  ck_assert_int_gt(newest, 10); /* saves did come between the kills */
  remove_folder();
}
END_TEST

START_TEST(a_folder_that_cannot_be_written_is_an_error_with_its_name) {
  struct learned_inertia *learned = sample(1);
  struct message error;
  ck_assert_int_eq(learned_save("/nonexistent/folder", learned, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent/folder"));
  free(learned);
}
END_TEST

/* A pipeline of the large humanoid that estimates the named link. */
static struct pipeline *new_pipeline(const struct robot *robot, const char *link) {
  struct pipeline_settings settings = pipeline_defaults();
  settings.inertial.n_links = 1;
  strcpy(settings.inertial.link[0], link);
  return test_pipeline(robot, &settings);
}

START_TEST(learned_parameters_are_for_their_own_model_and_links_only) {
  struct stock_robot stock;
  struct message error;
  ck_assert_int_eq(stock_robot_load("humanoid30", "config/robots", &stock, &error), STATUS_OK);
  struct pipeline *taught = new_pipeline(stock.robot, "torso_pitch_link"),
                  *other = new_pipeline(stock.robot, "left_elbow_link"),
                  *again = new_pipeline(stock.robot, "torso_pitch_link");
  struct learned_inertia *learned = calloc(1, sizeof(*learned));
  ck_assert(learned_take(taught, learned));
  ck_assert_str_eq(learned->name[0], "torso_pitch_link");
  learned->estimate[0].m += 5.0;
  ck_assert_int_eq(learned_give(learned, again, &error), STATUS_OK);
  const struct inertial_filter *filter = inertial_estimator_filter(pipeline_inertial(again));
  assert_near(inertial_filter_core(filter)->pi[0].m, learned->estimate[0].m, 1e-12);
  ck_assert_int_eq(learned_give(learned, other, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "other links"));
  learned->model_hash++;
  ck_assert_int_eq(learned_give(learned, again, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "another model"));
  learned->model_hash--;
  learned->estimate[0].m = 1e308; /* with a sound checksum all the same */
  ck_assert_int_eq(learned_give(learned, again, &error), STATUS_OUT_OF_RANGE);
  ck_assert_ptr_nonnull(strstr(error.text, "of 1e+308 kg is not believable"));
  learned->estimate[0].m = 1e5;
  ck_assert_int_eq(learned_give(learned, again, &error), STATUS_OUT_OF_RANGE);
  learned->estimate[0].m = -1.0;
  ck_assert_int_eq(learned_give(learned, again, &error), STATUS_NOT_CONSISTENT);
  free(learned);
}
END_TEST

/* Two minutes of a motion were never kept: a load of 3 kg from the start was certain after five
 * seconds, but only what was told apart from biases was. What is less sure than the model, or than
 * what was recalled, replaces neither. */
START_TEST(what_is_learned_is_kept_once_it_is_worth_more_than_what_was_known) {
  struct stock_robot stock;
  struct message error;
  ck_assert_int_eq(stock_robot_load("humanoid30", "config/robots", &stock, &error), STATUS_OK);
  struct pipeline *pipeline = new_pipeline(stock.robot, "torso_pitch_link");
  struct learned_inertia *learned = calloc(1, sizeof(*learned));
  struct inertial_core *core = (struct inertial_core *)inertial_filter_core(
      inertial_estimator_filter(pipeline_inertial(pipeline)));
  const struct inertial_spread load = {8.0, 0.15, 0.6};
  const struct measured_rows start = {.n = 0};
  inertial_core_suppose(core, &start, &load);
  ck_assert(!learned_take(pipeline, learned)); /* as uncertain as a load makes it */
  core->laden = 0.5;
  ck_assert(!learned_take(pipeline, learned));
  core->laden = 0.999;
  ck_assert(learned_take(pipeline, learned));
  core->laden = 0.0;
  small_scale(core->n * core->n, 1e-3, core->P); /* rows tell more than the model knew ... */
  ck_assert(learned_take(pipeline, learned));
  core->mass_sd[0] = 0.05; /* ... and less than what was recalled */
  ck_assert(!learned_take(pipeline, learned));
  free(learned);
}
END_TEST

/* Runs cycles until told to end, as the real-time thread does. */
struct cycles {
  struct learned_store store;
  struct pipeline *pipeline;
  _Atomic bool end;
};

static void *run_cycles(void *context) {
  struct cycles *cycles = context;
  while (!cycles->end) {
    learned_store_cycle(&cycles->store, cycles->pipeline);
    usleep(1000);
  }
  return NULL;
}

START_TEST(a_running_daemon_forgets_what_it_knows_and_what_was_saved) {
  make_folder();
  struct stock_robot stock;
  struct message error = {.text = ""};
  ck_assert_int_eq(stock_robot_load("humanoid30", "config/robots", &stock, &error), STATUS_OK);
  struct cycles cycles = {.pipeline = new_pipeline(stock.robot, "torso_pitch_link")};
  struct arena arena = test_arena(1 << 20);
  struct log *log = log_open(stderr, false);
  ck_assert_int_eq(learned_store_init(&cycles.store, folder, 1e-3, log, &arena), STATUS_OK);
  const struct inertial_filter *filter =
      inertial_estimator_filter(pipeline_inertial(cycles.pipeline));
  struct learned_inertia *learned = calloc(1, sizeof(*learned));
  ck_assert(learned_take(cycles.pipeline, learned));
  const double model = learned->estimate[0].m;
  learned->estimate[0].m += 5.0;
  ck_assert_int_eq(learned_give(learned, cycles.pipeline, &error), STATUS_OK);
  ck_assert_int_eq(learned_save(folder, learned, &error), STATUS_OK);
  ck_assert_int_eq(learned_store_forget(&cycles.store, &error), STATUS_STALE); /* no cycles yet */
  ck_assert_int_eq(learned_load(folder, learned, &error), STATUS_OK);
  assert_near(inertial_filter_core(filter)->pi[0].m, model + 5.0, 1e-12);

  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, run_cycles, &cycles), 0);
  ck_assert_int_eq(learned_store_forget(&cycles.store, &error), STATUS_OK);
  cycles.end = true;
  pthread_join(thread, NULL);
  assert_near(inertial_filter_core(filter)->pi[0].m, model, 1e-12);
  learned_store_finish(&cycles.store, cycles.pipeline);
  log_close(log);
  ck_assert_int_eq(learned_load(folder, learned, &error), STATUS_STALE);
  free(learned);
  remove_folder();
}
END_TEST

/* A disk that says only after `disk_is_done` that it has written. */
static atomic_bool disk_is_slow, disk_is_asked;
static sem_t disk_is_done;

int fsync(int file) {
  if (atomic_exchange(&disk_is_slow, false)) {
    atomic_store(&disk_is_asked, true);
    sem_wait(&disk_is_done);
  }
  return (int)syscall(SYS_fsync, file);
}

START_TEST(a_disk_that_takes_its_time_holds_up_the_saver_alone) {
  make_folder();
  static struct learned_store store;
  struct message error = {""};
  enum status status;
  struct arena arena = test_arena(1 << 20);
  struct learned_inertia *learned = sample(5);
  struct log *log = log_open(stderr, false);
  sem_init(&disk_is_done, 0, 0);
  ck_assert_int_eq(learned_store_init(&store, folder, 1e-3, log, &arena), STATUS_OK);
  store.unsaved = learned;
  atomic_store(&disk_is_slow, true);
  ck_assert_int_eq(learned_store_start(&store, &error), STATUS_OK);
  while (!atomic_load(&disk_is_asked)) {
    usleep(1000);
  }
  ck_assert_int_eq(learned_store_forget(&store, &error), STATUS_STALE);
  ck_assert_ptr_nonnull(strstr(error.text, "under way"));
  const int64_t later_ns = clock_now_ns() + 20 * NS_PER_S;
  ck_assert_int_ge(learned_store_silence(&store, later_ns), 20 * NS_PER_S);
  sem_post(&disk_is_done);
  learned_store_stop(&store);
  ck_assert_int_eq(learned_store_silence(&store, later_ns), 0);
  ck_assert_int_eq(load(&error, &status), 5);
  learned_store_stop(&store); /* harmless */
  log_close(log);
  free(learned);
  remove_folder();
}
END_TEST

SUITE(what_is_saved_is_loaded_bit_for_bit_and_an_empty_folder_has_nothing,
      a_damaged_file_gives_way_to_the_generation_before_and_says_so,
      a_damaged_file_never_takes_the_place_of_the_generation_before,
      a_file_that_is_cut_short_or_too_long_is_refused, what_is_wrong_with_a_file_is_said,
      a_thousand_kills_during_saves_leave_a_thousand_good_files,
      a_folder_that_cannot_be_written_is_an_error_with_its_name,
      learned_parameters_are_for_their_own_model_and_links_only,
      what_is_learned_is_kept_once_it_is_worth_more_than_what_was_known,
      a_running_daemon_forgets_what_it_knows_and_what_was_saved,
      a_disk_that_takes_its_time_holds_up_the_saver_alone)
