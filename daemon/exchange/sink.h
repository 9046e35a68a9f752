/* What takes the series of a recording and makes a file of them: MCAP here, more in the tools.
 *
 * A file is written beside its final name and gets it only when it is whole. */
#ifndef SINK_H
#define SINK_H

#include "common/message.h"
#include "common/status.h"
#include "exchange/series.h"

/* What a file says about where it comes from. */
struct sink_about {
  const struct series_set *set;
  const char *urdf;              /* the robot's description, or NULL */
  size_t urdf_length;            /* bytes */
  int64_t wall_ns;               /* CLOCK_REALTIME less CLOCK_MONOTONIC, ns; 0: unknown */
  int64_t first_ns, last_ns;     /* of the rows, about; CLOCK_MONOTONIC */
  int64_t json_period_ns;        /* MCAP: between two of /state, of /centroidal; 0: all */
  bool durable;                  /* a file is on the disk when it gets its name */
  const char *source;            /* path of the recording */
  const char *const *quantities; /* plots: what is drawn, [n_quantities] */
  size_t n_quantities;
};

/* An event, as recorded. */
struct event;

/* A format. Each function: STATUS_OK, or STATUS_REFUSED with a reason that begins with the path.
 * `state` is what open made. [start] */
struct sink_format {
  enum status (*open)(void **state, const char *path, const struct sink_about *about,
                      struct message *error);
  enum status (*row)(void *state, const struct series *series, int64_t t_ns, const double *row,
                     struct message *error);
  /* NULL: the format has no place for events */
  enum status (*event)(void *state, const struct event *event, struct message *error);
  /* the file gets its name */
  enum status (*finish)(void *state, struct message *error);
  /* frees everything; a file that is not finished is removed */
  void (*close)(void *state);
};

extern const struct sink_format mcap_format; /* Foxglove, PlotJuggler, ROS 2 */

#endif
