/* Reading propriod's state from shared memory: for a controller on the same machine that cannot
 * wait for a socket.
 * Build: gcc -O2 shared_state.c -o shared_state
 * Run: ./shared_state [SEGMENT [SECONDS]] */
#include <propriod/state.h>

#include <stdlib.h>
#include <time.h>

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv) {
  const char *segment = argc > 1 ? argv[1] : PROPRIOD_STATE_DEFAULT;
  const int rounds = argc > 2 ? 10 * atoi(argv[2]) : -1;
  const struct timespec pause = {0, 100000000};
  struct propriod_state_reader reader = {NULL};
  static struct propriod_state state;
  static struct propriod_centroidal centroidal;
  char why[PROPRIOD_STATE_REASON];
  int heard = 0;
  for (int i = 0; i != rounds; i++) {
    nanosleep(&pause, NULL);
    if (reader.segment == NULL && propriod_state_open(&reader, segment, why) != 0) {
      fprintf(stderr, "%s\n", why);
    } else if (propriod_state_read(&reader, &state, &centroidal) != 0) {
      propriod_state_close(&reader); /* nothing yet, or propriod made another: open that */
    } else {
      const double q0 =
          (state.estimated & PROPRIOD_STATE_Q) && state.n_joints > 0 ? state.q[0] : 0.0;
      printf("number %llu, %.2f ms old, first joint %.4f, mass %.2f kg\n",
             (unsigned long long)state.seq, 1e-6 * (double)(now_ns() - state.t_ns), q0,
             centroidal.mass);
      fflush(stdout);
      heard++;
    }
  }
  propriod_state_close(&reader);
  return heard > 0 ? 0 : 1;
}
