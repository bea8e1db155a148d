/* The levels of functions that are written out for each width of the processor's vectors.
 *
 * GCC keeps vectors wider than the processor's in memory and moves them piece by piece: with AVX2
 * that takes two to six times as long. Such functions stand in a header that is included for each
 * level below, with vectors of WIDTH doubles. An eight is PARTS = 8 / WIDTH of them side by side,
 * so that sums have the same order in any width.
 */
#ifndef SFM_LEVELS_H
#define SFM_LEVELS_H

#include "sfm_vector.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SFM_X86 1
#endif

/* 1 where there are to be functions for vectors of so many doubles. */
#if SFM_CHOOSE || defined(__AVX512F__)
#define SFM_LEVEL_8 1
#else
#define SFM_LEVEL_8 0
#endif
#if SFM_CHOOSE || (defined(__AVX__) && !defined(__AVX512F__))
#define SFM_LEVEL_4 1
#else
#define SFM_LEVEL_4 0
#endif
#if SFM_CHOOSE || !defined(__AVX__)
#define SFM_LEVEL_2 1
#else
#define SFM_LEVEL_2 0
#endif

#if SFM_CHOOSE
#define SFM_TARGET_8 __attribute__((target("avx512f,avx512dq,fma")))
#define SFM_TARGET_4 __attribute__((target("avx2,fma")))
#else
#define SFM_TARGET_8
#define SFM_TARGET_4
#endif
#define SFM_TARGET_2

/* Names put together. */
#define SFM_PASTED(prefix, name, width) SFM_PASTE(prefix, name, width)
#define SFM_PASTE(prefix, name, width) prefix##name##_##width

/* With AVX-512, what works on floats may take vectors of four doubles. */
#define SFM_LANES_4 (SFM_LEVEL_4 || SFM_LEVEL_8)

#define SFM_PREFIX sfm_
#define SFM_LOOPS "sfm_lanes.h"
#include "sfm_each_width.h"

#define SFM_PREFIX sfm_
#define SFM_LOOPS "sfm_eights.h"
#include "sfm_each_width.h"

/* Call the function for vectors of at most `widest` doubles that this processor has. */
#if SFM_CHOOSE
#define SFM_CALL(widest, name, ...)                                                     \
    ((widest) >= 8 && __builtin_cpu_supports("avx512f") &&                              \
             __builtin_cpu_supports("avx512dq")                                         \
         ? name##_8(__VA_ARGS__)                                                        \
     : (widest) >= 4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") \
         ? name##_4(__VA_ARGS__)                                                        \
         : name##_2(__VA_ARGS__))
#elif SFM_LEVEL_8
#define SFM_CALL(widest, name, ...) ((void)(widest), name##_8(__VA_ARGS__))
#elif SFM_LEVEL_4
#define SFM_CALL(widest, name, ...) ((void)(widest), name##_4(__VA_ARGS__))
#else
#define SFM_CALL(widest, name, ...) ((void)(widest), name##_2(__VA_ARGS__))
#endif

#endif
