/* Makes a test program believe that it runs on a lesser processor, so that the loader takes
 * another variant of every function with FOR_EACH_ISA (dispatch.h) than it would here.
 *
 * To be linked with --wrap=__cpu_indicator_init: the compiler's runtime finds out what the
 * processor can do, and this takes part of it away again before anybody asks. LESSER_ISA is the
 * x86-64 level that is left: 3 (AVX2) or 1. The loader comes here before anything is relocated:
 * nothing from outside is called. */
#ifndef LESSER_PROCESSOR_H
#define LESSER_PROCESSOR_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)

#include <stdlib.h>

enum { LEVELS = 2, LEVEL_3 = 1u << 1, LEVEL_4 = 1u << 2 }; /* word and bits of gcc's cpuinfo.h */

extern unsigned int __cpu_features2[];
int __real___cpu_indicator_init(void);
int __wrap___cpu_indicator_init(void);

int __wrap___cpu_indicator_init(void) {
  const int known = __real___cpu_indicator_init();
  __cpu_features2[LEVELS] &= ~(LESSER_ISA < 3 ? LEVEL_3 | LEVEL_4 : (unsigned)LEVEL_4);
  return known;
}

/* With another compiler the bits may stand elsewhere: then nothing would be tested. */
__attribute__((constructor)) static void check_what_is_left(void) {
  if (__builtin_cpu_supports("x86-64-v4") ||
      (LESSER_ISA < 3 && __builtin_cpu_supports("x86-64-v3"))) {
    abort();
  }
}

#endif
#endif
