/* Encoders before their guard. */
#ifndef ENCODER_GUARD_FIXTURE_H
#define ENCODER_GUARD_FIXTURE_H

#include "sensors/encoder_guard.h"
#include "support/random_model.h"

#define ENCODER_SD 1e-3 /* rad: of a reading, and of its prediction */
#define ENCODER_DT 1e-3 /* s */

/* Freed with the process. */
struct encoder_guard guard_of(size_t n);

/* ... of two joints. */
struct encoder_guard new_guard(void);

/* Joint j reads q where `predicted` was expected, at the pace of its readings, ENCODER_DT after its
 * last; unseen_slip and doubt: as expected. ENCODER_LEAVE, too, when it has not measured since. */
enum encoder_verdict judge_joint(struct encoder_guard *guard, size_t j, double q, double predicted,
                                 double unseen_slip, bool doubt);

/* ... the first one, without doubt. */
enum encoder_verdict judge(struct encoder_guard *guard, double q, double predicted,
                           double unseen_slip);

#endif
