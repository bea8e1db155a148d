/* One random stream per item: xoshiro256++ seeded by SplitMix64 from a 64-bit key.
 *
 * vrng_seed and vrng_uniform have a stream in each lane, which gives the same numbers as the scalar
 * form with the same key.
 *
 * Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47 (2021).
 */
#ifndef SFM_SIMD_RANDOM_H
#define SFM_SIMD_RANDOM_H

#include "simd/simd.h"

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

/* One step of the generator's state s[4]; WORD is a 64-bit number or a vector of such. */
#define SFM_RNG_STEP(WORD, s, result)                       \
    {                                                       \
        const WORD sum = s[0] + s[3], shifted = s[1] << 17; \
        result = ((sum << 23) | (sum >> 41)) + s[0];        \
        s[2] ^= s[0];                                       \
        s[3] ^= s[1];                                       \
        s[1] ^= s[2];                                       \
        s[0] ^= s[3];                                       \
        s[2] ^= shifted;                                    \
        s[3] = (s[3] << 45) | (s[3] >> 19);                 \
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
    uint64_t result;
    SFM_RNG_STEP(uint64_t, rng->s, result)
    return (double)(result >> 11) * 0x1.0p-53;
}

#define vrng_seed SIZED(sfm_vrng_seed)
#define vrng_uniform SIZED(sfm_vrng_uniform)

#define SFM_EACH_WIDTH "simd/random.width.h"
#include "simd/each_width.h"

#endif
