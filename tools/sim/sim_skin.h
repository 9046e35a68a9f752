/* What the skin's accelerometers, proximity and force sensors make of the links' motion. */
#ifndef SIM_SKIN_H
#define SIM_SKIN_H

#include "common/status.h"
#include "sim_options.h"
#include "sim_random.h"

/* A skin sample as it travels: arrays behind each other in one block. */
struct skin_sample {
  float *acceleration; /* [n_cells][3] m/s^2, cell frame */
  float *proximity;    /* [n_cells] */
  float *force;        /* [n_cells] N */
  uint8_t *flags;      /* [n_cells] CELL_* bits of sensor_frame.h */
};

/* The random numbers of one sample, in one block that begins at `u`. */
struct skin_draw {
  double *u, *v;  /* [pairs] uniform, of which normal ones are made */
  double *normal; /* [n_cells][3] */
  double *drop;   /* [n_cells] uniform */
};

struct sim_skin {
  const struct robot *robot;
  struct sim_skin_noise noise;
  struct sim_random random, touch_random;
  struct skin_draw draw;
  struct cell_errors *errors; /* [n_cells] constant errors of each cell */
  float *held;                /* [n_cells][3] m/s^2, what each cell measured last */
  double *touched_until;      /* [n_cells] s; a touch on this cell ends then */
  double next_touch;          /* s */
  bool has_sample;
  double sampled_s;         /* s, when the last sample was read */
  double measured_hz;       /* of each cell, in turn; 0: whenever it is read */
  struct link_errors *link; /* [n_links] constant errors that all cells of a link share */
  struct motion *past;   /* [SIM_SKIN_PAST][2 n_links] velocity, acceleration of the last instants;
                          NULL: nothing is late */
  struct motion *passed; /* [2][2 n_links] velocity, acceleration that each of two stages of the
                            cells' low-pass lets through; NULL: they have none */
  double filter_keep;    /* share of what each stage had that it keeps in an instant */
  bool has_passed;
  uint64_t seen;    /* instants that `past` has seen */
  double instant_s; /* s, between two of them */
};

/* Instants that are remembered for links that are late: SIM_LINK_DELAY_MAX at 4 kHz. */
enum { SIM_SKIN_PAST = 84 };

/* What all cells of a link have in common. */
struct link_errors {
  double gain;    /* about 1 */
  mat3 R;         /* the whole patch turned about the link's origin axes: in each cell's mounting */
  double delay_s; /* s, at least 0 */
};

/* Draws the constant errors. [start] Free with `sim_skin_free`. */
enum status sim_skin_init(struct sim_skin *skin, const struct sim_options *options);
void sim_skin_free(struct sim_skin *skin);

/* Bytes of a sample, whole words, so that one may follow another, and its arrays within a block of
 * that size. [any] */
size_t skin_sample_bytes(size_t n_cells);
struct skin_sample skin_sample_in(void *block, size_t n_cells);

/* Whether every instant counts, read or not. [any] */
bool sim_skin_live(const struct sim_skin *skin);

/* Takes the motion of this instant, for links that are late and cells that filter. [any] Once a
 * sensor period, before sim_read_skin of the same instant. */
void sim_skin_remember(struct sim_skin *skin, const struct motion *velocity,
                       const struct motion *acceleration);

/* Reads every cell at `t` seconds from the links' velocity and proper acceleration [n_links] (link
 * origin, link coordinates). [any] */
void sim_read_skin(struct sim_skin *skin, double t, const struct motion *velocity,
                   const struct motion *acceleration, const struct skin_sample *out);

#endif
