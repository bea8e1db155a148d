/* The words of simd.h for one width. */

typedef double vdouble __attribute__((vector_size(BITS / 8)));
typedef int64_t vmask __attribute__((vector_size(BITS / 8)));
typedef uint64_t vbits __attribute__((vector_size(BITS / 8)));
typedef float vfloat __attribute__((vector_size(BITS / 8)));
typedef int32_t vint __attribute__((vector_size(BITS / 8)));
typedef float vfloat8 __attribute__((vector_size(32)));

/* In memory: at a multiple of the size, at any address, and WIDTH floats at any address. */
typedef double SIZED(sfm_doubles) __attribute__((vector_size(BITS / 8), may_alias));
typedef int32_t SIZED(sfm_ints) __attribute__((vector_size(BITS / 8), may_alias));
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
