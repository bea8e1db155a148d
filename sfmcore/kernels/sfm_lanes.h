/* Vectors of WIDTH doubles; included once for each width.
 *
 * NAME(x) names the types and functions, TARGET is the functions' attribute.
 */

#define VECTOR NAME(vdouble)
#define MASK NAME(vint)

typedef double VECTOR __attribute__((vector_size(8 * WIDTH)));
typedef uint64_t NAME(vuint) __attribute__((vector_size(8 * WIDTH)));
typedef int64_t MASK __attribute__((vector_size(8 * WIDTH)));
/* A vector in memory, at any address and at a multiple of its size. */
typedef double NAME(vdouble_u) __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef double NAME(vdouble_a) __attribute__((vector_size(8 * WIDTH), may_alias));

SFM_INLINE TARGET VECTOR NAME(vfill)(double x)
{
    return (VECTOR){0} + x;
}

/* value where the mask is set, else other. A mask is all ones or all zeros per lane. */
SFM_INLINE TARGET VECTOR NAME(vselect)(MASK mask, VECTOR value, VECTOR other)
{
    return (VECTOR)(((MASK)value & mask) | ((MASK)other & ~mask));
}

#undef MASK
#undef VECTOR
