/* Eight lanes side by side, memory for them, and functions compiled for several processors.
 *
 * A lane holds one item (a sequence, a row), so a lane's arithmetic never depends on what
 * stands in the other lanes: an item's result is the same in any batch.
 */
#ifndef SFM_VECTOR_H
#define SFM_VECTOR_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SFM_LANES 8

/* Eight floats at any address. */
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

/* Before a function that is compiled for three levels, of which the loader picks one. clang takes
 * no other attribute beside. */
#if SFM_CHOOSE && defined(__clang__)
#define SFM_DISPATCH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#elif SFM_CHOOSE
#define SFM_DISPATCH \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), noinline))
#else
#define SFM_DISPATCH __attribute__((noinline))
#endif

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
