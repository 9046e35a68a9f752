/* A skin gateway: asks the bus only for the cells that propriod wants, 250 times a second.
 * Build: gcc -O2 skin_driver.c -o skin_driver       Run: ./skin_driver 1260 [SEGMENT] */
#include <propriod/shm.h>
#include <stdlib.h>

/* Stands for the bus: one cell's accelerations, m/s^2, in its own frame. False: no answer. */
static int read_cell(uint32_t cell, float acceleration[3]) {
  acceleration[0] = acceleration[1] = 0.0f;
  acceleration[2] = 9.81f;
  return cell % 100 != 99;
}

static void read_cells(struct propriod_shm *skin) {
  const struct propriod_shm_skin frame = propriod_shm_begin_skin(skin);
  for (uint32_t cell = 0; cell < skin->count; cell++) {
    const int good =
        propriod_shm_wanted(skin, cell) && read_cell(cell, frame.acceleration + 3 * cell);
    frame.flags[cell] = good ? PROPRIOD_SHM_CELL_VALID : 0;
  }
}

int main(int argc, char **argv) {
  const uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 1260;
  const char *segment = argc > 2 ? argv[2] : PROPRIOD_SHM_DEFAULT;
  const struct timespec period = {0, 4000000};
  struct propriod_shm skin;
  char why[PROPRIOD_SHM_REASON];
  for (;;) {
    while (propriod_shm_open(&skin, segment, PROPRIOD_SHM_SKIN, n, 0, why) != 0) {
      fprintf(stderr, "%s\n", why);
      sleep(1);
    }
    int64_t sampled_ns;
    do {
      nanosleep(&period, NULL);
      sampled_ns = propriod_shm_now_ns();
      read_cells(&skin);
    } while (propriod_shm_commit(&skin, sampled_ns) == 0);
    propriod_shm_close(&skin); /* propriod made another segment: open that */
  }
}
