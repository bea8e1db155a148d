/* Local alignments (Smith and Waterman, with Gotoh's affine gaps) of sequences with targets that
 * have a score of every symbol at every position.
 *
 * Scores alone: 64 targets of like length stand side by side in 64 bytes, and one query goes
 * through all of them at once. Numbers have signs and the least of them stands for 0, so that sums
 * stop where a local alignment does. They also stop at 255; what got there is done again in 16
 * bits, 32 targets at a time or, of few, one after another (alignment.across.h), and from there, if it
 * must be, in 32 bits alone.
 *
 * Of two gaps side by side, one in either sequence, the order does not matter to the score. So only
 * one order is followed in the scores: then a gap in the target never waits for the cell's own
 * result, and the loop is bound by the number of its instructions.
 */
#ifndef SFM_ALIGNMENT_H
#define SFM_ALIGNMENT_H

#include "alignment/cells.h"

/* Positions that packed targets take, of which the longest has so many. */
static inline int64_t sfm_packed_length(int64_t longest)
{
    return (longest + SFM_STRIP - 1) / SFM_STRIP * SFM_STRIP;
}

/* Scores of up to 64 targets, of which the last is the longest: SFM_ROW bytes for each symbol of each
 * position, or the first half of them where that holds all. What is left over is below all scores, and
 * so never ends an alignment. */
static void sfm_pack_bytes(const sfm_targets *targets, const int64_t *which, int n, int8_t *packed)
{
    const int64_t n_symbols = targets->n_symbols;
    const int64_t length = sfm_packed_length(sfm_target_length(targets, which[n - 1]));
    const int n_lanes = n <= SFM_ROW / 2 ? SFM_ROW / 2 : SFM_ROW;
    for (int lane = 0; lane < n_lanes; lane += SFM_SQUARE) {
        const int n_own = n - lane < SFM_SQUARE ? n - lane : SFM_SQUARE;
        int64_t longest = 0, j = 0;
        for (int k = 0; k < n_own; ++k) {
            const int64_t own = sfm_target_length(targets, which[lane + k]);
            longest = longest > own ? longest : own;
        }
        for (; j < longest; ++j) {
            const int8_t *rows[SFM_SQUARE];
            for (int k = 0; k < SFM_SQUARE; ++k) {
                rows[k] = k < n_own && j < sfm_target_length(targets, which[lane + k])
                              ? targets->scores + (targets->offsets[which[lane + k]] + j) * n_symbols
                              : NULL;
            }
            sfm_turn_rows(rows, n_symbols, packed + j * n_symbols * SFM_ROW + lane);
        }
        for (int64_t row = j * n_symbols; row < length * n_symbols; ++row) {
            memset(packed + row * SFM_ROW + lane, INT8_MIN, SFM_SQUARE);
        }
    }
}

/* The same of up to 32 targets in 16 bits. */
static void sfm_pack_shorts(const sfm_targets *targets, const int64_t *which, int n,
                            int64_t n_rows, int16_t *packed)
{
    const int64_t n_symbols = targets->n_symbols;
    for (int64_t k = 0; k < n_rows * (SFM_ROW / 2); ++k) {
        packed[k] = INT8_MIN;
    }
    for (int64_t j = 0; j < sfm_target_length(targets, which[n - 1]); ++j) {
        int16_t *rows = packed + j * n_symbols * (SFM_ROW / 2);
        for (int lane = 0; lane < n; ++lane) {
            if (j < sfm_target_length(targets, which[lane])) {
                const int8_t *own = targets->scores + (targets->offsets[which[lane]] + j) * n_symbols;
                for (int64_t s = 0; s < n_symbols; ++s) {
                    rows[s * (SFM_ROW / 2) + lane] = own[s];
                }
            }
        }
    }
}

/* Bytes of packed targets, of which the longest has so many positions. */
static inline size_t sfm_packed_size(const sfm_targets *targets, int64_t longest)
{
    return (size_t)(sfm_packed_length(longest) * targets->n_symbols) * SFM_ROW;
}

/* Scores of one query with n <= 64 packed targets in a row of all targets; SFM_AGAIN where 8 bits do
 * not hold them. `memory` has room for two rows of each symbol. */
static void sfm_row_in_bytes(const sfm_targets *targets, const int64_t *which, int n,
                             const int8_t *packed, const uint8_t *query, int64_t n_query,
                             int8_t *memory, int32_t *row)
{
    const int64_t length = sfm_target_length(targets, which[n - 1]);
    int8_t best[SFM_ROW] __attribute__((aligned(SFM_ROW)));
    /* Half a row takes half as long. */
    SFM_CALL_WITHIN(n <= SFM_ROW / 2 ? 256 : 512, sfm_align_bytes, targets, query, n_query, packed,
                    length, n, memory, best);
    for (int lane = 0; lane < n; ++lane) {
        row[which[lane]] = best[lane] < INT8_MAX ? best[lane] - INT8_MIN : SFM_AGAIN;
    }
}

/* What diagonals alone give. */
static void sfm_row_of_diagonals(const sfm_targets *targets, const int64_t *which, int n,
                                 const int8_t *packed, const uint8_t *query, int64_t n_query,
                                 int8_t *memory, uint8_t *row)
{
    const int64_t length = sfm_target_length(targets, which[n - 1]);
    int8_t best[SFM_ROW] __attribute__((aligned(SFM_ROW)));
    SFM_CALL_WITHIN(n <= SFM_ROW / 2 ? 256 : 512, sfm_diagonal_bytes, targets, query, n_query,
                    packed, length, n, memory, best);
    for (int lane = 0; lane < n; ++lane) {
        row[which[lane]] = (uint8_t)(best[lane] - INT8_MIN);
    }
}

static inline int64_t sfm_longest_query(const sfm_queries *queries, int64_t first, int64_t last)
{
    int64_t longest = 0;
    for (int64_t q = first; q < last; ++q) {
        const int64_t own = queries->offsets[q + 1] - queries->offsets[q];
        longest = longest > own ? longest : own;
    }
    return longest;
}

/* Rows of the queries from first to last for the n <= 64 targets `which`, of which the last is the
 * longest: scores, or in `along`, if that is not NULL, what diagonals give. Whether there was memory.
 */
static int sfm_scores_in_bytes(const sfm_targets *targets, const int64_t *which, int n,
                               const sfm_queries *queries, int64_t first, int64_t last,
                               int32_t *out, uint8_t *along)
{
    int8_t *packed = sfm_alloc(sfm_packed_size(targets, sfm_target_length(targets, which[n - 1])));
    int8_t *memory = sfm_alloc((size_t)sfm_longest_query(queries, first, last) * 2 * SFM_ROW);
    const int enough = packed != NULL && memory != NULL;
    if (enough) {
        sfm_pack_bytes(targets, which, n, packed);
        for (int64_t q = first; q < last; ++q) {
            const uint8_t *query = queries->values + queries->offsets[q];
            const int64_t own = queries->offsets[q + 1] - queries->offsets[q];
            if (along != NULL) {
                sfm_row_of_diagonals(targets, which, n, packed, query, own, memory,
                                     along + q * targets->n_targets);
            } else {
                sfm_row_in_bytes(targets, which, n, packed, query, own, memory,
                                 out + q * targets->n_targets);
            }
        }
    }
    free(packed);
    free(memory);
    return enough;
}

/* Scores of one query with the m <= 32 targets `which`, of which the last is the longest, in 16 bits
 * or more. Whether there was memory. */
static int sfm_scores_in_shorts(const sfm_targets *targets, const int64_t *which, int m,
                                const uint8_t *query, int64_t n, int32_t *out)
{
    int16_t best[SFM_ROW / 2] __attribute__((aligned(SFM_ROW)));
    const int64_t length = sfm_target_length(targets, which[m - 1]);
    const int64_t n_rows = sfm_packed_length(length) * targets->n_symbols;
    int16_t *packed = sfm_alloc((size_t)n_rows * SFM_ROW);
    int16_t *memory = sfm_alloc((size_t)n * 2 * SFM_ROW);
    const int enough = packed != NULL && memory != NULL;
    if (enough) {
        sfm_pack_shorts(targets, which, m, n_rows, packed);
        SFM_CALL_WITHIN(m <= SFM_ROW / 4 ? 256 : 512, sfm_align_shorts, targets, query, n, packed,
                        length, m, memory, best);
        for (int lane = 0; lane < m; ++lane) {
            out[which[lane]] = best[lane] < INT16_MAX ? best[lane] - INT16_MIN
                                                      : sfm_align_alone(targets, which[lane], query,
                                                                        n, (int32_t *)memory);
        }
    }
    free(packed);
    free(memory);
    return enough;
}

/* Scores of one query with m targets, one after another; `are_large` as of sfm_score_pair. Whether
 * there was memory. */
static int sfm_scores_across(const sfm_targets *targets, const int64_t *which, int m,
                             const uint8_t *query, int64_t n, int are_large, int32_t *out)
{
    int64_t longest = 0;
    int8_t *packed, *memory;
    int enough;
    for (int k = 0; k < m; ++k) {
        const int64_t own = sfm_target_length(targets, which[k]);
        longest = longest > own ? longest : own;
    }
    packed = sfm_alloc(sfm_stretches_size(targets, longest));
    memory = sfm_alloc(sfm_across_size(longest, n));
    enough = packed != NULL && memory != NULL;
    for (int k = 0; k < m && enough; ++k) {
        out[which[k]] = sfm_score_pair(targets, which[k], query, n, are_large, packed, memory);
    }
    free(packed);
    free(memory);
    return enough;
}

/* The scores of one query that are to be found again, in 16 bits or more. `order` has n_order targets
 * by their lengths. Whether there was memory. */
static int sfm_scores_again(const sfm_targets *targets, const int64_t *order, int64_t n_order,
                            const uint8_t *query, int64_t n, int32_t *out)
{
    int64_t which[SFM_ROW / 2], next = 0;
    int enough = 1;
    while (enough) {
        int m = 0;
        for (; next < n_order && m < SFM_ROW / 2; ++next) {
            if (out[order[next]] == SFM_AGAIN) {
                which[m++] = order[next];
            }
        }
        if (m == 0) {
            break;
        }
        enough = m <= SFM_FEW_TARGETS
                     ? sfm_scores_across(targets, which, m, query, n, 1, out)
                     : sfm_scores_in_shorts(targets, which, m, query, n, out);
    }
    return enough;
}

/* Scores of the queries from first to last with n_hits targets of each: `hits` has them by their
 * lengths, and `places` where each belongs in `out`. Whether there was memory. */
static int sfm_scores_of_hits(const sfm_targets *targets, const int64_t *hits,
                              const int64_t *places, int64_t n_hits, const sfm_queries *queries,
                              int64_t first, int64_t last, int32_t *out)
{
    int64_t longest = 0;
    int32_t *row = sfm_alloc((size_t)targets->n_targets * sizeof(int32_t));
    int8_t *memory = sfm_alloc((size_t)sfm_longest_query(queries, first, last) * 2 * SFM_ROW), *packed;
    int enough;
    for (int64_t q = first; q < last; ++q) {
        const int64_t own = sfm_target_length(targets, hits[q * n_hits + n_hits - 1]);
        longest = longest > own ? longest : own;
    }
    packed = sfm_alloc(sfm_packed_size(targets, longest));
    enough = row != NULL && memory != NULL && packed != NULL;
    for (int64_t q = first; q < last && enough; ++q) {
        const uint8_t *query = queries->values + queries->offsets[q];
        const int64_t n = queries->offsets[q + 1] - queries->offsets[q], *own = hits + q * n_hits;
        /* From the longest on, half a row at a time: their lengths differ much. */
        for (int64_t end = n_hits; end > 0; end -= SFM_ROW / 2) {
            const int64_t k = end > SFM_ROW / 2 ? end - SFM_ROW / 2 : 0;
            sfm_pack_bytes(targets, own + k, (int)(end - k), packed);
            sfm_row_in_bytes(targets, own + k, (int)(end - k), packed, query, n, memory, row);
        }
        enough = sfm_scores_again(targets, own, n_hits, query, n, row);
        for (int64_t k = 0; k < n_hits && enough; ++k) {
            out[q * n_hits + places[q * n_hits + k]] = row[own[k]];
        }
    }
    free(row);
    free(memory);
    free(packed);
    return enough;
}

/* Writes the alignment that ends there; `ways` of a pair are `step` bytes apart. `places`, unless it
 * is NULL, gets the number of the symbol at each position that has one. Returns its first symbol. */
static int64_t sfm_go_back(const uint8_t *ways, int64_t step, const uint8_t *query, int64_t n,
                           sfm_end end, uint8_t *out, int64_t *places)
{
    enum { ANY, ACROSS, DOWN } state = ANY;
    int64_t j = end.position, i = end.symbol;
    while (i >= 0 && j >= 0) {
        const int way = ways[(j * n + i) * step];
        if (state == ANY) {
            if (!(way & SFM_NOT_DOWN)) {
                state = DOWN;
            } else if (!(way & SFM_NOT_ACROSS)) {
                state = ACROSS;
            } else if (way & SFM_NO_PAIR) {
                break;
            } else {
                if (places != NULL) {
                    places[j] = i;
                }
                out[j--] = query[i--];
                continue;
            }
        }
        /* The cell before says whether the gap began after it. */
        if (state == ACROSS) {
            out[j--] = SFM_GAP;
            state = ways[(j * n + i) * step] & SFM_LONGER_ACROSS ? ACROSS : ANY;
        } else {
            --i;
            state = ways[(j * n + i) * step] & SFM_LONGER_DOWN ? DOWN : ANY;
        }
    }
    return i + 1;
}

/* The best alignment of one pair in 32 bits: its score, for each position of the target the query's
 * symbol there, SFM_GAP or SFM_OUTSIDE, and in `span` its first symbol and the one after its last. -1
 * if there was no memory. */
static int32_t sfm_align_pair(const sfm_targets *targets, int64_t target, const uint8_t *query,
                              int64_t n, uint8_t *out, int64_t *span, int64_t *places)
{
    const int8_t *row = targets->scores + targets->offsets[target] * targets->n_symbols;
    const int64_t length = sfm_target_length(targets, target);
    const int32_t open = targets->open, extend = targets->extend;
    sfm_end end = {-1, -1};
    int32_t best = 0, *memory;
    uint8_t *ways;
    span[0] = span[1] = 0;
    if (length > 0) {
        memset(out, SFM_OUTSIDE, (size_t)length);
    }
    if (length == 0 || n == 0) {
        return 0;
    }
    best = sfm_align_by_cells(targets, target, query, n, out, span, places);
    if (best != SFM_AGAIN) {
        return best;
    }
    best = 0;
    ways = sfm_alloc((size_t)n * (size_t)length);
    memory = sfm_alloc((size_t)n * 2 * sizeof(int32_t));
    if (ways == NULL || memory == NULL) {
        free(ways);
        free(memory);
        return -1;
    }
    memset(memory, 0, (size_t)n * 2 * sizeof(int32_t));
    for (int64_t j = 0; j < length; ++j, row += targets->n_symbols) {
        /* A gap that is worth nothing has no beginning, and no cell takes it. */
        int32_t corner = 0, down = 0;
        for (int64_t i = 0; i < n; ++i) {
            const int32_t across = memory[2 * i + 1], sum = corner + row[query[i]];
            const int32_t pair = sum > 0 ? sum : 0;
            const int32_t begun = pair > across ? pair : across;
            const int32_t cell = begun > down ? begun : down;
            const int32_t longer_across = across > extend ? across - extend : 0;
            const int32_t longer_down = down > extend ? down - extend : 0;
            const int32_t next =
                longer_across > cell - open ? longer_across : cell - open;
            corner = memory[2 * i];
            /* A gap that is gone through here is cheaper to lengthen than to begin again. */
            down = longer_down > begun - open ? longer_down : begun - open;
            memory[2 * i] = cell;
            memory[2 * i + 1] = next;
            if (cell > best) {
                best = cell;
                end.position = j;
                end.symbol = i;
            }
            ways[j * n + i] = (uint8_t)((pair == 0) * SFM_NO_PAIR |
                                        (begun == pair) * SFM_NOT_ACROSS |
                                        (cell == begun) * SFM_NOT_DOWN |
                                        (next == longer_across) * SFM_LONGER_ACROSS |
                                        (down == longer_down) * SFM_LONGER_DOWN);
        }
    }
    if (best > 0) {
        span[0] = sfm_go_back(ways, 1, query, n, end, out, places);
        span[1] = end.symbol + 1;
    }
    free(ways);
    free(memory);
    return best;
}

/* The same of m <= 32 pairs of one query: pair k is number pairs[k] of all, with a target of its
 * own, of which the last is the longest. Whether there was memory. */
static int sfm_align_pairs(const sfm_targets *targets, const int64_t *pairs, int m,
                           const int64_t *hits, const uint8_t *query, int64_t n,
                           uint8_t *out, const int64_t *out_offsets, int32_t *scores,
                           int64_t *spans, int64_t *places)
{
    const int64_t longest = sfm_target_length(targets, hits[pairs[m - 1]]);
    int64_t which[SFM_ROW / 2];
    int16_t *packed = NULL, *memory = NULL;
    uint8_t *ways = NULL;
    int enough = 1, together;
    together = m > SFM_FEW_TARGETS && n > 0 && n <= UINT16_MAX && longest > 0 &&
               longest <= SFM_MOST_WAYS / (SFM_ROW / 2) / n;
    if (together) {
        for (int k = 0; k < m; ++k) {
            which[k] = hits[pairs[k]];
        }
        packed = sfm_alloc((size_t)(longest * targets->n_symbols) * SFM_ROW);
        memory = sfm_alloc((size_t)n * 2 * SFM_ROW);
        ways = sfm_alloc((size_t)(longest * n) * (SFM_ROW / 2));
        /* Alone they take less. */
        together = packed != NULL && memory != NULL && ways != NULL;
    }
    if (together) {
        sfm_pack_shorts(targets, which, m, longest * targets->n_symbols, packed);
        for (int part = 0, lanes; part < m; part += lanes) {
            int16_t top[SFM_ROW / 2];
            sfm_end ends[SFM_ROW / 2];
            lanes = SFM_CALL(sfm_align_ways, targets, query, n, packed, longest, part, memory,
                             ways, top, ends);
            for (int k = part; k < m && k < part + lanes; ++k) {
                uint8_t *own = out + out_offsets[pairs[k]];
                int64_t *span = spans + 2 * pairs[k];
                int64_t *of = places == NULL ? NULL : places + out_offsets[pairs[k]];
                const int lane = k - part;
                if (top[lane] == INT16_MAX) {
                    scores[pairs[k]] = sfm_align_pair(targets, which[k], query, n, own, span, of);
                    enough = enough && scores[pairs[k]] >= 0;
                    continue;
                }
                memset(own, SFM_OUTSIDE, (size_t)sfm_target_length(targets, which[k]));
                span[0] = span[1] = 0;
                if (top[lane] > INT16_MIN) {
                    span[0] = sfm_go_back(ways + lane, lanes, query, n, ends[lane], own, of);
                    span[1] = ends[lane].symbol + 1;
                }
                scores[pairs[k]] = top[lane] - INT16_MIN;
            }
        }
    } else {
        for (int k = 0; k < m; ++k) {
            int64_t *of = places == NULL ? NULL : places + out_offsets[pairs[k]];
            scores[pairs[k]] = sfm_align_pair(targets, hits[pairs[k]], query, n,
                                              out + out_offsets[pairs[k]], spans + 2 * pairs[k], of);
            enough = enough && scores[pairs[k]] >= 0;
        }
    }
    free(packed);
    free(memory);
    free(ways);
    return enough;
}

#endif
