#include "process/base_passage.h"

#include "model/model.h"

#include <string.h>

/* Adds states; those that continue the run before make it longer. */
static void add_states(struct base_passage *passage, size_t state, size_t count) {
  struct base_run *last = passage->run + passage->runs - (passage->runs > 0);
  if (passage->runs > 0 && last->state + last->count == state) {
    last->count += count;
  } else if (count > 0) {
    passage->run[passage->runs++] = (struct base_run){passage->count, state, count};
  }
  passage->count += count;
}

/* Terms of a chain's F, in order of their rows. */
static size_t chain_terms(const struct joint_chain *chain, const struct chain_passage *step,
                          struct base_term *term) {
  size_t n = 0;
  for (size_t a = 0; a < chain->parts; a++) {
    for (size_t i = 0; i < chain->count; i++) {
      for (size_t b = a; b < chain->parts; b++) {
        term[n++] = (struct base_term){chain->part[a] + i, chain->part[b] + i, step->F[a][b]};
      }
    }
  }
  return n;
}

/* Sorts terms by their rows: all rows are counted, then each term finds its place. */
static void sort_terms(struct base_passage *passage, const struct base_term *term, size_t n) {
  uint8_t index[CHAIN_PARTS * MODEL_MAX_JOINTS + BASE_PASSAGE_STATES];
  size_t filled[BASE_PASSAGE_MOVING] = {0};
  for (size_t r = 0; r < passage->runs; r++) {
    for (size_t k = 0; k < passage->run[r].count; k++) {
      index[passage->run[r].state + k] = (uint8_t)(passage->run[r].at + k);
    }
  }
  memset(passage->start, 0, sizeof(passage->start));
  for (size_t t = 0; t < n; t++) {
    passage->start[index[term[t].to] + 1]++;
  }
  for (size_t k = 0; k < passage->moving; k++) {
    passage->start[k + 1] += passage->start[k];
  }
  for (size_t t = 0; t < n; t++) {
    const size_t k = index[term[t].to], place = passage->start[k] + filled[k]++;
    passage->from[place] = index[term[t].from];
    passage->by[place] = term[t].by;
  }
}

void base_passage_of(struct base_passage *passage, const struct joint_layout *l, double dt,
                     const double *x, const struct joint_chain chain[N_CHAINS],
                     const struct chain_passage step[N_CHAINS]) {
  struct base_term term[BASE_PASSAGE_TERMS];
  const size_t biased = l->biases > 0 ? 3 : 0;
  size_t n = 0;
  passage->count = passage->runs = passage->moving = 0;
  if (l->base == 0) {
    passage->still = l->limb;
    add_states(passage, l->limb, 6 * l->n_limbs);
    sort_terms(passage, NULL, 0);
    return;
  }
  add_states(passage, l->omega, 6); /* and omegadot */
  add_states(passage, l->force, 3);
  add_states(passage, l->omegaddot, 6);         /* and the force's derivative */
  add_states(passage, l->bias_ang, 2 * biased); /* and bias_lin */
  add_states(passage, l->attitude, BASE_MOVING);
  passage->moving = passage->count;
  passage->still = l->gyro_bias;
  add_states(passage, l->gyro_bias, l->size - l->gyro_bias);
  for (int which = CHAIN_ANGULAR; which < N_CHAINS; which++) {
    n += chain_terms(&chain[which], &step[which], term + n);
  }
  n += base_process_terms(l, dt, x, term + n);
  sort_terms(passage, term, n);
}
