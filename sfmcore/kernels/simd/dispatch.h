/* Which vector widths are compiled, and which of them a call takes.
 *
 * A function X is compiled as X_512, X_256 and X_128 (see each_width.h), and SFM_CALL(X, ...) calls
 * the widest one that the processor runs and the process allows. One number holds that width for
 * all kernels of the process: it belongs to the module _simd, and a kernel that has vectors follows
 * it from its import on.
 *
 * With a compiler or a system that can't choose at run time there are the widths that the
 * compiler's own flags allow, and always 128 bits, which every compiler breaks down to what it
 * has.
 */
#ifndef SFM_DISPATCH_H
#define SFM_DISPATCH_H

#include "simd/base.h"

/* Whether the processor is asked at run time. The compiler's own library answers, whatever libc. */
#if defined(__x86_64__) && !defined(SFM_NO_DISPATCH) && \
    ((defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12) || \
     (defined(__clang__) && __clang_major__ >= 16))
#define SFM_CHOOSE 1
#define SFM_HAS_512 1
#define SFM_HAS_256 1
#else
#define SFM_CHOOSE 0
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define SFM_HAS_512 1
#else
#define SFM_HAS_512 0
#endif
/* Both widths must fuse multiply-add, or their last digits would differ. */
#if defined(__AVX2__) && defined(__FMA__)
#define SFM_HAS_256 1
#else
#define SFM_HAS_256 0
#endif
#endif

/* Attributes of the functions of each width. */
#define SFM_FEATURES_512 "avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,fma,popcnt"
#define SFM_FEATURES_256 "avx2,bmi,bmi2,fma,popcnt"
#if SFM_CHOOSE
#define SFM_TARGET_512 __attribute__((target(SFM_FEATURES_512)))
#define SFM_TARGET_256 __attribute__((target(SFM_FEATURES_256)))
#else
#define SFM_TARGET_512
#define SFM_TARGET_256
#endif
#define SFM_TARGET_128

/* 512 bits with the sums of products of 16-bit numbers, which not all such processors have. */
#if SFM_CHOOSE
#define SFM_TARGET_512_VNNI __attribute__((target(SFM_FEATURES_512 ",avx512vnni")))
#else
#define SFM_TARGET_512_VNNI
#endif

static inline int sfm_has_vnni(void)
{
#if SFM_CHOOSE
    return __builtin_cpu_supports("avx512vnni") != 0;
#elif defined(__AVX512VNNI__)
    return 1;
#else
    return 0;
#endif
}

/* Bits of the widest vectors that are compiled and that this processor has. */
static inline int sfm_widest(void)
{
#if SFM_CHOOSE
    __builtin_cpu_init();
    if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
          __builtin_cpu_supports("popcnt"))) {
        return 128;
    }
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? 512
               : 256;
#else
    return SFM_HAS_512 ? 512 : SFM_HAS_256 ? 256 : 128;
#endif
}

/* The process's width, once the module follows it. There is no default: a module that forgets to
 * follow shall fail at its first call, and not pass the tests of widths that it never takes. */
static const int *sfm_width;

static inline void sfm_follow(const int *width)
{
    sfm_width = width;
}

#if SFM_HAS_512
#define SFM_IF_512(most, call) (most) >= 512 && *sfm_width >= 512 ? call:
#else
#define SFM_IF_512(most, call)
#endif
#if SFM_HAS_256
#define SFM_IF_256(most, call) (most) >= 256 && *sfm_width >= 256 ? call:
#else
#define SFM_IF_256(most, call)
#endif

/* Call a function with vectors of at most so many bits, of those that the process allows. */
#define SFM_CALL_WITHIN(most, name, ...)                                                 \
    (SFM_IF_512(most, name##_512(__VA_ARGS__)) SFM_IF_256(most, name##_256(__VA_ARGS__)) \
         name##_128(__VA_ARGS__))
#define SFM_CALL(name, ...) SFM_CALL_WITHIN(512, name, __VA_ARGS__)

/* What is called from Cython gets a name without a width:
 *
 *     #define sfm_x(...) SFM_CALL(sfm_x, __VA_ARGS__)
 */

#endif
