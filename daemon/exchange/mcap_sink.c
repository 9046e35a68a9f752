/* MCAP for Foxglove, PlotJuggler and ROS 2. What is measured and estimated as ROS 2 messages (CDR)
 * under the topics that their tools look for, and all of the topics `state` and `centroidal` as
 * JSON. Times are the time of day when the recording knows it. */
#include "common/event.h"
#include "exchange/json_rows.h"
#include "exchange/mcap_writer.h"
#include "exchange/ros_messages.h"
#include "exchange/ros_schemas.h"
#include "exchange/sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD               "world"
#define TRANSFORM_PERIOD_NS INT64_C(10000000) /* a hundred poses a second are enough to look at */

enum { TOPIC_SIZE = 96, MOST_TRANSFORMS = 1024 };

/* Channels that a file has whatever was recorded come first. */
enum channel {
  MEASURED_JOINTS,
  MEASURED_IMU,
  JOINTS,
  ODOMETRY,
  TRANSFORMS,
  STATIC_TRANSFORMS,
  DESCRIPTION,
  COM,
  COP,
  LOG,
  STATE,
  CENTROIDAL,
  CHANNELS
};

static const struct {
  const char *topic, *schema;
} ros_channel[STATE] = {
    {"/measured/joint_states", "sensor_msgs/msg/JointState"},
    {"/measured/imu", "sensor_msgs/msg/Imu"},
    {"/joint_states", "sensor_msgs/msg/JointState"},
    {"/odom", "nav_msgs/msg/Odometry"},
    {"/tf", "tf2_msgs/msg/TFMessage"},
    {"/tf_static", "tf2_msgs/msg/TFMessage"},
    {"/robot_description", "std_msgs/msg/String"},
    {"/com", "geometry_msgs/msg/PointStamped"},
    {"/cop", "geometry_msgs/msg/PointStamped"},
    {"/rosout", "rcl_interfaces/msg/Log"},
};

struct mcap_sink {
  struct sink_about about;
  struct mcap_writer *writer;
  size_t channel[CHANNELS], wrench[ROBOT_MAX_WRENCH];
  char wrench_topic[ROBOT_MAX_WRENCH][TOPIC_SIZE];
  char *schema[2]; /* of state and centroidal */
  struct byte_buffer message;
  int64_t next_transforms_ns, next_json_ns[2];
  bool begun; /* what does not change has been written */
  struct ros_transform transform[MOST_TRANSFORMS];
};

static const char *base_name(const struct mcap_sink *sink) {
  return sink->about.set->robot->model.link_name[0];
}

/* -- opening ---------------------------------------------------------------------------------- */

static enum status add_ros(struct mcap_sink *sink, const char *topic, const char *schema,
                           size_t *channel) {
  return mcap_add_channel(sink->writer, topic, "cdr", schema, "ros2msg", ros_schema(schema),
                          channel);
}

static enum status add_json(struct mcap_sink *sink, enum channel channel, enum series_kind kind,
                            const char *topic, const char *schema) {
  char **text = &sink->schema[channel - STATE];
  *text = json_schema(&sink->about.set->series[kind]);
  return *text == NULL ? STATUS_NO_MEMORY
                       : mcap_add_channel(sink->writer, topic, "json", schema, "jsonschema", *text,
                                          &sink->channel[channel]);
}

static enum status add_channels(struct mcap_sink *sink) {
  const struct robot *robot = sink->about.set->robot;
  enum status status = STATUS_OK;
  for (int i = 0; status == STATUS_OK && i < STATE; i++) {
    status = add_ros(sink, ros_channel[i].topic, ros_channel[i].schema, &sink->channel[i]);
  }
  for (size_t i = 0; status == STATUS_OK && i < robot->n_wrench; i++) {
    snprintf(sink->wrench_topic[i], TOPIC_SIZE, "/measured/wrench/%s", robot->wrench[i].name);
    status =
        add_ros(sink, sink->wrench_topic[i], "geometry_msgs/msg/WrenchStamped", &sink->wrench[i]);
  }
  if (status == STATUS_OK) {
    status = add_json(sink, STATE, SERIES_STATE, "/state", "propriod.state");
  }
  return status == STATUS_OK
             ? add_json(sink, CENTROIDAL, SERIES_CENTROIDAL, "/centroidal", "propriod.centroidal")
             : status;
}

static void mcap_sink_close(void *state) {
  struct mcap_sink *sink = state;
  if (sink != NULL) {
    mcap_close(sink->writer);
    bytes_free(&sink->message);
    free(sink->schema[0]);
    free(sink->schema[1]);
    free(sink);
  }
}

static enum status mcap_sink_open(void **state, const char *path, const struct sink_about *about,
                                  struct message *error) {
  struct mcap_sink *sink = calloc(1, sizeof(*sink));
  if (sink == NULL) {
    return STATUS_NO_MEMORY;
  }
  sink->about = *about;
  enum status status = mcap_create(&sink->writer, path, "", error);
  if (status == STATUS_OK) {
    status = add_channels(sink);
  }
  if (status != STATUS_OK) {
    mcap_sink_close(sink);
    return status;
  }
  *state = sink;
  return STATUS_OK;
}

/* -- messages --------------------------------------------------------------------------------- */

static const double *find(const struct series *series, const char *name, const double *row) {
  const struct series_array *array = series_find(series, name);
  return array != NULL ? row + array->at : NULL;
}

/* What a driver gave; NULL: it gave none of these. */
static const double *given(const double *number, size_t n) {
  size_t k = 0;
  while (number != NULL && k < n && isnan(number[k])) {
    k++;
  }
  return k < n ? number : NULL;
}

static enum status send(struct mcap_sink *sink, size_t channel, int64_t t_ns,
                        struct message *error) {
  if (sink->message.failed) {
    return STATUS_NO_MEMORY;
  }
  return mcap_write(sink->writer, channel, t_ns, sink->message.data, sink->message.size, error);
}

/* The robot's description, and the frames that are fixed to links. */
static enum status send_fixed(struct mcap_sink *sink, int64_t t_ns, struct message *error) {
  const struct model *model = &sink->about.set->robot->model;
  size_t count = 0;
  for (size_t i = 0; i < model->n_frames && count < MOST_TRANSFORMS; i++) {
    const struct model_frame *frame = &model->frame[i];
    if (model_find_link(model, frame->name) < 0) {
      sink->transform[count++] =
          (struct ros_transform){model->link_name[frame->link], frame->name, frame->placement};
    }
  }
  ros_transforms(&sink->message, t_ns, sink->transform, count);
  enum status status = send(sink, sink->channel[STATIC_TRANSFORMS], t_ns, error);
  if (status == STATUS_OK && sink->about.urdf != NULL) {
    ros_text(&sink->message, sink->about.urdf, sink->about.urdf_length);
    status = send(sink, sink->channel[DESCRIPTION], t_ns, error);
  }
  return status;
}

static enum status send_transforms(struct mcap_sink *sink, const struct series *series,
                                   int64_t t_ns, const double *row, struct message *error) {
  const struct model *model = &sink->about.set->robot->model;
  const double *q = find(series, "q", row), *turned = find(series, "quat_xyzw", row),
               *position = find(series, "base_position", row);
  struct pose base = POSE_IDENTITY;
  if (turned != NULL && !isnan(turned[0])) {
    base.R = mat3_from_quat((quat){turned[0], turned[1], turned[2], turned[3]});
  }
  if (position != NULL && !isnan(position[0])) {
    base.p = (vec3){position[0], position[1], position[2]};
  }
  sink->transform[0] = (struct ros_transform){WORLD, base_name(sink), base};
  for (size_t j = 0; q != NULL && j < model->n_joints; j++) {
    sink->transform[j + 1] =
        (struct ros_transform){model->link_name[model->parent[j + 1]], model->link_name[j + 1],
                               joint_pose(&model->joint[j], isnan(q[j]) ? 0.0 : q[j])};
  }
  ros_transforms(&sink->message, t_ns, sink->transform, 1 + (q != NULL ? model->n_joints : 0));
  return send(sink, sink->channel[TRANSFORMS], t_ns, error);
}

static enum status send_odometry(struct mcap_sink *sink, const struct series *series, int64_t t_ns,
                                 const double *row, struct message *error) {
  const double *turned = find(series, "quat_xyzw", row);
  const double *v_W = find(series, "base_velocity", row);
  double v_B[] = {NAN, NAN, NAN};
  /* a twist is in the child's axes */
  if (turned != NULL && v_W != NULL && !isnan(turned[0])) {
    const mat3 R_WB = mat3_from_quat((quat){turned[0], turned[1], turned[2], turned[3]});
    const vec3 v = mat3_tmul_vec3(&R_WB, (vec3){v_W[0], v_W[1], v_W[2]});
    v_B[0] = v.x, v_B[1] = v.y, v_B[2] = v.z;
  }
  const struct ros_odometry odometry = {
      .position = find(series, "base_position", row),
      .orientation = turned,
      .velocity = v_B,
      .angular_velocity = find(series, "base_angular_velocity", row),
      .position_sd = find(series, "base_position_sd", row),
      .orientation_sd = find(series, "base_orientation_sd", row),
      .velocity_sd = find(series, "base_velocity_sd", row),
      .angular_velocity_sd = find(series, "base_angular_velocity_sd", row),
  };
  ros_odometry(&sink->message, t_ns, WORLD, base_name(sink), &odometry);
  return send(sink, sink->channel[ODOMETRY], t_ns, error);
}

/* All of a topic as JSON, as often as it was asked for. */
static enum status send_json(struct mcap_sink *sink, enum channel channel,
                             const struct series *series, int64_t t_ns, const double *row,
                             struct message *error) {
  int64_t *next_ns = &sink->next_json_ns[channel - STATE];
  if (t_ns < *next_ns) {
    return STATUS_OK;
  }
  *next_ns = sink->about.json_period_ns > 0 ? t_ns + sink->about.json_period_ns : 0;
  json_row(&sink->message, series, t_ns, row);
  return send(sink, sink->channel[channel], t_ns, error);
}

static enum status send_state(struct mcap_sink *sink, const struct series *series, int64_t t_ns,
                              const double *row, struct message *error) {
  const struct model *model = &sink->about.set->robot->model;
  ros_joint_state(&sink->message, t_ns, model, find(series, "q", row), find(series, "dq", row),
                  find(series, "effort", row));
  enum status status = send(sink, sink->channel[JOINTS], t_ns, error);
  if (status == STATUS_OK) {
    status = send_odometry(sink, series, t_ns, row, error);
  }
  if (status == STATUS_OK && t_ns >= sink->next_transforms_ns) {
    sink->next_transforms_ns = t_ns + TRANSFORM_PERIOD_NS;
    status = send_transforms(sink, series, t_ns, row, error);
  }
  return status == STATUS_OK ? send_json(sink, STATE, series, t_ns, row, error) : status;
}

static enum status send_centroidal(struct mcap_sink *sink, const struct series *series,
                                   int64_t t_ns, const double *row, struct message *error) {
  static const struct {
    const char *name;
    enum channel channel;
  } point[] = {{"com_position", COM}, {"cop_position", COP}};
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < sizeof(point) / sizeof(point[0]); i++) {
    const double *at = find(series, point[i].name, row);
    if (at != NULL && !isnan(at[0])) {
      ros_point(&sink->message, t_ns, WORLD, at);
      status = send(sink, sink->channel[point[i].channel], t_ns, error);
    }
  }
  return status == STATUS_OK ? send_json(sink, CENTROIDAL, series, t_ns, row, error) : status;
}

static enum status send_wrenches(struct mcap_sink *sink, const struct series *series, int64_t t_ns,
                                 const double *row, struct message *error) {
  const struct robot *robot = sink->about.set->robot;
  const double *force = find(series, "force", row), *moment = find(series, "moment", row);
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < robot->n_wrench; i++) {
    ros_wrench(&sink->message, t_ns, robot->wrench[i].name, force + 3 * i, moment + 3 * i);
    status = send(sink, sink->wrench[i], t_ns, error);
  }
  return status;
}

static enum status mcap_sink_row(void *state, const struct series *series, int64_t mono_ns,
                                 const double *row, struct message *error) {
  struct mcap_sink *sink = state;
  const struct robot *robot = sink->about.set->robot;
  const int64_t t_ns = mono_ns + sink->about.wall_ns;
  if (!sink->begun) {
    const enum status status = send_fixed(sink, t_ns, error);
    if (status != STATUS_OK) {
      return status;
    }
    sink->begun = true;
  }
  switch (series->kind) {
  case SERIES_JOINTS:
    ros_joint_state(&sink->message, t_ns, &robot->model, find(series, "q", row),
                    given(find(series, "dq", row), robot->model.n_joints),
                    given(find(series, "tau", row), robot->model.n_joints));
    return send(sink, sink->channel[MEASURED_JOINTS], t_ns, error);
  case SERIES_IMU:
    ros_imu(&sink->message, t_ns, robot->model.link_name[robot->imu_link],
            find(series, "specific_force", row), find(series, "angular_rate", row),
            find(series, "orientation", row));
    return send(sink, sink->channel[MEASURED_IMU], t_ns, error);
  case SERIES_WRENCH:
    return send_wrenches(sink, series, t_ns, row, error);
  case SERIES_STATE:
    return send_state(sink, series, t_ns, row, error);
  case SERIES_CENTROIDAL:
    return send_centroidal(sink, series, t_ns, row, error);
  default:
    return STATUS_OK; /* nobody looks at the cells one by one */
  }
}

static enum status mcap_sink_event(void *state, const struct event *event, struct message *error) {
  static const enum ros_log_level level[] = {ROS_INFO, ROS_WARN, ROS_ERROR};
  struct mcap_sink *sink = state;
  const int64_t t_ns = event->t_ns + sink->about.wall_ns;
  ros_log(&sink->message, t_ns, level[event->severity], event->kind, event->text);
  return send(sink, sink->channel[LOG], t_ns, error);
}

static enum status mcap_sink_finish(void *state, struct message *error) {
  const struct mcap_sink *sink = state;
  return mcap_finish(sink->writer, sink->about.durable, error);
}

const struct sink_format mcap_format = {.open = mcap_sink_open,
                                        .row = mcap_sink_row,
                                        .event = mcap_sink_event,
                                        .finish = mcap_sink_finish,
                                        .close = mcap_sink_close};
