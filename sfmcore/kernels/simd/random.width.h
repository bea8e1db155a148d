/* The random streams of random.h for one width: WIDTH of them side by side. */

/* state[4] from WIDTH keys. */
SFM_INNER void vrng_seed(vbits *state, const uint64_t *keys)
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
SFM_INNER vdouble vrng_uniform(vbits *state, vmask mask)
{
    const vbits keep = (vbits)mask;
    vbits s[4] = {state[0], state[1], state[2], state[3]}, result;
    SFM_RNG_STEP(vbits, s, result)
    for (int k = 0; k < 4; ++k) {
        state[k] = (s[k] & keep) | (state[k] & ~keep);
    }
    /* The 53 high bits fit a signed number, and so convert on every instruction set. */
    return __builtin_convertvector((vmask)(result >> 11), vdouble) * 0x1.0p-53;
}
