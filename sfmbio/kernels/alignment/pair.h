/* The score of one pair of a query and a target. */
#ifndef SFM_PAIR_H
#define SFM_PAIR_H

#include "alignment/targets.h"

/* One pair in 32 bits. `memory` holds two numbers for each symbol of the query. */
static int32_t sfm_align_alone(const sfm_targets *targets, int64_t target, const uint8_t *query,
                               int64_t n, int32_t *memory)
{
    const int8_t *row = targets->scores + targets->offsets[target] * targets->n_symbols;
    const int64_t length = sfm_target_length(targets, target);
    int32_t best = 0;
    memset(memory, 0, (size_t)n * 2 * sizeof(int32_t));
    for (int64_t j = 0; j < length; ++j, row += targets->n_symbols) {
        int32_t corner = 0, down = 0;
        for (int64_t i = 0; i < n; ++i) {
            const int32_t across = memory[2 * i + 1];
            int32_t cell = corner + row[query[i]], opened;
            cell = cell > across ? cell : across;
            cell = cell > down ? cell : down;
            best = best > cell ? best : cell;
            corner = memory[2 * i];
            memory[2 * i] = cell;
            opened = cell - targets->open > 0 ? cell - targets->open : 0;
            down = down - targets->extend > opened ? down - targets->extend : opened;
            memory[2 * i + 1] =
                across - targets->extend > opened ? across - targets->extend : opened;
        }
    }
    return best;
}

/* Positions of the stretches of a target, one for each of so many lanes. */
static inline int64_t sfm_stretch(int64_t length, int64_t n_lanes)
{
    return (length + n_lanes - 1) / n_lanes;
}

/* A target's scores as those of up to 64 targets, which are its stretches. */
static void sfm_pack_stretches(const sfm_targets *targets, int64_t target, int64_t n_lanes,
                               int8_t *packed)
{
    const int64_t n_symbols = targets->n_symbols, own = sfm_target_length(targets, target);
    const int64_t length = sfm_stretch(own, n_lanes);
    const int8_t *scores = targets->scores + targets->offsets[target] * n_symbols;
    for (int64_t j = 0; j < length; ++j) {
        for (int64_t lane = 0; lane < n_lanes; lane += SFM_SQUARE) {
            const int8_t *rows[SFM_SQUARE];
            for (int k = 0; k < SFM_SQUARE; ++k) {
                const int64_t position = (lane + k) * length + j;
                rows[k] = position < own ? scores + position * n_symbols : NULL;
            }
            sfm_turn_rows(rows, n_symbols, packed + j * n_symbols * SFM_ROW + lane);
        }
    }
}

/* Bytes that a target may need in any width and size of numbers. */
static inline size_t sfm_stretches_size(const sfm_targets *targets, int64_t longest)
{
    return (size_t)(sfm_stretch(longest, SFM_FEWEST_LANES) * targets->n_symbols) * SFM_ROW;
}

/* Bytes of memory that the loops may need. */
static inline size_t sfm_across_size(int64_t longest, int64_t n_query)
{
    const size_t rows = (size_t)sfm_stretch(longest, SFM_FEWEST_LANES) * 3 * SFM_ROW;
    const size_t alone = (size_t)n_query * 2 * sizeof(int32_t);
    return rows > alone ? rows : alone;
}

/* The score of one pair, in as few bits as hold it; not in 8 bits if that is known not to do. */
static int32_t sfm_score_pair(const sfm_targets *targets, int64_t target, const uint8_t *query,
                              int64_t n, int is_large, int8_t *packed, int8_t *memory)
{
    const int64_t length = sfm_target_length(targets, target);
    int bits, best;
    if (length == 0) {
        return 0;
    }
    bits = SFM_CALL(sfm_width_of_vectors, 0);
    if (!is_large) {
        sfm_pack_stretches(targets, target, bits / 8, packed);
        best = SFM_CALL(sfm_across_bytes, targets, packed, sfm_stretch(length, bits / 8), query, n,
                        0, memory);
        if (best < INT8_MAX) {
            return best - INT8_MIN;
        }
    }
    sfm_pack_stretches(targets, target, bits / 16, packed);
    best = SFM_CALL(sfm_across_shorts, targets, packed, sfm_stretch(length, bits / 16), query, n,
                    0, (int16_t *)memory);
    return best < INT16_MAX ? best - INT16_MIN
                            : sfm_align_alone(targets, target, query, n, (int32_t *)memory);
}

#endif
