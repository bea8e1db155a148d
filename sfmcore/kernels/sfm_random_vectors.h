/* The random streams of sfm_random.h, one in each lane of a vector: sfm_vrng_uniform_8 steps eight,
 * and so on. A lane gives the same numbers as the scalar form with the same key.
 */
#ifndef SFM_RANDOM_VECTORS_H
#define SFM_RANDOM_VECTORS_H

#include "sfm_levels.h"
#include "sfm_random.h"

#if SFM_LEVEL_8
#define WIDTH 8
#define NAME(x) sfm_##x##_8
#define TARGET SFM_TARGET_8
#include "sfm_random_lanes.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

#if SFM_LANES_4
#define WIDTH 4
#define NAME(x) sfm_##x##_4
#define TARGET SFM_TARGET_4
#include "sfm_random_lanes.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

#if SFM_LEVEL_2
#define WIDTH 2
#define NAME(x) sfm_##x##_2
#define TARGET SFM_TARGET_2
#include "sfm_random_lanes.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

#endif
