/* Inner products of all rows of one matrix with all rows of another.
 *
 * Unlike those of a BLAS, a product's bits depend on its own two rows only, not on where they
 * stand or how many there are: columns are added one after another, block of columns by block,
 * and the blocks' sums in order. Like a BLAS it copies blocks so that they are read in the order
 * in which they lie, from the caches.
 */
#ifndef SFM_PRODUCTS_H
#define SFM_PRODUCTS_H

#include "simd/simd.h"

/* A panel of points (16 kB) and a tile of rows (6 kB) stay in the first cache, all rows of a block
 * (200 kB) in the second. The sums of 128 columns keep the error small, too. */
#define SFM_PRODUCTS_COLUMNS 128
#define SFM_PRODUCTS_ROWS 384
/* Floats of memory for one thread: the block of rows, and the widest panel. */
#define SFM_PRODUCTS_SCRATCH (SFM_PRODUCTS_COLUMNS * (SFM_PRODUCTS_ROWS + 32))

#define SFM_EACH_WIDTH "products/products.width.h"
#include "simd/each_width.h"

/* Products of the rows begin..end-1 with all points.
 *
 * Few rows leave most of a tile of twelve undone; 256 bits have tiles of six, and give the same
 * bits. */
static inline void sfm_products_rows(const float *rows, int64_t begin, int64_t end,
                                     const float *points, int64_t n_points, int64_t n_columns,
                                     float *scratch, float *out)
{
    SFM_CALL_WITHIN(end - begin < 12 ? 256 : 512, sfm_products_rows, rows, begin, end, points,
                    n_points, n_columns, scratch, out);
}

#endif
