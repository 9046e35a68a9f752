#include "truth_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = 1 << 20 }; /* bytes: a few hundred lines between writes */

struct truth_log {
  FILE *file;
  const struct robot *robot;
};

static void name_vec3(FILE *out, const char *name) {
  fprintf(out, ",%s_x,%s_y,%s_z", name, name, name);
}

static void name_vec3_of(FILE *out, const char *name, const char *what) {
  fprintf(out, ",%s_%sx,%s_%sy,%s_%sz", name, what, name, what, name, what);
}

static void write_names(FILE *out, const struct robot *robot) {
  static const char *const of_joint[] = {"q", "dq", "ddq", "tau"};
  fputs("t_ns", out);
  for (size_t k = 0; k < 4; k++) {
    for (size_t j = 0; j < robot->model.n_joints; j++) {
      fprintf(out, ",%s_%s", of_joint[k], robot->model.joint[j].name);
    }
  }
  name_vec3(out, "base");
  fputs(",base_qx,base_qy,base_qz,base_qw", out);
  name_vec3_of(out, "base", "v");
  name_vec3_of(out, "base", "a");
  name_vec3(out, "omega");
  name_vec3(out, "omegadot");
  name_vec3(out, "f");
  name_vec3(out, "com");
  name_vec3_of(out, "com", "v");
  name_vec3_of(out, "com", "a");
  name_vec3(out, "L");
  name_vec3(out, "dL");
  name_vec3(out, "cop");
  for (size_t k = 0; k < robot->n_feet; k++) {
    name_vec3_of(out, robot->foot[k].name, "n");
    name_vec3_of(out, robot->foot[k].name, "f");
    fprintf(out, ",%s_contact", robot->foot[k].name);
  }
  name_vec3(out, "push");
  fputs(",mass,payload_mass\n", out);
}

enum status truth_log_create(struct truth_log **log, const char *path, const struct robot *robot,
                             struct message *error) {
  struct truth_log *new = calloc(1, sizeof(*new));
  if (new == NULL) {
    return STATUS_NO_MEMORY;
  }
  new->robot = robot;
  new->file = fopen(path, "we");
  if (new->file == NULL) {
    message_set(error, "%s: %s", path, strerror(errno));
    free(new);
    return STATUS_REFUSED;
  }
  setvbuf(new->file, NULL, _IOFBF, BUFFER_SIZE);
  write_names(new->file, robot);
  *log = new;
  return STATUS_OK;
}

static void write_numbers(FILE *out, const double *x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    fprintf(out, ",%.10g", x[i]);
  }
}

static void write_vec3(FILE *out, vec3 v) {
  fprintf(out, ",%.10g,%.10g,%.10g", v.x, v.y, v.z);
}

static void write_base(FILE *out, const struct sim_truth *t) {
  const quat q = quat_from_mat3(&t->base.X_WB.R);
  write_vec3(out, t->base.X_WB.p);
  fprintf(out, ",%.10g,%.10g,%.10g,%.10g", q.x, q.y, q.z, q.w);
  write_vec3(out, t->base_velocity_W);
  write_vec3(out, t->base_acceleration_W);
  write_vec3(out, t->base.v_B.ang);
  write_vec3(out, t->base.a_B.ang);
  write_vec3(out, t->base.a_B.lin);
}

static void write_centroidal(FILE *out, const struct sim_truth *t) {
  write_vec3(out, t->com_W);
  write_vec3(out, t->com_velocity_W);
  write_vec3(out, t->com_acceleration_W);
  write_vec3(out, t->angular_momentum_W);
  write_vec3(out, t->angular_momentum_rate_W);
  if (t->cop_valid) {
    write_vec3(out, t->cop_W);
  } else {
    fputs(",,,", out);
  }
}

enum status truth_log_write(struct truth_log *log, const struct sim_truth *t) {
  FILE *out = log->file;
  fprintf(out, "%lld", (long long)t->t_ns);
  write_numbers(out, t->q, t->n_joints);
  write_numbers(out, t->dq, t->n_joints);
  write_numbers(out, t->ddq, t->n_joints);
  write_numbers(out, t->tau, t->n_joints);
  write_base(out, t);
  write_centroidal(out, t);
  for (size_t k = 0; k < t->n_feet; k++) {
    write_vec3(out, t->foot_wrench[k].ang);
    write_vec3(out, t->foot_wrench[k].lin);
    fprintf(out, ",%d", t->foot_contact[k]);
  }
  write_vec3(out, t->push_force_W);
  fprintf(out, ",%.10g,%.10g\n", t->mass, t->payload.m);
  return ferror(out) ? STATUS_REFUSED : STATUS_OK;
}

enum status truth_log_close(struct truth_log *log) {
  if (log == NULL) {
    return STATUS_OK;
  }
  const bool written = ferror(log->file) == 0;
  const bool closed = fclose(log->file) == 0;
  free(log);
  return written && closed ? STATUS_OK : STATUS_REFUSED;
}
