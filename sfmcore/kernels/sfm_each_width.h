/* Includes the file SFM_LOOPS once for each width of vectors that is compiled; see sfm_levels.h.
 *
 * There WIDTH is the number of doubles, NAME(x) is SFM_PREFIX, x and the width, LANES(x) the same
 * with the prefix sfm_, and TARGET the attribute of functions.
 */

#if SFM_LEVEL_8
#define WIDTH 8
#define TARGET SFM_TARGET_8
#define NAME(x) SFM_PASTED(SFM_PREFIX, x, 8)
#define LANES(x) SFM_PASTED(sfm_, x, 8)
#include SFM_LOOPS
#undef WIDTH
#undef TARGET
#undef NAME
#undef LANES
#endif

#if SFM_LANES_4
#define WIDTH 4
#define TARGET SFM_TARGET_4
#define NAME(x) SFM_PASTED(SFM_PREFIX, x, 4)
#define LANES(x) SFM_PASTED(sfm_, x, 4)
#include SFM_LOOPS
#undef WIDTH
#undef TARGET
#undef NAME
#undef LANES
#endif

#if SFM_LEVEL_2
#define WIDTH 2
#define TARGET SFM_TARGET_2
#define NAME(x) SFM_PASTED(SFM_PREFIX, x, 2)
#define LANES(x) SFM_PASTED(sfm_, x, 2)
#include SFM_LOOPS
#undef WIDTH
#undef TARGET
#undef NAME
#undef LANES
#endif

#undef SFM_PREFIX
#undef SFM_LOOPS
