/* The words of simd.h for one width. */

typedef double vdouble __attribute__((vector_size(BITS / 8)));
typedef int64_t vmask __attribute__((vector_size(BITS / 8)));
typedef uint64_t vbits __attribute__((vector_size(BITS / 8)));
typedef float vfloat __attribute__((vector_size(BITS / 8)));
typedef int32_t vint __attribute__((vector_size(BITS / 8)));
typedef float vfloat8 __attribute__((vector_size(32)));
typedef int8_t vbytes __attribute__((vector_size(BITS / 8)));
typedef int16_t vshorts __attribute__((vector_size(BITS / 8)));

/* In memory: at a multiple of the size, at any address, and WIDTH floats at any address. */
typedef double SIZED(sfm_doubles) __attribute__((vector_size(BITS / 8), may_alias));
typedef int32_t SIZED(sfm_ints) __attribute__((vector_size(BITS / 8), may_alias));
typedef uint8_t SIZED(sfm_ubytes) __attribute__((vector_size(BITS / 8)));
typedef int8_t SIZED(sfm_bytes) __attribute__((vector_size(BITS / 8), may_alias));
typedef uint8_t SIZED(sfm_half_bytes) __attribute__((vector_size(BITS / 16), may_alias));
typedef int8_t SIZED(sfm_signed_half_bytes) __attribute__((vector_size(BITS / 16), may_alias));
typedef int16_t SIZED(sfm_shorts) __attribute__((vector_size(BITS / 8), may_alias));
typedef double SIZED(sfm_any_doubles)
    __attribute__((vector_size(BITS / 8), aligned(8), may_alias));
typedef float SIZED(sfm_any_floats) __attribute__((vector_size(BITS / 8), aligned(4), may_alias));
typedef float SIZED(sfm_half_floats)
    __attribute__((vector_size(BITS / 16), aligned(4), may_alias));
typedef float SIZED(sfm_eight_floats) __attribute__((vector_size(32), aligned(4), may_alias));

SFM_INNER vdouble vload(const double *p)
{
    return (vdouble)*(const SIZED(sfm_any_doubles) *)p;
}

SFM_INNER vdouble vload_aligned(const double *p)
{
    return (vdouble)*(const SIZED(sfm_doubles) *)p;
}

SFM_INNER void vstore(double *p, vdouble x)
{
    *(SIZED(sfm_any_doubles) *)p = x;
}

SFM_INNER void vstore_aligned(double *p, vdouble x)
{
    *(SIZED(sfm_doubles) *)p = x;
}

/* WIDTH floats as doubles. GCC makes one instruction of four or two, but several of eight. */
SFM_INNER vdouble vload_floats(const float *p)
{
#if BITS == 512
    return (vdouble)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif BITS == 256
    return (vdouble){p[0], p[1], p[2], p[3]};
#else
    return (vdouble){p[0], p[1]};
#endif
}

/* Doubles as WIDTH floats. */
SFM_INNER void vstore_floats(float *p, vdouble x)
{
    *(SIZED(sfm_half_floats) *)p = __builtin_convertvector(x, SIZED(sfm_half_floats));
}

SFM_INNER vfloat vfloat_load(const float *p)
{
    return (vfloat)*(const SIZED(sfm_any_floats) *)p;
}

SFM_INNER void vfloat_store(float *p, vfloat x)
{
    *(SIZED(sfm_any_floats) *)p = x;
}

SFM_INNER vfloat8 vfloat8_load(const float *p)
{
    return (vfloat8)*(const SIZED(sfm_eight_floats) *)p;
}

SFM_INNER void vfloat8_store(float *p, vfloat8 x)
{
    *(SIZED(sfm_eight_floats) *)p = x;
}

SFM_INNER vint vint_load_aligned(const int32_t *p)
{
    return (vint)*(const SIZED(sfm_ints) *)p;
}

SFM_INNER vdouble vfill(double x)
{
    return (vdouble){0} + x;
}

/* value where the mask is set, else other. */
SFM_INNER vdouble vselect(vmask mask, vdouble value, vdouble other)
{
    return (vdouble)(((vmask)value & mask) | ((vmask)other & ~mask));
}

/* Sum of eight lanes, which are PARTS vectors: in one order for all widths. */
SFM_INNER double vsum8(const vdouble *eight)
{
#if BITS == 512
    const vdouble x = eight[0];
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
#elif BITS == 256
    const vdouble x = eight[0] + eight[1];
    return (x[0] + x[2]) + (x[1] + x[3]);
#else
    const vdouble x = (eight[0] + eight[2]) + (eight[1] + eight[3]);
    return x[0] + x[1];
#endif
}

SFM_INNER vbytes vbytes_load_aligned(const int8_t *p)
{
    return (vbytes)*(const SIZED(sfm_bytes) *)p;
}

SFM_INNER void vbytes_store_aligned(int8_t *p, vbytes x)
{
    *(SIZED(sfm_bytes) *)p = x;
}

SFM_INNER vbytes vbytes_fill(int8_t x)
{
    return (vbytes){0} + x;
}

SFM_INNER vshorts vshorts_load_aligned(const int16_t *p)
{
    return (vshorts)*(const SIZED(sfm_shorts) *)p;
}

SFM_INNER void vshorts_store_aligned(int16_t *p, vshorts x)
{
    *(SIZED(sfm_shorts) *)p = x;
}

SFM_INNER vshorts vshorts_fill(int16_t x)
{
    return (vshorts){0} + x;
}

/* Compilers know these instructions only by name. */

/* Bytes for sums, from bytes as they are, and back. SSE2 has the larger of two bytes for those without
 * sign only: with 128 bits the highest bit is the other way round. */
SFM_INNER vbytes vbytes_turn(vbytes x)
{
#if BITS == 128
    return x ^ INT8_MIN;
#else
    return x;
#endif
}

/* A byte for sums and one as it is. Elsewhere (of GCC's and Clang's vectors sums wrap) a sum whose sign
 * neither number explains is wrong, and becomes the limit on the first's side. */
SFM_INNER vbytes vbytes_add(vbytes x, vbytes y)
{
#if BITS == 512
    return (vbytes)_mm512_adds_epi8((__m512i)x, (__m512i)y);
#elif BITS == 256
    return (vbytes)_mm256_adds_epi8((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
    return vbytes_turn((vbytes)_mm_adds_epi8((__m128i)vbytes_turn(x), (__m128i)y));
#else
    const vbytes plain = vbytes_turn(x), sum = plain + y;
    const vbytes wrong = ((plain ^ sum) & (y ^ sum)) < 0;
    return vbytes_turn((sum & ~wrong) | ((plain >> 7 ^ INT8_MAX) & wrong));
#endif
}

/* A byte for sums, less one as it is that is at least 0. */
SFM_INNER vbytes vbytes_sub(vbytes x, vbytes y)
{
#if BITS == 512
    return (vbytes)_mm512_subs_epi8((__m512i)x, (__m512i)y);
#elif BITS == 256
    return (vbytes)_mm256_subs_epi8((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
    return (vbytes)_mm_subs_epu8((__m128i)x, (__m128i)y);
#else
    return (x - y) & (vbytes)((SIZED(sfm_ubytes))x > (SIZED(sfm_ubytes))y);
#endif
}

/* The larger one of two bytes for sums. */
SFM_INNER vbytes vbytes_max(vbytes x, vbytes y)
{
#if BITS == 512
    return (vbytes)_mm512_max_epi8((__m512i)x, (__m512i)y);
#elif BITS == 256
    return (vbytes)_mm256_max_epi8((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
    return (vbytes)_mm_max_epu8((__m128i)x, (__m128i)y);
#else
    const vbytes larger = (vbytes)((SIZED(sfm_ubytes))x > (SIZED(sfm_ubytes))y);
    return (x & larger) | (y & ~larger);
#endif
}

/* As many bytes as there are lanes. */
SFM_INNER vbytes vbytes_load_bytes(const int8_t *p)
{
    return vbytes_load_aligned(p);
}

/* The lanes, each one further; the first is that of `first`. */
SFM_INNER vbytes vbytes_next_lane(vbytes x, vbytes first)
{
#if BITS == 512
    const __m512i parts = _mm512_alignr_epi64((__m512i)x, (__m512i)first, 6);
    return (vbytes)_mm512_alignr_epi8((__m512i)x, parts, 15);
#elif BITS == 256
    const __m256i parts = _mm256_permute2x128_si256((__m256i)x, (__m256i)first, 3);
    return (vbytes)_mm256_alignr_epi8((__m256i)x, parts, 15);
#else
    return __builtin_shufflevector(x, first, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
#endif
}

/* Whether any lane is another. */
SFM_INNER int vbytes_differ(vbytes x, vbytes y)
{
#if BITS == 512
    return _mm512_cmpneq_epi8_mask((__m512i)x, (__m512i)y) != 0;
#elif BITS == 256
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8((__m256i)x, (__m256i)y)) != -1;
#elif defined(__SSE2__)
    return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)x, (__m128i)y)) != 0xFFFF;
#else
    const vbits other = (vbits)(x ^ y);
    return (other[0] | other[1]) != 0;
#endif
}

/* Of 16 bits there is all with signs. */
SFM_INNER vshorts vshorts_turn(vshorts x)
{
    return x;
}

SFM_INNER vshorts vshorts_add(vshorts x, vshorts y)
{
#if BITS == 512
    return (vshorts)_mm512_adds_epi16((__m512i)x, (__m512i)y);
#elif BITS == 256
    return (vshorts)_mm256_adds_epi16((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
    return (vshorts)_mm_adds_epi16((__m128i)x, (__m128i)y);
#else
    const vshorts sum = x + y, wrong = ((x ^ sum) & (y ^ sum)) < 0;
    return (sum & ~wrong) | ((x >> 15 ^ INT16_MAX) & wrong);
#endif
}

SFM_INNER vshorts vshorts_sub(vshorts x, vshorts y)
{
#if BITS == 512
    return (vshorts)_mm512_subs_epi16((__m512i)x, (__m512i)y);
#elif BITS == 256
    return (vshorts)_mm256_subs_epi16((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
    return (vshorts)_mm_subs_epi16((__m128i)x, (__m128i)y);
#else
    const vshorts less = x - y, wrong = ((x ^ y) & (x ^ less)) < 0;
    return (less & ~wrong) | ((x >> 15 ^ INT16_MAX) & wrong);
#endif
}

SFM_INNER vshorts vshorts_max(vshorts x, vshorts y)
{
#if BITS == 512
    return (vshorts)_mm512_max_epi16((__m512i)x, (__m512i)y);
#elif BITS == 256
    return (vshorts)_mm256_max_epi16((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
    return (vshorts)_mm_max_epi16((__m128i)x, (__m128i)y);
#else
    const vshorts larger = x > y;
    return (x & larger) | (y & ~larger);
#endif
}

SFM_INNER vshorts vshorts_load_bytes(const int8_t *p)
{
    return __builtin_convertvector(*(const SIZED(sfm_signed_half_bytes) *)p, vshorts);
}

/* The lanes, each one further; the first is that of `first`. */
SFM_INNER vshorts vshorts_next_lane(vshorts x, vshorts first)
{
#if BITS == 512
    const __m512i parts = _mm512_alignr_epi64((__m512i)x, (__m512i)first, 6);
    return (vshorts)_mm512_alignr_epi8((__m512i)x, parts, 14);
#elif BITS == 256
    const __m256i parts = _mm256_permute2x128_si256((__m256i)x, (__m256i)first, 3);
    return (vshorts)_mm256_alignr_epi8((__m256i)x, parts, 14);
#else
    return __builtin_shufflevector(x, first, 8, 0, 1, 2, 3, 4, 5, 6);
#endif
}

/* Whether any lane is another. */
SFM_INNER int vshorts_differ(vshorts x, vshorts y)
{
    return vbytes_differ((vbytes)x, (vbytes)y);
}

/* All ones in the lanes that are equal. GCC compares 64 bytes lane by lane unless it is told. */
SFM_INNER vshorts vshorts_equal(vshorts x, vshorts y)
{
#if BITS == 512
    return (vshorts)_mm512_movm_epi16(_mm512_cmpeq_epi16_mask((__m512i)x, (__m512i)y));
#else
    return (vshorts)(x == y);
#endif
}

/* The lanes' low bytes, at a multiple of half the vector's size; the high ones must be 0. */
SFM_INNER void vshorts_store_low(uint8_t *p, vshorts x)
{
#if BITS == 512
    _mm256_store_si256((__m256i *)p, _mm512_cvtepi16_epi8((__m512i)x));
#elif BITS == 256
    const __m256i packed = _mm256_packus_epi16((__m256i)x, (__m256i)x);
    _mm_store_si128((__m128i *)p, _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 8)));
#elif defined(__SSE2__)
    _mm_storel_epi64((__m128i *)p, _mm_packus_epi16((__m128i)x, (__m128i)x));
#else
    *(SIZED(sfm_half_bytes) *)p = __builtin_convertvector(x, SIZED(sfm_half_bytes));
#endif
}
