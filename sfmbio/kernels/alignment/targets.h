/* What sequences are aligned with, and the loops of alignments in all widths of vectors. */
#ifndef SFM_TARGETS_H
#define SFM_TARGETS_H

#include "simd/simd.h"

/* Bytes side by side: one of each target, or two of half as many. */
#define SFM_ROW 64
/* Positions that are gone through together at most, a multiple of any such number; packed targets
 * are filled up to a multiple of it. */
#define SFM_STRIP 12
/* Lanes of 16 bits in the narrowest vectors. */
#define SFM_FEWEST_LANES 8
/* As many targets of one query take no longer one after another than side by side. */
#define SFM_FEW_TARGETS 12
/* In the place of a score that 8 bits do not hold. */
#define SFM_AGAIN (-1)

/* Bytes of an aligned target where the alignment has a gap, and outside of it. */
#define SFM_GAP 254
#define SFM_OUTSIDE 255

typedef struct {
    const uint8_t *values;
    const int64_t *offsets;
} sfm_queries;

typedef struct {
    const int8_t *scores;   /* n_symbols of each position */
    const int64_t *offsets;
    int64_t n_targets;
    int64_t n_symbols;
    int open;               /* price of a gap's first residue */
    int extend;             /* and of each further one */
} sfm_targets;

/* Where an alignment ends. */
typedef struct {
    int64_t position;
    int64_t symbol;
} sfm_end;

/* What is kept of a cell for the way back: what its score does not come from, and whether the gaps
 * that go on from here are longer ones rather than new ones. "Across" passes over positions of the
 * target, "down" over symbols of the query. */
enum {
    SFM_NO_PAIR = 1,
    SFM_NOT_ACROSS = 2,
    SFM_NOT_DOWN = 4,
    SFM_LONGER_ACROSS = 8,
    SFM_LONGER_DOWN = 16
};

#define SFM_EACH_WIDTH "alignment/alignment.width.h"
#include "simd/each_width.h"

/* Rows and columns of what is turned at once: 16 bytes are a vector on all processors. */
#define SFM_SQUARE 16
typedef int8_t sfm_square_row __attribute__((vector_size(SFM_SQUARE)));

/* Scores of 16 targets at one position, a row of n symbols each or NULL for none, as a row of 16
 * targets for each symbol, SFM_ROW bytes apart. Byte by byte it would take longer than an alignment
 * with what is packed. */
static inline void sfm_turn_rows(const int8_t *const *rows, int64_t n, int8_t *out)
{
    if (n < SFM_SQUARE) {
        for (int64_t s = 0; s < n; ++s) {
            for (int k = 0; k < SFM_SQUARE; ++k) {
                out[s * SFM_ROW + k] = rows[k] == NULL ? INT8_MIN : rows[k][s];
            }
        }
        return;
    }
    for (int64_t first = 0; first < n; first += SFM_SQUARE) {
        /* The last ones overlap those before. */
        const int64_t s = first + SFM_SQUARE <= n ? first : n - SFM_SQUARE;
        sfm_square_row now[SFM_SQUARE], next[SFM_SQUARE];
        for (int k = 0; k < SFM_SQUARE; ++k) {
            if (rows[k] == NULL) {
                memset(&now[k], INT8_MIN, SFM_SQUARE);
            } else {
                memcpy(&now[k], rows[k] + s, SFM_SQUARE);
            }
        }
        /* Four times the first half is interleaved with the second. */
        for (int turn = 0; turn < 4; ++turn) {
            for (int k = 0; k < SFM_SQUARE / 2; ++k) {
                const sfm_square_row a = now[k], b = now[k + SFM_SQUARE / 2];
                next[2 * k] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                                                      6, 22, 7, 23);
                next[2 * k + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                                          13, 29, 14, 30, 15, 31);
            }
            memcpy(now, next, sizeof(now));
        }
        for (int k = 0; k < SFM_SQUARE; ++k) {
            memcpy(out + (s + k) * SFM_ROW, &now[k], SFM_SQUARE);
        }
    }
}

/* The lowest and the highest of n scores, or 0. */
static void sfm_range(const int8_t *scores, int64_t n, int *lowest, int *highest)
{
    /* Counted from the least number on: all processors compare bytes without a sign in vectors. */
    const uint8_t *bytes = (const uint8_t *)scores;
    uint8_t low = 128, high = 128;
    for (int64_t k = 0; k < n; ++k) {
        const uint8_t own = bytes[k] ^ 128;
        low = own < low ? own : low;
        high = own > high ? own : high;
    }
    *lowest = (int)low + INT8_MIN;
    *highest = (int)high + INT8_MIN;
}

static inline int64_t sfm_target_length(const sfm_targets *targets, int64_t target)
{
    return targets->offsets[target + 1] - targets->offsets[target];
}

#endif
