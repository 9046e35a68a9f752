/* A joints driver in thirty lines: every millisecond the encoders of a bus go into shared memory.
 * Build: gcc -O2 driver.c -o driver       Run: ./driver 30 [SEGMENT] */
#include <propriod/shm.h>
#include <stdlib.h>

/* Stands for the EtherCAT master: waits for the bus cycle, answers when it latched the encoders. */
static int64_t exchange_process_data(double *q, uint32_t n) {
  const int64_t period_ns = 1000000;
  const int64_t next_ns = (propriod_shm_now_ns() / period_ns + 1) * period_ns;
  const struct timespec next = {next_ns / 1000000000, next_ns % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  for (uint32_t j = 0; j < n; j++) {
    q[j] = 2e-6 * (double)(next_ns / 1000000 % 100000) + j;
  }
  return next_ns;
}

int main(int argc, char **argv) {
  const uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 30;
  const char *segment = argc > 2 ? argv[2] : PROPRIOD_SHM_DEFAULT;
  struct propriod_shm joints;
  char why[PROPRIOD_SHM_REASON];
  for (;;) {
    while (propriod_shm_open(&joints, segment, PROPRIOD_SHM_JOINTS, n, 0, why) != 0) {
      fprintf(stderr, "%s\n", why);
      sleep(1);
    }
    int64_t t_ns;
    do {
      t_ns = exchange_process_data(propriod_shm_begin_joints(&joints).q, n);
    } while (propriod_shm_commit(&joints, t_ns) == 0);
    propriod_shm_close(&joints); /* propriod made another segment: open that */
  }
}
