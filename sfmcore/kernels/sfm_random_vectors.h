/* The random streams of sfm_random.h, one in each lane of a vector: sfm_vrng_uniform_8 steps eight,
 * and so on. A lane gives the same numbers as the scalar form with the same key.
 */
#ifndef SFM_RANDOM_VECTORS_H
#define SFM_RANDOM_VECTORS_H

#include "sfm_levels.h"
#include "sfm_random.h"

#define SFM_PREFIX sfm_
#define SFM_LOOPS "sfm_random_lanes.h"
#include "sfm_each_width.h"

#endif
