/* Letting go of OpenMP's threads, for a process that is about to fork.
 *
 * GCC's OpenMP keeps a thread's helpers for its next call. A fork copies what they are known by and
 * not them, and the copy would wait for them for ever. Other runtimes see to that themselves.
 */
#ifndef SFM_THREADS_H
#define SFM_THREADS_H

#if defined(_OPENMP) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#include <omp.h>
#define SFM_KEEPS_THREADS 1
#else
#define SFM_KEEPS_THREADS 0
#endif

/* Ends the helpers of the calling thread; the next parallel loop starts new ones. */
static inline void sfm_release_threads(void)
{
#if SFM_KEEPS_THREADS
    omp_pause_resource_all(omp_pause_hard);
#endif
}

#endif
