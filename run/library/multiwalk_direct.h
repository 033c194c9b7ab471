/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gravity by direct summation over all pairs, in the tradition of CUNBODY-1 (Hamada & Iitaka 2007): G = 1, arrays of
 * doubles in the caller's memory, on the GPU or on the SIMD units of the CPU.
 *   R^2 = |x_j - x_i|^2 + eps2
 *   a_i = sum_j m_j (x_j - x_i) / R^3
 *   p_i = -sum_j m_j / R
 *   k_i = sum_j m_j [v / R^3 - 3 (d.v) d / R^5], d = x_j - x_i, v = v_j - v_i (the jerk, da_i/dt)
 * With eps2 = 0 bodies at the very same place do not pull each other. Where xi and xj are the same pointer, target i is
 * source i (ni <= nj) and its own pair is left out of its potential.
 *
 * Range: positions, velocities and masses lie within -1e100 to 1e100, eps2 within 0 to 1e100 (below 1e-120 it counts
 * as 0). Anything else, and results that are not finite, give MULTIWALK_DIRECT_INVALID.
 *
 * Sums that are not "full" use coordinates in single precision, as two numbers each (hi_lo) or one (single). If some
 * bodies, targets or sources, are closer to each other than both 1e-8 of the extent of all (single: one in 256 closer
 * than 2e-5) and the softening, or if velocities are that close, all pairs of the call are summed in double precision
 * instead, which is many times slower on some GPUs: keep massless or escaped bodies that are far away out of the
 * arrays. Of more than 256 bodies, a sample of at most 4096 is examined.
 *
 * Results must not overlap other arrays. Functions return MULTIWALK_DIRECT_OK or another multiwalk_direct_status; then
 * results are undefined and multiwalk_direct_message() says why. Nothing throws or exits. All functions may be called
 * from several threads at once, with one handle too; only multiwalk_direct_destroy must be the last call with its
 * handle. */
#ifndef MULTIWALK_DIRECT_H
#define MULTIWALK_DIRECT_H

#ifdef __cplusplus
extern "C" {
#endif

enum multiwalk_direct_status {
  MULTIWALK_DIRECT_OK = 0,
  MULTIWALK_DIRECT_INVALID = 1,     /* an argument cannot be used */
  MULTIWALK_DIRECT_UNAVAILABLE = 2, /* the back end that was asked for does not work here */
  MULTIWALK_DIRECT_MEMORY = 3,      /* out of memory */
  MULTIWALK_DIRECT_FAILED = 4       /* anything else */
};

/* Options and the back ends that work by them. */
typedef struct multiwalk_direct_handle multiwalk_direct_handle;

/* Accelerations a[ni][3] on targets at xi[ni][3] by sources mj[nj] at xj[nj][3]: CUNBODY-1's order of arguments. */
int multiwalk_direct_force(const double xj[][3], const double mj[], const double xi[][3], double eps2, double a[][3],
                           int ni, int nj);

/* The same and potentials p[ni]. */
int multiwalk_direct_force_potential(const double xj[][3], const double mj[], const double xi[][3], double eps2,
                                     double a[][3], double p[], int ni, int nj);

/* The same and jerks k[ni][3], from velocities vj[nj][3] and vi[ni][3]. */
int multiwalk_direct_force_jerk_potential(const double xj[][3], const double vj[][3], const double mj[],
                                          const double xi[][3], const double vi[][3], double eps2, double a[][3],
                                          double k[][3], double p[], int ni, int nj);

/* All of it, by a handle's options (NULL: the defaults, as above). Any of a, k, p may be NULL: not wanted; vj and vi
 * may be NULL where k is. */
int multiwalk_direct_sum(multiwalk_direct_handle* handle, const double xj[][3], const double vj[][3], const double mj[],
                         const double xi[][3], const double vi[][3], double eps2, double a[][3], double k[][3],
                         double p[], int ni, int nj);

/* A handle with the default options, or NULL without memory; destroying NULL does nothing. */
multiwalk_direct_handle* multiwalk_direct_create(void);
void multiwalk_direct_destroy(multiwalk_direct_handle* handle);

/* Sets an option of a handle:
 *
 *   "backend"       auto (default: a GPU that works, else the CPU), cuda, cpu, scalar (one double-precision loop)
 *
 *   "device"        number of the GPU, which must work then; default: the first that works. Not with cpu or scalar
 *
 *   "threads"       on the CPU: 0 (default: OpenMP's choice) or their number, at most four per core (16 are always
 * allowed)
 *
 *   "accumulation"  of single-precision pair terms: mixed (default: short sums, added in double precision), compensated
 *                   (Kahan's sums), chamomile (short sums, added in single precision), plain; or full: pairs and sums
 *                   in double precision
 *
 *   "splitting"     of coordinates in single precision: hi_lo (default: two numbers each) or single */
int multiwalk_direct_set(multiwalk_direct_handle* handle, const char* option, const char* value);

/* What computes the sums of a handle (NULL: the defaults), such as "cpu: avx512, 8 threads"; "" if nothing can, see
 * multiwalk_direct_message(). The text stays until this thread's next call of this function. */
const char* multiwalk_direct_description(multiwalk_direct_handle* handle);

/* What was wrong with this thread's last call that failed: one line, "" if none did. */
const char* multiwalk_direct_message(void);

#ifdef __cplusplus
}
#endif

#endif
