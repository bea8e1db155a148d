/* Counts of the words that one pattern sees along a sequence, projected to a few columns. */
#ifndef SFM_PATTERNS_H
#define SFM_PATTERNS_H

#include "sfm_vector.h"

typedef struct {
    int64_t n_places;
    const int32_t *places;  /* from the first one, which is 0, to the last */
    const uint8_t *groups;  /* group of each symbol */
    int64_t n_groups;
    float weight;
    const float *rows;      /* of the words, rank numbers each */
} sfm_pattern;

/* Adds weight * sqrt(share of the word) * row of the word, for all words of a sequence.
 *
 * `counts` holds a zero for each word and is left so; `touched` has room for all windows. Words
 * come in the order in which they are first seen, so the sum has the same bits in any batch.
 */
SFM_DISPATCH static void sfm_pattern_project(const sfm_pattern *pattern, const uint8_t *codes,
                                             int64_t length, int64_t rank, int32_t *counts,
                                             int32_t *touched, float *restrict out)
{
    const int64_t n_windows = length - pattern->places[pattern->n_places - 1];
    int64_t n_touched = 0;
    float scale;
    if (n_windows <= 0) {
        return;
    }
    for (int64_t t = 0; t < n_windows; ++t) {
        int64_t word = 0;
        for (int64_t p = 0; p < pattern->n_places; ++p) {
            word = word * pattern->n_groups + pattern->groups[codes[t + pattern->places[p]]];
        }
        if (counts[word]++ == 0) {
            touched[n_touched++] = (int32_t)word;
        }
    }
    scale = pattern->weight / sqrtf((float)n_windows);
    for (int64_t k = 0; k < n_touched; ++k) {
        const float value = scale * sqrtf((float)counts[touched[k]]);
        const float *row = pattern->rows + touched[k] * rank;
        for (int64_t d = 0; d < rank; ++d) {
            out[d] += value * row[d];
        }
        counts[touched[k]] = 0;
    }
}

#endif
