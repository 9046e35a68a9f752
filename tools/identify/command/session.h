/* What every command begins with: a robot, its log, and rows of them. */
#ifndef SESSION_H
#define SESSION_H

#include "identify/fit/robot_fit.h"
#include "identify/shape/shape_source.h"

enum { SESSION_LOGS = 4 };

struct session_options {
  const char *robot;             /* URDF; NULL: that of the recording */
  const char *log[SESSION_LOGS]; /* CSV, side by side; or a recording's parts */
  size_t n_logs;
  const char *columns; /* YAML of log_map.h, or NULL */
  struct log_settings motion;
  struct row_settings rows;
  bool kinds[DRIVE_KINDS];
  double train_share; /* of the log, where speeds of Stribeck's friction are looked for */
  vec3 up;            /* m/s^2: what an accelerometer on the base reads */
  const char *shape;  /* of shape_source.h, or NULL */
  double margin;      /* m, likewise */
  bool repair;        /* bodies of the URDF that cannot be become the nearest that can */
};

struct session_options session_defaults(void);

struct session {
  char *urdf;
  struct model model;
  void *memory; /* of the model */
  struct log_map map;
  struct log_motion motion;
  struct unknowns unknowns;
  struct row_set rows;
  double *prior;             /* [unknowns.n] */
  bool from_comment;         /* the prior is the one that the URDF's comment holds */
  struct body_shapes shapes; /* of no bodies without --shape */
};

/* The file that describes the robot. [any] */
const char *session_robot(const struct session_options *options);

/* Reads everything and makes rows. [start] Only with STATUS_OK is there something to free; `error`
 * says `file:line: what, value, limit`. */
enum status session_open(const struct session_options *options, struct session *session,
                         struct message *error);
void session_close(struct session *session);

/* The robot alone, without a log; the same otherwise. */
enum status session_model(const struct session_options *options, struct session *session,
                          struct message *error);

/* Rows of another log of the same robot, its columns likewise. */
enum status session_rows(const struct session_options *options, const struct session *session,
                         const char *log, struct row_set *rows, struct message *error);

#endif
