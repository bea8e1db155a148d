/* One random stream per item: xoshiro256++ seeded by SplitMix64 from a 64-bit key.
 *
 * Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47 (2021).
 * The vector form steps eight streams at once; lane l gives the same numbers as the scalar
 * form with the same key.
 */
#ifndef SFM_RANDOM_H
#define SFM_RANDOM_H

#include "sfm_vector.h"

static inline uint64_t sfm_mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static inline uint64_t sfm_splitmix64(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15ULL;
    return sfm_mix64(*state);
}

typedef struct {
    uint64_t s[4];
} sfm_rng;

static inline void sfm_rng_seed(sfm_rng *rng, uint64_t key)
{
    for (int k = 0; k < 4; ++k) {
        rng->s[k] = sfm_splitmix64(&key);
    }
}

static inline double sfm_rng_uniform(sfm_rng *rng)
{
    uint64_t *s = rng->s;
    const uint64_t sum = s[0] + s[3];
    const uint64_t result = ((sum << 23) | (sum >> 41)) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return (double)(result >> 11) * 0x1.0p-53;
}

typedef struct {
    vuint s[4];
} sfm_vrng;

static inline void sfm_vrng_seed(sfm_vrng *rng, const uint64_t *keys)
{
    for (int lane = 0; lane < SFM_LANES; ++lane) {
        uint64_t key = keys[lane];
        for (int k = 0; k < 4; ++k) {
            rng->s[k][lane] = sfm_splitmix64(&key);
        }
    }
}

/* Uniform numbers in [0, 1); only the lanes in the mask move on. */
SFM_INLINE vdouble sfm_vrng_uniform(sfm_vrng *rng, vint mask)
{
    const vuint keep = (vuint)mask;
    vuint s0 = rng->s[0], s1 = rng->s[1], s2 = rng->s[2], s3 = rng->s[3];
    const vuint sum = s0 + s3;
    const vuint result = ((sum << 23) | (sum >> 41)) + s0;
    const vuint t = s1 << 17;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= t;
    s3 = (s3 << 45) | (s3 >> 19);
    rng->s[0] = (s0 & keep) | (rng->s[0] & ~keep);
    rng->s[1] = (s1 & keep) | (rng->s[1] & ~keep);
    rng->s[2] = (s2 & keep) | (rng->s[2] & ~keep);
    rng->s[3] = (s3 & keep) | (rng->s[3] & ~keep);
    /* The 53 high bits fit a signed number, and so convert on every instruction set. */
    return __builtin_convertvector((vint)(result >> 11), vdouble) * 0x1.0p-53;
}

#endif
