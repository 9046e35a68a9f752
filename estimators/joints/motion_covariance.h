/* How sure the joint filter is of the motion as a whole: the covariance that a linear function of
 * the base and many joints needs for a deviation of its own.
 *
 * The errors of one order stand as the columns of the centroidal momentum matrix do: the base's
 * rotation or its rates, base axes; its position and velocity, world axes, or its specific force,
 * base axes; the joints. In front of them stands the attitude, about which whatever is carried into
 * the world turns; it has no order. With a fixed base there are joints only. */
#ifndef MOTION_COVARIANCE_H
#define MOTION_COVARIANCE_H

#include "common/status.h"
#include "process/joint_process.h"

struct joint_filter;

enum { MOTION_ORDERS = 3 }; /* position, velocity, acceleration */

/* Errors in a covariance: 9 + n with a floating base, n with a fixed one. [any] */
size_t motion_covariance_size(const struct joint_layout *layout);

/* The covariance of [attitude; sum over k of weight[k] (errors of order k)] at the filter's newest
 * instant, slow errors of skin taken out of the accelerations. [real-time]
 *   C   [size][stride], both triangles, and zeros up to the stride
 * STATUS_TOO_FEW: the filter, or its base, has not begun; C is untouched. */
enum status motion_covariance(const struct joint_filter *filter, const double weight[MOTION_ORDERS],
                              double *C, size_t stride);

#endif
