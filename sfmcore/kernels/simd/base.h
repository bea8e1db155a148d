/* What every kernel may use: the number of lanes, and memory for them.
 *
 * A lane holds one item (a sequence, a row) or one column. Lanes never mix but in sums, whose order
 * is fixed, so an item's result is the same in any batch.
 */
#ifndef SFM_BASE_H
#define SFM_BASE_H

/* setup.py says the same of Python's own system; this is for the target of a cross compiler. */
#if !defined(__GNUC__)
#error "sfm-pacbayes needs GCC or Clang: other compilers lack the vectors of its kernels"
#elif __SIZEOF_POINTER__ != 8
#error "sfm-pacbayes needs a 64-bit system: sizes of data are 64-bit numbers"
#elif __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "sfm-pacbayes needs a little-endian processor: vectors take numbers apart by their bytes"
#endif

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that go side by side, whatever the width of the processor's vectors. */
#define SFM_LANES 8

#define SFM_INLINE static inline __attribute__((always_inline))

/* Memory that vectors may be aligned in; NULL when there is none. Give it back with free(). */
static inline void *sfm_alloc(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, bytes ? bytes : 64) != 0) {
        return NULL;
    }
    return memory;
}

/* Sum of eight doubles, in the order of vsum8. */
static inline double sfm_sum8(const double *x)
{
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

#endif
