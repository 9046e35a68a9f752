#include "joints/joint_knock.h"

#include "joints/joint_filter_core.h"

/* So many blows in a second. */
static const double BLOWS = 2.0;
/* Readings further apart, s, do not tell how long a blow was. */
static const double LONGEST_BLOW_S = 0.05;

void joint_knock(struct joint_filter *f, struct instant *now, struct blow blow) {
  now->blow = blow.lasts > 0.0 && blow.lasts < LONGEST_BLOW_S ? blow : (struct blow){.square = 0.0};
  blows_step(&f->blows, &f->layout, now->t_ns, now->blow, now->x);
  for (size_t j = 0; j < f->layout.n && now->blow.square > 0.0; j++) {
    const struct knock knock = blows_knock(&f->blows, j, now->blow);
    now->kick_q[j] += knock.q;
    now->kick[j] += knock.dq;
    now->kick_ddq[j] += knock.ddq;
    aftershock_knock(&f->aftershock, j, &knock);
  }
  for (size_t k = 0; k < f->n_apart && now->blow.square > 0.0; k++) {
    f->apart[k]->handed = blow_joined(f->apart[k]->handed, now->blow);
  }
}

void joint_knock_unfelt(struct joint_filter *f, double square, double dt) {
  const double chance = BLOWS * dt;
  aftershock_feel(&f->aftershock, chance * square, 0.0);
  for (size_t j = 0; j < f->layout.n; j++) {
    const struct knock knock =
        blows_knock(&f->blows, j, (struct blow){.square = square, .lasts = dt});
    aftershock_knock(&f->aftershock, j, &(struct knock){.pulse = chance * knock.pulse});
  }
  for (size_t k = 0; k < f->n_apart; k++) {
    joint_knock_unfelt(f->apart[k], square, dt); /* which have none apart themselves */
  }
}
