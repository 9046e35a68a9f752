#include "live/live_robot.h"

#include "escape.h"

#include <stdio.h>
#include <stdlib.h>

static void print_numbers(FILE *out, const double *number, size_t count) {
  for (size_t i = 0; i < count; i++) {
    fputs(i > 0 ? "," : "", out);
    print_json_number(out, number[i]);
  }
}

static void print_vector(FILE *out, const char *key, vec3 v) {
  fprintf(out, ",\"%s\":[", key);
  print_numbers(out, (const double[]){v.x, v.y, v.z}, 3);
  fputc(']', out);
}

static void print_pose(FILE *out, const struct pose *pose) {
  fputs(",\"at\":[", out);
  print_numbers(out, pose->R.m[0], 9);
  fputc(',', out);
  print_numbers(out, (const double[]){pose->p.x, pose->p.y, pose->p.z}, 3);
  fputc(']', out);
}

static void print_joint(FILE *out, const struct joint *joint) {
  static const char *const type[] = {[JOINT_REVOLUTE] = "revolute",
                                     [JOINT_CONTINUOUS] = "continuous",
                                     [JOINT_PRISMATIC] = "prismatic"};
  fputs(",\"joint\":", out);
  print_json_string(out, joint->name);
  fprintf(out, ",\"type\":\"%s\",\"limits\":[", type[joint->type]);
  print_numbers(out, (const double[]){joint->q_min, joint->q_max}, 2);
  fputc(']', out);
  print_vector(out, "axis", joint->axis);
  print_pose(out, &joint->placement);
}

static void print_links(FILE *out, const struct model *model) {
  fputs(",\"links\":[", out);
  for (size_t i = 0; i < model->n_links; i++) {
    const struct inertia *inertia = &model->inertia[i];
    const double share = inertia->m > 0.0 ? 1.0 / inertia->m : 0.0;
    fprintf(out, "%s{\"parent\":%d,\"mass\":", i > 0 ? ",\n" : "", model->parent[i]);
    print_json_number(out, inertia->m);
    fputs(",\"name\":", out);
    print_json_string(out, model->link_name[i]);
    print_vector(out, "com", vec3_scale(share, inertia->h));
    if (i > 0) {
      print_joint(out, &model->joint[i - 1]);
    }
    fputc('}', out);
  }
  fputc(']', out);
}

static void print_frame(FILE *out, const char *name, size_t link, const struct pose *placement) {
  fputs("{\"name\":", out);
  print_json_string(out, name);
  fprintf(out, ",\"link\":%zu", link);
  print_pose(out, placement);
  fputc('}', out);
}

static void print_frames(FILE *out, const char *key, const struct model_frame *frame,
                         size_t count) {
  fprintf(out, ",\"%s\":[", key);
  for (size_t i = 0; i < count; i++) {
    fputs(i > 0 ? ",\n" : "", out);
    print_frame(out, frame[i].name, frame[i].link, &frame[i].placement);
  }
  fputc(']', out);
}

static void print_wrenches(FILE *out, const struct robot *robot) {
  fputs(",\"wrenches\":[", out);
  for (size_t i = 0; i < robot->n_wrench; i++) {
    const struct wrench_sensor *sensor = &robot->wrench[i];
    fputs(i > 0 ? ",\n" : "", out);
    print_frame(out, sensor->name, sensor->link, &sensor->placement);
  }
  fputc(']', out);
}

static void print_cells(FILE *out, const struct robot *robot) {
  fputs(",\"cells\":{\"link\":[", out);
  for (size_t i = 0; i < robot->n_cells; i++) {
    fprintf(out, "%s%zu", i > 0 ? "," : "", robot->cell[i].link);
  }
  fputs("],\"at\":[", out);
  for (size_t i = 0; i < robot->n_cells; i++) {
    const struct pose *at = &robot->cell[i].placement;
    fprintf(out, "%s%.5g,%.5g,%.5g,%.4g,%.4g,%.4g", i > 0 ? "," : "", at->p.x, at->p.y, at->p.z,
            at->R.m[0][2], at->R.m[1][2], at->R.m[2][2]);
  }
  fputs("]}", out);
}

static void print_meshes(FILE *out, const struct mesh_files *meshes) {
  const char *between = "";
  fputs(",\"meshes\":{", out);
  for (size_t i = 0; i < meshes->n; i++) {
    if (meshes->file[i].path != NULL) {
      fputs(between, out);
      print_json_string(out, meshes->file[i].name);
      fprintf(out, ":\"mesh/%zu\"", i);
      between = ",\n";
    }
  }
  fputc('}', out);
}

char *live_robot_json(const struct robot *robot, struct live_sole sole,
                      const struct mesh_files *meshes, size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (out == NULL) {
    return NULL;
  }
  fputs("{\"robot\":", out);
  print_json_string(out, robot->model.name);
  fprintf(out, ",\"fixed_base\":%s,\"sole\":[", robot->fixed_base ? "true" : "false");
  print_numbers(out, (const double[]){sole.length, sole.width}, 2);
  fputc(']', out);
  print_links(out, &robot->model);
  print_frames(out, "frames", robot->model.frame, robot->model.n_frames);
  print_frames(out, "feet", robot->foot, robot->n_feet);
  print_wrenches(out, robot);
  print_cells(out, robot);
  print_meshes(out, meshes);
  fputs("}\n", out);
  if (fclose(out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}
