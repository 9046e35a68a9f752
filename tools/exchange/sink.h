/* What takes the series of a recording and makes a file of them: CSV, NPZ, MAT, MCAP.
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

extern const struct sink_format csv_format;  /* a folder with a file for each series */
extern const struct sink_format npz_format;  /* numpy.load */
extern const struct sink_format mat_format;  /* MATLAB's load, a struct for each series */
extern const struct sink_format mcap_format; /* Foxglove, PlotJuggler, ROS 2 */
extern const struct sink_format plot_format; /* a page of HTML */

#endif
