/* One source, compiled for several instruction sets; the processor chooses when the program is
 * loaded.
 *
 * `FOR_EACH_ISA` before a function's definition compiles it for AVX-512, for AVX2 with FMA and for
 * the plain target of the build. What it calls inline is compiled along with it. Results of the
 * variants differ by rounding only. */
#ifndef DISPATCH_H
#define DISPATCH_H

/* The thread sanitizer's runtime is not up yet when the loader asks which variant to take. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) &&                        \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_ISA __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_ISA
#endif

#endif
