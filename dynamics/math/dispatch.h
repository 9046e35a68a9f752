/* One source, compiled for several instruction sets; the loader takes the processor's.
 *
 * `FOR_EACH_ISA` before a function's definition compiles it for AVX-512, for AVX2 with FMA and for
 * the plain target of the build, along with what it calls inline. Results differ by rounding only.
 * A test runs the suites of all that once more with each of the lesser variants (tests/isa). Builds
 * for sanitizers, and those by clang, have the plain variant alone. */
#ifndef DISPATCH_H
#define DISPATCH_H

/* Sanitizers' runtimes are not up yet when the loader asks which variant to take. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) &&                        \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_ISA __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_ISA
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
