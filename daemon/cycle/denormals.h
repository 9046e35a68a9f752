/* Numbers too small for full precision cost a hundred times what others cost on many processors,
 * and a filter at rest lets its velocities fade into them. A thread that must be on time computes
 * with zero in their place; nothing that a robot does is that small. */
#ifndef DENORMALS_H
#define DENORMALS_H

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* From here on the calling thread takes denormal operands as zero and gives zero for denormal
 * results, for good. [any] Without effect on processors other than x86-64 and ARMv8. */
static inline void denormals_become_zero(void) {
#if defined(__SSE2__)
  enum { DENORMALS_ARE_ZERO = 1 << 6, FLUSH_TO_ZERO = 1 << 15 };
  _mm_setcsr(_mm_getcsr() | DENORMALS_ARE_ZERO | FLUSH_TO_ZERO);
#elif defined(__aarch64__)
  unsigned long control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  __asm__ volatile("msr fpcr, %0" : : "r"(control | 1ul << 24));
#endif
}

#endif
