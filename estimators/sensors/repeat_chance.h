/* How often in a row an encoder that is well may repeat a reading by chance: the noisier it is
 * against its smallest change, the less often. One that is hardly noisier than its steps, or not at
 * all, repeats itself whenever its joint stands, and no row of it proves anything.
 *
 * Second differences of white noise s follow each other with -4 s^2 on average (sensor_scatter.h).
 * Stamps that are a little off have a joint that moves seem noisy: what counts is the least noise
 * that was ever seen. Of a noise s in steps of a two readings are equal with a / (2 sqrt(pi) s). */
#ifndef REPEAT_CHANCE_H
#define REPEAT_CHANCE_H

#include <stdbool.h>

struct repeat_chance {
  double last, moved, bend; /* rad or m: last reading, its first and second difference */
  unsigned heard;           /* readings, such that were no measurements included */
  double step;            /* rad or m: smallest change that has come more than by chance; 0: none */
  double smallest;        /* rad or m: of the changes that were smaller than that */
  unsigned smaller;       /* how many there were */
  double variance, least; /* (rad or m)^2: of its noise, of late and the least so far */
};

/* The next reading, rad or m. [real-time] */
void repeat_chance_next(struct repeat_chance *chance, double q);

/* Its noise is of several steps, as far as it is known: few readings repeat themselves by chance.
 * [real-time] */
bool repeat_chance_is_small(const struct repeat_chance *chance);

/* ... and it has been heard for long enough to know. [real-time] */
bool repeat_chance_is_surely_small(const struct repeat_chance *chance);

#endif
