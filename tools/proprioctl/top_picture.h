/* The lines of `proprioctl top`. */
#ifndef TOP_PICTURE_H
#define TOP_PICTURE_H

#include "view.h"

#include <stdbool.h>

/* Places of the terminal. */
struct window {
  int rows, columns;
};

/* Draws what was heard last: health, balance and all joints first; what has room in the window
 * beside them are deviations, feet and forces, biases, skin, and the last event. `silent`: nothing
 * has come for a second. */
void top_picture(const struct view *view, const struct subscriber *subscriber,
                 const struct cycle_rate *rate, bool silent, struct window window);

#endif
