/* Scores of symbols at the positions of a target, from the sequences that are aligned with it. */
#ifndef SFM_PROFILE_H
#define SFM_PROFILE_H

#include "simd/base.h"

/* A frequency of 0 has no logarithm. */
#define SFM_LEAST_SHARE 1e-9

typedef struct {
    int64_t n_residues;         /* codes from there on are no residues */
    int64_t n_symbols;
    const double *conditional;  /* of a residue in the place of another, a row for each other */
    const double *background;
    double scale;               /* of the logarithms: lambda */
    double beta;                /* weight of the pseudocounts */
    double near;                /* share of equal residues from which a sequence adds nothing */
    int64_t window;             /* positions whose residues are counted, odd */
    int limit;                  /* of a score's size */
} sfm_profiling;

/* Number of residues of a sequence that is aligned, and how many of them equal the target's. */
static int64_t sfm_profile_residues(const sfm_profiling *how, const uint8_t *own,
                                    const uint8_t *aligned, int64_t length, int64_t *equal)
{
    int64_t n = 0;
    *equal = 0;
    for (int64_t j = 0; j < length; ++j) {
        const int residue = aligned[j] < how->n_residues;
        n += residue;
        *equal += residue && aligned[j] == own[j];
    }
    return n;
}

/* Adds a sequence's weight to the shares of its residues: the mean over them of one part in the
 * number of kinds there and the number of sequences of this kind (Henikoff and Henikoff 1994). */
static void sfm_profile_add(const sfm_profiling *how, const uint8_t *aligned, int64_t length,
                            const int64_t *counts, const int64_t *kinds, double *shares)
{
    double weight = 0.0;
    int64_t n = 0;
    for (int64_t j = 0; j < length; ++j) {
        if (aligned[j] < how->n_residues) {
            weight += 1.0 / (double)(kinds[j] * counts[j * how->n_residues + aligned[j]]);
            ++n;
        }
    }
    for (int64_t j = 0; j < length && n > 0; ++j) {
        if (aligned[j] < how->n_residues) {
            shares[j * how->n_residues + aligned[j]] += weight / (double)n;
        }
    }
}

static void sfm_profile_position(const sfm_profiling *how, double alpha, const double *shares,
                                 int8_t *out)
{
    const int64_t n = how->n_residues;
    double total = 0.0;
    for (int64_t a = 0; a < n; ++a) {
        total += shares[a];
    }
    if (total <= 0.0) {
        return;
    }
    for (int64_t b = 0; b < n; ++b) {
        double expected = 0.0, share, score;
        for (int64_t a = 0; a < n; ++a) {
            expected += shares[a] / total * how->conditional[a * n + b];
        }
        share = (alpha * (shares[b] / total) + how->beta * expected) / (alpha + how->beta);
        share = share > SFM_LEAST_SHARE ? share : SFM_LEAST_SHARE;
        score = rint(log(share / how->background[b]) / how->scale);
        score = score < how->limit ? score : how->limit;
        out[b] = (int8_t)(score > -how->limit ? score : -how->limit);
    }
}

/* Scores of one target; `aligned` holds its n sequences one after another. Where there is no
 * sequence but itself they stay `base`. Whether there was memory. */
static int sfm_profile(const sfm_profiling *how, const uint8_t *own, int64_t length,
                       const uint8_t *aligned, int64_t n, const int8_t *base, int8_t *out)
{
    const int64_t cells = length * how->n_residues, half = how->window / 2;
    int64_t *counts, *kinds, n_kept = 0, equal;
    uint8_t *kept;
    double *shares;
    memcpy(out, base, (size_t)(length * how->n_symbols));
    counts = sfm_alloc((size_t)cells * sizeof(int64_t));
    kinds = sfm_alloc((size_t)length * sizeof(int64_t));
    shares = sfm_alloc((size_t)cells * sizeof(double));
    kept = sfm_alloc((size_t)n);
    if (counts == NULL || kinds == NULL || shares == NULL || kept == NULL) {
        free(counts);
        free(kinds);
        free(shares);
        free(kept);
        return 0;
    }
    memset(counts, 0, (size_t)cells * sizeof(int64_t));
    memset(kinds, 0, (size_t)length * sizeof(int64_t));
    memset(shares, 0, (size_t)cells * sizeof(double));
    /* The target itself is number -1. */
    for (int64_t k = -1; k < n; ++k) {
        const uint8_t *codes = k < 0 ? own : aligned + k * length;
        if (k >= 0) {
            const int64_t m = sfm_profile_residues(how, own, codes, length, &equal);
            kept[k] = m > 0 && (double)equal / (double)m < how->near;
            n_kept += kept[k];
            if (!kept[k]) {
                continue;
            }
        }
        for (int64_t j = 0; j < length; ++j) {
            if (codes[j] < how->n_residues) {
                kinds[j] += counts[j * how->n_residues + codes[j]]++ == 0;
            }
        }
    }
    if (n_kept > 0) {
        sfm_profile_add(how, own, length, counts, kinds, shares);
        for (int64_t k = 0; k < n; ++k) {
            if (kept[k]) {
                sfm_profile_add(how, aligned + k * length, length, counts, kinds, shares);
            }
        }
        for (int64_t j = 0; j < length; ++j) {
            int64_t around = 0;
            double alpha;
            /* Beyond the ends stand the last positions again. */
            for (int64_t p = j - half; p <= j + half; ++p) {
                around += kinds[p < 0 ? 0 : p >= length ? length - 1 : p];
            }
            alpha = (double)around / (double)how->window - 1.0;
            sfm_profile_position(how, alpha > 0.0 ? alpha : 0.0, shares + j * how->n_residues,
                                 out + j * how->n_symbols);
        }
    }
    free(counts);
    free(kinds);
    free(shares);
    free(kept);
    return 1;
}

#endif
