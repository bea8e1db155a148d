/* Includes the file SFM_EACH_WIDTH once for each vector width that is compiled.
 *
 * There BITS is the width; every name that depends on it is in simd.h. By convention such a file is
 * called X.width.h.
 */

#if SFM_HAS_512
#define BITS 512
#include SFM_EACH_WIDTH
#undef BITS
#endif

#if SFM_HAS_256
#define BITS 256
#include SFM_EACH_WIDTH
#undef BITS
#endif

#define BITS 128
#include SFM_EACH_WIDTH
#undef BITS

#undef SFM_EACH_WIDTH
