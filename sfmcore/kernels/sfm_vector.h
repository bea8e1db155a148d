/* Eight double lanes side by side, and the choice of the vector width at run time.
 *
 * A lane holds one item (a sequence, a row), so a lane's arithmetic never depends on what
 * stands in the other lanes: an item's result is the same in any batch.
 *
 * GCC and Clang split the 64-byte vector into what the processor has. With glibc on x86-64
 * the functions marked SFM_DISPATCH are compiled for three levels, and the loader picks one.
 */
#ifndef SFM_VECTOR_H
#define SFM_VECTOR_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SFM_LANES 8

typedef double vdouble __attribute__((vector_size(64)));
typedef uint64_t vuint __attribute__((vector_size(64)));
typedef int64_t vint __attribute__((vector_size(64)));
/* Loads and stores of eight numbers at any address. */
typedef double vdouble_u __attribute__((vector_size(64), aligned(8), may_alias));
typedef float vfloat_u __attribute__((vector_size(32), aligned(4), may_alias));

#define SFM_INLINE static inline __attribute__((always_inline))

/* Whether versions for several levels are compiled, of which one is chosen at run time. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(SFM_NO_DISPATCH) && \
    ((defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12) || \
     (defined(__clang__) && __clang_major__ >= 16))
#define SFM_CHOOSE 1
#else
#define SFM_CHOOSE 0
#endif

/* Before a function that is compiled for three levels, of which the loader picks one. WIDE is for
 * those that hand eights of doubles to other functions: clang has no versions of these.
 */
#if SFM_CHOOSE && defined(__clang__)
#define SFM_DISPATCH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define SFM_DISPATCH_WIDE __attribute__((noinline))
#elif SFM_CHOOSE
#define SFM_DISPATCH \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), noinline))
#define SFM_DISPATCH_WIDE SFM_DISPATCH
#else
#define SFM_DISPATCH __attribute__((noinline))
#define SFM_DISPATCH_WIDE SFM_DISPATCH
#endif

/* value where the mask is set, else other. A mask is all ones or all zeros per lane. */
SFM_INLINE vdouble vselect(vint mask, vdouble value, vdouble other)
{
    return (vdouble)(((vint)value & mask) | ((vint)other & ~mask));
}

SFM_INLINE vdouble vzero(void)
{
    return (vdouble){0, 0, 0, 0, 0, 0, 0, 0};
}

SFM_INLINE vdouble vfill(double x)
{
    return vzero() + x;
}

SFM_INLINE double vsum(vdouble x)
{
    /* A fixed tree, so that the sum's bits don't depend on the compiler's choice. */
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/* Memory for vectors; NULL when there is none. Give it back with free(). */
static inline void *sfm_alloc(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, bytes ? bytes : 64) != 0) {
        return NULL;
    }
    return memory;
}

#endif
