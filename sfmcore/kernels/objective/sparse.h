/* The data term of J(u) over rows of which the entries that are not zero are kept.
 *
 * Row r has the entries offsets[r] to offsets[r + 1]: values, and their columns in rising order.
 * Eight rows go together, so that their losses fill a vector.
 */
#ifndef SFM_SPARSE_H
#define SFM_SPARSE_H

#include "objective/gibbs.h"

#define SFM_EACH_WIDTH "objective/sparse.width.h"
#include "simd/each_width.h"

#define sfm_sparse_scores(...) SFM_CALL(sfm_sparse_scores, __VA_ARGS__)
#define sfm_sparse_risks(...) SFM_CALL(sfm_sparse_risks, __VA_ARGS__)

#endif
