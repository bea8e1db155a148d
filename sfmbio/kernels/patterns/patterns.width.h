/* The loops of patterns.h for one width. */

/* As sfm_pattern_project. */
SFM_ENTRY void SIZED(sfm_pattern_project)(const sfm_pattern *pattern, const uint8_t *codes,
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
