/* Counts of the words that one pattern sees along a sequence, projected to a few columns. */
#ifndef SFM_PATTERNS_H
#define SFM_PATTERNS_H

#include "simd/simd.h"

typedef struct {
    int64_t n_places;
    const int32_t *places;  /* from the first one, which is 0, to the last */
    const uint8_t *groups;  /* group of each symbol */
    int64_t n_groups;
    float weight;
    const float *rows;      /* of the words, rank numbers each */
} sfm_pattern;

#define SFM_EACH_WIDTH "patterns/patterns.width.h"
#include "simd/each_width.h"

/* Adds weight * sqrt(share of the word) * row of the word, for all words of a sequence.
 *
 * `counts` holds a zero for each word and is left so; `touched` has room for all windows. Words
 * come in the order in which they are first seen, so the sum has the same bits in any batch.
 */
#define sfm_pattern_project(...) SFM_CALL(sfm_pattern_project, __VA_ARGS__)

#endif
