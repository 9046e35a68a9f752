#include "fault_matrix.h"

const double matrix_length_s[MATRIX_LENGTHS] = {1e-3, 10e-3, 0.1, 0.8};

static const struct matrix_group groups[] = {
    {"humanoid30", MOTION_STAND},     {"humanoid30", MOTION_WALK},
    {"humanoid30", MOTION_ARM},       {"humanoid18", MOTION_STAND},
    {"humanoid18", MOTION_WALK},      {"humanoid18", MOTION_ARM},
    {"humanoid30@0.6", MOTION_STAND}, {"humanoid30@0.6", MOTION_WALK},
    {"chain9", MOTION_ARM},           {"tx40", MOTION_ARM},
};

const struct matrix_group *matrix_group(size_t i) {
  return i < sizeof(groups) / sizeof(groups[0]) ? &groups[i] : NULL;
}

struct burst_fault matrix_fault(size_t index) {
  const size_t kind = index / MATRIX_LENGTHS;
  return (struct burst_fault){.sensor = (enum burst_sensor)(kind / MATRIX_KINDS),
                              .kind = (enum burst_kind)(kind % MATRIX_KINDS),
                              .length_s = matrix_length_s[index % MATRIX_LENGTHS]};
}

uint64_t matrix_seed(size_t index, uint64_t seed) {
  struct sim_random random = sim_random_from(seed, index);
  return sim_random_next(&random) % 1000;
}

void matrix_count_add(struct matrix_count *count, const struct verdict *v) {
  count->tried++;
  count->passed += verdict_passes(v);
  count->late += !(v->ok_s <= VERDICT_RECOVER_S);
  count->lied += v->lie_s > VERDICT_LIE_S;
  count->wrong += v->q_wrong_s > VERDICT_Q_WRONG_S || !v->finite;
  count->reset_twice += v->resets > 1;
}
