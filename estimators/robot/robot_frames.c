#include "robot/robot_frames.h"

#include "model/name_suggestion.h"
#include "robot/placed_frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One look through all names: it goes on after a wrong one. */
struct search {
  const struct robot_source *source;
  const struct model *model;
  struct message *error; /* the first */
  bool failed;
};

static void take_fault(struct search *search, const struct message *what) {
  struct robot_faults *all = search->source->faults;
  if (!search->failed) {
    *search->error = *what;
  }
  search->failed = true;
  if (all != NULL && all->n < ROBOT_MAX_FAULTS) {
    all->fault[all->n] = *what;
  }
  if (all != NULL) {
    all->n++;
  }
}

__attribute__((format(printf, 2, 3))) static void fault(struct search *search, const char *format,
                                                        ...) {
  struct message what;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what.text, sizeof(what.text), format, arguments);
  va_end(arguments);
  take_fault(search, &what);
}

/* The frame of that name, moved to its place; the sphere of its body stays where it is. */
static struct model_frame find(struct search *search, const char *use, const char *text) {
  const int whole = model_find_frame(search->model, text);
  if (whole >= 0) {
    return search->model->frame[whole];
  }
  struct placed_frame placed;
  struct message what;
  if (placed_frame_read(text, &placed, &what) != STATUS_OK) {
    fault(search, "%s frame %s", use, what.text);
    return (struct model_frame){.link = 0, .placement = POSE_IDENTITY};
  }
  const int found = model_find_frame(search->model, placed.name);
  if (found >= 0) {
    struct model_frame frame = search->model->frame[found];
    const struct pose back = pose_inverse(&placed.offset);
    frame.placement = pose_mul(&frame.placement, &placed.offset);
    frame.ball_centre = pose_apply(&back, frame.ball_centre);
    return frame;
  }
  char meant[NAME_SUGGESTION_SIZE];
  suggest_frame(search->model, placed.name, meant);
  fault(search, "%s frame '%.64s' is no link, fixed joint or sensor of %.200s%s", use, placed.name,
        search->source->urdf_name, meant);
  return (struct model_frame){.link = 0, .placement = POSE_IDENTITY};
}

/* Each name once. */
static void check_unique(struct search *search, const char *use, const char *const *names,
                         size_t n) {
  for (size_t i = 1; i < n; i++) {
    for (size_t k = 0; k < i; k++) {
      if (strcmp(names[i], names[k]) == 0) {
        fault(search, "%s frame '%.64s' is named twice", use, names[i]);
        break;
      }
    }
  }
}

static void find_list(struct search *search, const char *use, const char *const *names, size_t n,
                      struct model_frame *frames) {
  check_unique(search, use, names, n);
  for (size_t i = 0; i < n; i++) {
    frames[i] = find(search, use, names[i]);
  }
}

static void find_imu(struct search *search, struct robot *robot) {
  const char *name = search->source->imu;
  struct model_frame frame = {.link = 0, .placement = POSE_IDENTITY};
  if (name != NULL && name[0] != '\0') {
    frame = find(search, "imu", name);
  }
  robot->imu_link = frame.link;
  robot->imu_placement = frame.placement;
}

static void find_wrench_sensors(struct search *search, struct robot *robot) {
  const struct robot_source *source = search->source;
  struct model_frame frame[ROBOT_MAX_WRENCH];
  find_list(search, "wrench", source->wrench, source->n_wrench, frame);
  for (size_t i = 0; i < source->n_wrench; i++) {
    struct wrench_sensor *sensor = &robot->wrench[i];
    memcpy(sensor->name, frame[i].name, sizeof(sensor->name));
    sensor->link = frame[i].link;
    sensor->placement = frame[i].placement;
  }
  robot->n_wrench = source->n_wrench;
}

/* Feet that are points are where their balls' centres are, and touch a radius below; soles are
 * flat, whatever shapes stand for them. */
static void find_feet(struct search *search, struct robot *robot) {
  find_list(search, "foot", search->source->foot, search->source->n_feet, robot->foot);
  robot->n_feet = search->source->n_feet;
  for (size_t i = 0; i < robot->n_feet; i++) {
    struct model_frame *foot = &robot->foot[i];
    if (robot->n_feet <= ROBOT_MAX_SOLES) {
      foot->ball_radius = 0.0;
    } else if (foot->ball_radius > 0.0) {
      foot->placement.p = pose_apply(&foot->placement, foot->ball_centre);
      foot->ball_centre = VEC3_ZERO;
    }
  }
}

/* The feet that switches belong to, by the names that the configuration has for both. */
static void find_switches(struct search *search, struct robot *robot) {
  const struct robot_source *source = search->source;
  check_unique(search, "contact switch", source->contact_switch, source->n_switches);
  for (size_t i = 0; i < source->n_switches; i++) {
    size_t foot = 0;
    while (foot < robot->n_feet && strcmp(source->foot[foot], source->contact_switch[i]) != 0 &&
           strcmp(robot->foot[foot].name, source->contact_switch[i]) != 0) {
      foot++;
    }
    if (foot == robot->n_feet) {
      fault(search, "contact switch '%.64s' is none of the feet (robot.feet)",
            source->contact_switch[i]);
    }
    robot->switch_foot[i] = foot;
  }
  robot->n_switches = source->n_switches;
}

enum status robot_frames_find(const struct robot_source *source, struct robot *robot,
                              struct message *error) {
  struct search search = {.source = source, .model = &robot->model, .error = error};
  struct message what;
  if (joint_stream_read(&robot->model, source->joint, source->n_joints, &robot->joints, &what) !=
      STATUS_OK) {
    take_fault(&search, &what);
  }
  find_imu(&search, robot);
  find_list(&search, "limb imu", source->limb, source->n_limbs, robot->limb);
  robot->n_limbs = source->n_limbs;
  find_feet(&search, robot);
  find_wrench_sensors(&search, robot);
  find_switches(&search, robot);
  return search.failed ? STATUS_BAD_ARGUMENT : STATUS_OK;
}
