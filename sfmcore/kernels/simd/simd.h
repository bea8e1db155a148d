/* Vectors of the processor's width: the words that all kernels share.
 *
 * Compilers keep vectors wider than the processor's in memory and move them piece by piece: with
 * AVX2 that takes two to six times as long. So a kernel's loops stand in a file X.width.h, which is
 * compiled once for each width:
 *
 *     #define SFM_EACH_WIDTH "hmm/hmm.width.h"
 *     #include "simd/each_width.h"
 *
 * and the rest of the kernel calls them by SFM_CALL (see dispatch.h). In such a file the words
 * below mean those of its width. Functions are
 *
 *     SFM_ENTRY void SIZED(sfm_x)(...)     called from outside
 *     SFM_INNER vdouble SIZED(sfm_y)(...)  a part of those
 *
 * Results must not depend on the width. Eight lanes are PARTS vectors of WIDTH doubles, every lane
 * has its own sums, and vsum8 adds the lanes in one order. 512 and 256 bits then give the same
 * bits; 128 may differ in the last digits, as only the wider ones fuse multiplication and addition.
 */
#ifndef SFM_SIMD_H
#define SFM_SIMD_H

#include "simd/dispatch.h"

#if SFM_HAS_512 || SFM_HAS_256 || defined(__SSE2__)
#include <immintrin.h>
#endif

/* A name with the width at its end: sfm_x_512. */
#define SIZED(name) SFM_PASTE(name, BITS)
#define SFM_PASTE(name, bits) SFM_PASTED(name, bits)
#define SFM_PASTED(name, bits) name##_##bits

#define SFM_TARGET SIZED(SFM_TARGET)
#define SFM_ENTRY __attribute__((noinline)) SFM_TARGET static
#define SFM_INNER SFM_INLINE SFM_TARGET

/* Doubles and floats of a vector, and vectors of eight lanes. */
#define WIDTH (BITS / 64)
#define FLOATS (BITS / 32)
#define PARTS (SFM_LANES / WIDTH)

/* Types: doubles, with masks and bits of as many lanes, and floats, with integers of as many. A
 * mask is what a comparison gives, all ones or all zeros in each lane; that of floats is a vint. */
#define vdouble SIZED(sfm_vdouble)
#define vmask SIZED(sfm_vmask)
#define vbits SIZED(sfm_vbits)
#define vfloat SIZED(sfm_vfloat)
#define vint SIZED(sfm_vint)
/* Eight floats in any width, for those that belong together: as many vectors as they take. */
#define vfloat8 SIZED(sfm_vfloat8)
/* Whole numbers of 8 and of 16 bits: sums and differences stop at the least and the largest. */
#define vbytes SIZED(sfm_vbytes)
#define vshorts SIZED(sfm_vshorts)

/* Memory: at a multiple of the vector's size where the name says so, at any address elsewhere. */
#define vload SIZED(sfm_vload)
#define vload_aligned SIZED(sfm_vload_aligned)
#define vload_floats SIZED(sfm_vload_floats)
#define vstore SIZED(sfm_vstore)
#define vstore_aligned SIZED(sfm_vstore_aligned)
#define vstore_floats SIZED(sfm_vstore_floats)
#define vfloat_load SIZED(sfm_vfloat_load)
#define vfloat_store SIZED(sfm_vfloat_store)
#define vfloat8_load SIZED(sfm_vfloat8_load)
#define vfloat8_store SIZED(sfm_vfloat8_store)
#define vint_load_aligned SIZED(sfm_vint_load_aligned)
#define vbytes_load_aligned SIZED(sfm_vbytes_load_aligned)
#define vbytes_store_aligned SIZED(sfm_vbytes_store_aligned)
#define vshorts_load_aligned SIZED(sfm_vshorts_load_aligned)
#define vshorts_store_aligned SIZED(sfm_vshorts_store_aligned)

#define vfill SIZED(sfm_vfill)
#define vselect SIZED(sfm_vselect)
#define vsum8 SIZED(sfm_vsum8)

#define vbytes_fill SIZED(sfm_vbytes_fill)
#define vbytes_turn SIZED(sfm_vbytes_turn)
#define vbytes_add SIZED(sfm_vbytes_add)
#define vbytes_sub SIZED(sfm_vbytes_sub)
#define vbytes_max SIZED(sfm_vbytes_max)
#define vbytes_load_bytes SIZED(sfm_vbytes_load_bytes)
#define vbytes_next_lane SIZED(sfm_vbytes_next_lane)
#define vbytes_differ SIZED(sfm_vbytes_differ)
#define vshorts_fill SIZED(sfm_vshorts_fill)
#define vshorts_turn SIZED(sfm_vshorts_turn)
#define vshorts_add SIZED(sfm_vshorts_add)
#define vshorts_sub SIZED(sfm_vshorts_sub)
#define vshorts_max SIZED(sfm_vshorts_max)
#define vshorts_load_bytes SIZED(sfm_vshorts_load_bytes)
#define vshorts_next_lane SIZED(sfm_vshorts_next_lane)
#define vshorts_differ SIZED(sfm_vshorts_differ)
#define vshorts_equal SIZED(sfm_vshorts_equal)
#define vshorts_store_low SIZED(sfm_vshorts_store_low)

#define SFM_EACH_WIDTH "simd/simd.width.h"
#include "simd/each_width.h"

#endif
