/* WIDTH random streams side by side; included once for each width, after sfm_lanes.h. NAME(x) names
 * the functions, TARGET is their attribute.
 */

#define VECTOR NAME(vdouble)
#define BITS NAME(vuint)
#define MASK NAME(vint)

/* state[4] from WIDTH keys. */
SFM_INLINE TARGET void NAME(vrng_seed)(BITS *state, const uint64_t *keys)
{
    uint64_t seeds[4][WIDTH];
    for (int lane = 0; lane < WIDTH; ++lane) {
        sfm_rng seeded;
        sfm_rng_seed(&seeded, keys[lane]);
        for (int k = 0; k < 4; ++k) {
            seeds[k][lane] = seeded.s[k];
        }
    }
    memcpy(state, seeds, sizeof(seeds));
}

/* Uniform numbers in [0, 1), as by sfm_rng_uniform; only the lanes in the mask move on. */
SFM_INLINE TARGET VECTOR NAME(vrng_uniform)(BITS *state, MASK mask)
{
    const BITS keep = (BITS)mask;
    BITS s[4] = {state[0], state[1], state[2], state[3]}, result;
    SFM_RNG_STEP(BITS, s, result)
    for (int k = 0; k < 4; ++k) {
        state[k] = (s[k] & keep) | (state[k] & ~keep);
    }
    /* The 53 high bits fit a signed number, and so convert on every instruction set. */
    return __builtin_convertvector((MASK)(result >> 11), VECTOR) * 0x1.0p-53;
}

#undef MASK
#undef BITS
#undef VECTOR
