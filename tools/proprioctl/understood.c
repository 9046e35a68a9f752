#include "understood.h"

#include "generation_check.h"
#include "publish/curve.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SERVICE_USER "propriod"
#define INSTALLED    "/etc/propriod/"

static void label(FILE *out, const char *text) {
  fprintf(out, "  %-10s ", text);
}

/* The joint whose place of the stream this is, or -1: it is ignored. */
static int joint_at(const struct robot *robot, size_t place) {
  for (size_t j = 0; j < robot->model.n_joints; j++) {
    if (robot->joints.of[j].place == place && !robot->joints.of[j].follows) {
      return (int)j;
    }
  }
  return -1;
}

/* Those without a place of their own. */
static void print_followers(FILE *out, const struct robot *robot) {
  const struct model *model = &robot->model;
  const char *comma = "without a place: ";
  for (size_t j = 0; j < model->n_joints; j++) {
    if (robot->joints.of[j].follows) {
      const struct joint *joint = &model->joint[j];
      label(out, "");
      fprintf(out, "%s%s follows %s", comma, joint->name, model->joint[joint->mimics].name);
      comma = "                 ";
      fputc('\n', out);
    }
  }
}

static void print_joints(FILE *out, const struct robot *robot) {
  const struct model *model = &robot->model;
  label(out, "joints");
  fprintf(out, "%zu, in this order:", robot->joints.count);
  for (size_t i = 0; i < robot->joints.count; i++) {
    const int j = joint_at(robot, i);
    if (j < 0) {
      fprintf(out, "%s (ignored)", i > 0 ? "," : "");
      continue;
    }
    const struct joint *joint = &model->joint[j];
    const struct joint_source *source = &robot->joints.of[j];
    fprintf(out, "%s %s%s", i > 0 ? "," : "", source->sign < 0.0 ? "-" : "", joint->name);
    if (source->offset != 0.0) {
      fprintf(out, "=%g", source->offset);
    }
  }
  fputc('\n', out);
  print_followers(out, robot);
}

/* Which joints share a covariance, where not all do or could do without. */
static void print_parts(FILE *out, const struct generation *generation) {
  const struct robot *robot = generation->robot;
  const struct joint_filter_settings *joints = &generation->settings.pipeline.joints;
  const size_t n = robot->model.n_joints;
  struct joint_parts parts;
  joint_parts_of(robot, joints->joints_together, joints->form, &parts);
  const size_t together = joint_parts_count(robot, parts.together);
  const size_t alone = n - joint_parts_count(robot, parts.seen);
  if (together == n && n <= joints->joints_together) {
    return;
  }
  label(out, "form");
  fprintf(out, "%zu joints together", together);
  for (size_t k = 0; k < parts.n_limbs; k++) {
    fprintf(out, "; %zu on %s", joint_parts_count(robot, parts.limb[k]),
            robot->model.link_name[parts.carrier[k]]);
  }
  if (alone > 0) {
    fprintf(out, "; %zu that encoders alone see", alone);
  }
  fprintf(out, " (motion.form: %s%s)\n", joint_forms[joints->form],
          joints->form == JOINTS_AUTO ? ", more than 40 joints" : "");
}

static void print_cells(FILE *out, const struct robot *robot) {
  const char *comma = " on";
  label(out, "skin");
  fprintf(out, "%zu cells%s", robot->n_cells, robot->n_cells > 0 ? ":" : "");
  for (size_t link = 0; link < robot->model.n_links; link++) {
    size_t count = 0;
    for (size_t i = 0; i < robot->n_cells; i++) {
      count += robot->cell[i].link == link;
    }
    if (count > 0) {
      fprintf(out, "%s %s %zu", comma, robot->model.link_name[link], count);
      comma = ",";
    }
  }
  fputc('\n', out);
}

static void print_frames(FILE *out, const struct generation *generation) {
  const struct robot *robot = generation->robot;
  const char *imu = generation->settings.robot.imu;
  uint32_t streams[PROPRIOD_SHM_STREAMS];
  generation_streams(generation, streams);
  label(out, "imu");
  fprintf(out, "%s%s%s\n",
          streams[PROPRIOD_SHM_IMU] == 0 ? "none"
          : imu[0] != '\0'               ? imu
                                         : "base",
          streams[PROPRIOD_SHM_IMU] == 0 ? "" : " on ",
          streams[PROPRIOD_SHM_IMU] == 0 ? "" : robot->model.link_name[robot->imu_link]);
  for (size_t k = 0; k < robot->n_limbs; k++) {
    label(out, k == 0 ? "limb imus" : "");
    fprintf(out, "%s on %s\n", robot->limb[k].name, robot->model.link_name[robot->limb[k].link]);
  }
  label(out, "feet");
  for (size_t f = 0; f < robot->n_feet; f++) {
    fprintf(out, "%s%s on %s", f > 0 ? ", " : "", robot->foot[f].name,
            robot->model.link_name[robot->foot[f].link]);
  }
  fputs(robot->n_feet == 0 ? "none\n" : "\n", out);
  label(out, "forces");
  for (size_t w = 0; w < robot->n_wrench; w++) {
    fprintf(out, "%s%s on %s", w > 0 ? ", " : "", robot->wrench[w].name,
            robot->model.link_name[robot->wrench[w].link]);
  }
  fputs(robot->n_wrench == 0 ? "none\n" : "\n", out);
  for (size_t i = 0; i < robot->n_switches; i++) {
    if (i == 0) {
      label(out, "switches");
    }
    fprintf(out, "%s%s", i > 0 ? ", " : "", robot->foot[robot->switch_foot[i]].name);
  }
  fputs(robot->n_switches > 0 ? "\n" : "", out);
}

static void print_mass(FILE *out, const struct robot *robot) {
  const struct model *model = &robot->model;
  size_t heaviest = 0;
  for (size_t link = 1; link < model->n_links; link++) {
    heaviest = model->inertia[link].m > model->inertia[heaviest].m ? link : heaviest;
  }
  label(out, "mass");
  if (robot->inertia_unknown) {
    fprintf(out, "unknown (robot.inertia)\n");
    return;
  }
  fprintf(out, "%.2f kg in %zu links, the heaviest %s with %.2f kg\n", model_mass(model),
          model->n_links, model->link_name[heaviest], model->inertia[heaviest].m);
}

static void print_estimates(FILE *out, const struct generation *generation) {
  const struct robot *robot = generation->robot;
  const struct inertial_settings *inertial = &generation->settings.pipeline.inertial;
  label(out, "estimates");
  fprintf(out, "joints%s%s%s%s\n", robot->fixed_base ? "" : ", base",
          robot->fixed_base || robot->inertia_unknown ? "" : ", centre of mass",
          robot->n_feet > 0 && !robot->fixed_base && !robot->inertia_unknown ? ", support" : "",
          inertial->n_links > 0 ? ", inertia" : "");
  label(out, "not");
  fprintf(out, "%s%s%s%s\n",
          robot->inertia_unknown
              ? "centre of mass, momentum, support, forces (robot.inertia is unknown); "
              : "",
          robot->n_cells == 0 ? "accelerations from skin (robot.cells has none); " : "",
          robot->n_feet == 0 && !robot->fixed_base
              ? "position over the ground (robot.feet is empty); "
              : "",
          inertial->n_links == 0 ? "what it carries (inertia.links is empty)" : "");
}

void understood_print(FILE *out, const struct generation *generation) {
  print_joints(out, generation->robot);
  print_parts(out, generation);
  print_cells(out, generation->robot);
  print_frames(out, generation);
  print_mass(out, generation->robot);
  print_estimates(out, generation);
}

static int doubt_processor(FILE *out, const char *file, const struct cycle_settings *cycle) {
  const long processors = sysconf(_SC_NPROCESSORS_CONF);
  if (cycle->realtime.cpu < processors) {
    return 0;
  }
  fprintf(out, "%s: cycle.cpu: there is no processor %d, this machine has 0 .. %ld\n", file,
          cycle->realtime.cpu, processors - 1);
  return 1;
}

/* Keys as the service will read them; what this user may not read is not known. */
static int doubt_keys(FILE *out, const char *file, const struct publish_settings *publish) {
  struct curve_keys keys;
  struct message error;
  const char *secret = publish->curve_secret_key;
  const bool hidden = access(secret, R_OK) != 0 && errno == EACCES;
  if (secret[0] == '\0' || hidden ||
      curve_read(secret, publish->curve_clients, &keys, &error) == STATUS_OK) {
    return 0;
  }
  fprintf(out, "%s: publish.curve_secret_key: %s; proprioctl keys NAME makes a pair\n", file,
          error.text);
  return 1;
}

/* A file that only its owner may read must be the service's, where that user is known. */
static int doubt_key_owner(FILE *out, const char *file, const char *key) {
  struct stat found;
  const struct passwd *service = key[0] != '\0' ? getpwnam(SERVICE_USER) : NULL;
  if (service == NULL || stat(key, &found) != 0 || found.st_uid == service->pw_uid) {
    return 0;
  }
  fprintf(out,
          "%s: publish.curve_secret_key: %s is not the service's own, which could not read it: "
          "chown " SERVICE_USER ": %s\n",
          file, key, key);
  return 1;
}

/* Files that the service of an installed configuration would not see. */
static void doubt_users_files(FILE *out, const char *file, const struct robot_settings *robot) {
  char installed[PATH_MAX];
  if (realpath(file, installed) == NULL || strncmp(installed, INSTALLED, strlen(INSTALLED)) != 0) {
    return;
  }
  const struct {
    const char *key, *path;
  } named[] = {{"urdf", robot->urdf}, {"cells", robot->cells}, {"calibration", robot->calibration}};
  for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
    if (generation_hides_from_services(named[i].path)) {
      fprintf(out,
              "%s: robot.%s: %s: the service sees nothing in /home, /root and /run/user "
              "(ProtectHome); copy it to " INSTALLED "\n",
              file, named[i].key, named[i].path);
    }
  }
}

int understood_doubts(FILE *out, const char *file, const struct generation *generation) {
  const struct settings *settings = &generation->settings;
  const struct robot *robot = generation->robot;
  int grave = doubt_processor(out, file, &settings->cycle);
  grave += doubt_keys(out, file, &settings->publish);
  grave += doubt_key_owner(out, file, settings->publish.curve_secret_key);
  doubt_users_files(out, file, &settings->robot);
  if (robot->fixed_base && robot->n_feet > 0) {
    fprintf(out, "%s: robot.feet: of no use on a fixed base (robot.fixed_base)\n", file);
  }
  if (settings->pipeline.inertial.n_links > 0 && robot->n_wrench == 0) {
    fprintf(out,
            "%s: inertia.links: without robot.wrenches only joint torques can tell what links "
            "weigh; the joints driver must give efforts\n",
            file);
  }
  return grave;
}
