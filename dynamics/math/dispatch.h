/* One source, compiled for several instruction sets; the loader takes the processor's.
 *
 * `FOR_EACH_ISA` before a function's definition compiles it for AVX-512, for AVX2 with FMA and for
 * the plain target of the build, along with what it calls inline: right for plain loops, which the
 * compiler fits to the registers by itself.
 *
 * Vector types do not fit themselves: one wider than the registers lives on the stack. A file that
 * uses them names each of its functions in `ISA_KERNEL(name)` and defines it as `ISA(name)`. The
 * Makefile compiles that file as a whole once for each instruction set, so that a vector may have
 * the width of the registers, REGISTER_BYTES.
 *
 * Results differ by rounding only. A test runs the suites of all that once more with each of the
 * lesser variants, another looks for what went to the stack (tests/isa). Builds for sanitizers,
 * those by clang and those for other processors have the plain variant alone. */
#ifndef DISPATCH_H
#define DISPATCH_H

/* Sanitizers' runtimes are not up yet when the loader asks which variant to take. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) &&                        \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_ISA __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_ISA
#endif

#if defined(__AVX512F__)
#define REGISTER_BYTES 64
#elif defined(__AVX__)
#define REGISTER_BYTES 32
#else
#define REGISTER_BYTES 16 /* SSE2, NEON */
#endif

/* ISA_LEVEL: of x86-64, by the Makefile, for files with ISA_KERNEL. Level 1 also has the choice,
 * which the loader makes once, as it does for FOR_EACH_ISA. */
#if !defined(ISA_LEVEL)
#define ISA(name) name
#define ISA_KERNEL(name)
#elif ISA_LEVEL == 4
#define ISA(name)        name##_v4
#define ISA_KERNEL(name) extern __typeof__(name) name##_v4;
#elif ISA_LEVEL == 3
#define ISA(name)        name##_v3
#define ISA_KERNEL(name) extern __typeof__(name) name##_v3;
#else
#define ISA(name) name##_v1
#define ISA_KERNEL(name)                                                                           \
  extern __typeof__(name) name##_v4, name##_v3, name##_v1;                                         \
  static __typeof__(name) *name##_choice(void) {                                                   \
    __builtin_cpu_init();                                                                          \
    return __builtin_cpu_supports("x86-64-v4")   ? name##_v4                                       \
           : __builtin_cpu_supports("x86-64-v3") ? name##_v3                                       \
                                                 : name##_v1;                                      \
  }                                                                                                \
  __typeof__(name) name __attribute__((ifunc(#name "_choice")));
#endif

/* Before a loop whose turns do not meet in memory, where gcc cannot see that. */
#ifdef __clang__
#define INDEPENDENT_TURNS
#else
#define INDEPENDENT_TURNS _Pragma("GCC ivdep")
#endif

/* Before a function that such a function calls: inlined without fail, so that it is compiled for
 * the same instructions. */
#define ISA_INLINE static inline __attribute__((always_inline))

#endif
