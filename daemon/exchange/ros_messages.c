#include "exchange/ros_messages.h"

#include "exchange/cdr.h"

#include <math.h>
#include <string.h>

enum { MATRIX3 = 9, MATRIX6 = 36 };

static void add_word(struct byte_buffer *to, const char *word) {
  cdr_add_text(to, word, strlen(word));
}

void ros_joint_state(struct byte_buffer *to, int64_t t_ns, const struct model *model,
                     const double *q, const double *dq, const double *tau) {
  const double *const array[] = {q, dq, tau};
  const uint32_t n = (uint32_t)model->n_joints;
  cdr_begin(to);
  cdr_add_header(to, t_ns, "");
  cdr_add_u32(to, n);
  for (uint32_t j = 0; j < n; j++) {
    add_word(to, model->joint[j].name);
  }
  for (size_t k = 0; k < sizeof(array) / sizeof(array[0]); k++) {
    cdr_add_u32(to, array[k] != NULL ? n : 0);
    cdr_add_reals(to, array[k], array[k] != NULL ? n : 0);
  }
}

/* The covariance of something unknown begins with -1, of something without one it is zero. */
static void add_covariance(struct byte_buffer *to, size_t count, double first) {
  double covariance[MATRIX6] = {first};
  cdr_add_reals(to, covariance, count);
}

void ros_imu(struct byte_buffer *to, int64_t t_ns, const char *frame, const double *specific_force,
             const double *angular_rate, const double *orientation) {
  const double level[] = {0.0, 0.0, 0.0, 1.0};
  const bool known = orientation != NULL && !isnan(orientation[0]);
  cdr_begin(to);
  cdr_add_header(to, t_ns, frame);
  cdr_add_reals(to, known ? orientation : level, 4);
  add_covariance(to, MATRIX3, known ? 0.0 : -1.0);
  cdr_add_reals(to, angular_rate, 3);
  add_covariance(to, MATRIX3, 0.0);
  cdr_add_reals(to, specific_force, 3);
  add_covariance(to, MATRIX3, 0.0);
}

void ros_wrench(struct byte_buffer *to, int64_t t_ns, const char *frame, const double *force,
                const double *moment) {
  cdr_begin(to);
  cdr_add_header(to, t_ns, frame);
  cdr_add_reals(to, force, 3);
  cdr_add_reals(to, moment, 3);
}

void ros_point(struct byte_buffer *to, int64_t t_ns, const char *frame, const double *point) {
  cdr_begin(to);
  cdr_add_header(to, t_ns, frame);
  cdr_add_reals(to, point, 3);
}

/* A 6 x 6 covariance with the squares of deviations on its diagonal; the rest is not told. */
static void add_deviations(struct byte_buffer *to, const double *first, const double *second) {
  double covariance[MATRIX6] = {0.0};
  for (int i = 0; i < 3; i++) {
    const double a = first != NULL ? first[i] : (double)NAN;
    const double b = second != NULL ? second[i] : (double)NAN;
    covariance[7 * i] = isnan(a) ? 0.0 : a * a;
    covariance[7 * (i + 3)] = isnan(b) ? 0.0 : b * b;
  }
  cdr_add_reals(to, covariance, MATRIX6);
}

/* Unknown numbers are written as they are, except where a viewer needs some. */
static void add_or(struct byte_buffer *to, const double *value, const double *instead,
                   size_t count) {
  cdr_add_reals(to, value == NULL || isnan(value[0]) ? instead : value, count);
}

void ros_odometry(struct byte_buffer *to, int64_t t_ns, const char *frame, const char *child,
                  const struct ros_odometry *o) {
  const double zero[] = {0.0, 0.0, 0.0}, level[] = {0.0, 0.0, 0.0, 1.0};
  cdr_begin(to);
  cdr_add_header(to, t_ns, frame);
  add_word(to, child);
  add_or(to, o->position, zero, 3);
  add_or(to, o->orientation, level, 4);
  add_deviations(to, o->position_sd, o->orientation_sd);
  add_or(to, o->velocity, zero, 3);
  add_or(to, o->angular_velocity, zero, 3);
  add_deviations(to, o->velocity_sd, o->angular_velocity_sd);
}

void ros_transforms(struct byte_buffer *to, int64_t t_ns, const struct ros_transform *transform,
                    size_t count) {
  cdr_begin(to);
  cdr_add_u32(to, (uint32_t)count);
  for (size_t i = 0; i < count; i++) {
    const struct pose *pose = &transform[i].pose;
    const quat R = quat_from_mat3(&pose->R);
    cdr_add_header(to, t_ns, transform[i].parent);
    add_word(to, transform[i].child);
    cdr_add_reals(to, (const double[]){pose->p.x, pose->p.y, pose->p.z}, 3);
    cdr_add_reals(to, (const double[]){R.x, R.y, R.z, R.w}, 4);
  }
}

void ros_text(struct byte_buffer *to, const char *text, size_t length) {
  cdr_begin(to);
  cdr_add_text(to, text, length);
}

void ros_log(struct byte_buffer *to, int64_t t_ns, enum ros_log_level level, const char *name,
             const char *text) {
  cdr_begin(to);
  cdr_add_stamp(to, t_ns);
  cdr_add_u8(to, (uint8_t)level);
  add_word(to, name);
  add_word(to, text);
  add_word(to, "");
  add_word(to, "");
  cdr_add_u32(to, 0);
}

struct pose joint_pose(const struct joint *joint, double q) {
  struct pose moved = POSE_IDENTITY;
  if (joint->type == JOINT_PRISMATIC) {
    moved.p = vec3_scale(q, joint->axis);
  } else {
    moved.R = mat3_from_axis_angle(joint->axis, q);
  }
  return pose_mul(&joint->placement, &moved);
}
