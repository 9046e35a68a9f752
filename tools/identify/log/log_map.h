/* Which columns of a log are which joint's position and torque, and in what units.
 *
 *   q = K^-1 (scale position) + offset,   tau = gain K^T torque
 *
 * K has the reductions on its diagonal and couplings beside it (a motor that another joint turns
 * along); it is the identity where columns are the joints' own.
 *
 * From a YAML file (log_map_read), or by the names of the joints (log_map_guess). */
#ifndef LOG_MAP_H
#define LOG_MAP_H

#include "identify/log/log_table.h"
#include "model/model.h"

enum { LOG_COUPLINGS = 8 };

/* Motor `motor` also turns by `ratio` times the angle of joint `joint`. */
struct log_coupling {
  size_t motor, joint; /* joints' indices */
  double ratio;        /* motor side */
};

struct log_map {
  char time[LOG_NAME]; /* column of stamps; "": rate_hz tells */
  double time_scale;   /* s per unit of it */
  double rate_hz;      /* samples a second, where there is no column; else 0 */
  struct log_joint {
    char position[LOG_NAME], torque[LOG_NAME]; /* columns */
    double scale, offset;                      /* rad per unit, rad; or m: of the position */
    double gain;                               /* N m per unit; or N */
    double reduction;                          /* motor's turns per turn of the joint, or 1 */
    double gear; /* the same of a rotor that is a body of its own; 0: it is none */
  } joint[MODEL_MAX_JOINTS];
  size_t n_couplings;
  struct log_coupling coupling[LOG_COUPLINGS];
};

/* By name: NAME, q_NAME, NAME_position ... and tau_NAME, NAME_torque, NAME_effort ...; time, t or
 * timestamp in seconds. STATUS_BAD_ARGUMENT: a joint without its columns, with the column that was
 * perhaps meant. */
enum status log_map_guess(const struct model *model, const struct log_table *table,
                          const char *file, struct log_map *map, struct message *error);

/* By a file (text_length bytes, called `name`): keys as in log_map_help. Lists have one element per
 * joint, in the model's order. Unknown keys, wrong lengths and missing columns are refused with
 * `file:line:column`. */
enum status log_map_read(const char *text, size_t text_length, const char *name,
                         const struct model *model, const struct log_table *table,
                         const char *log_file, struct log_map *map, struct message *error);

/* What such a file may say, for --help. */
extern const char log_map_help[];

#endif
