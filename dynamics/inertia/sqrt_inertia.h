/* The square-root form of the inertial parameters: quadratic where log-Cholesky is exponential.
 *
 *   J = C C^T + eps 1,  rho = (C11, C21, C22, C31, C32, C33, C41, C42, C43, C44)
 *
 * C is lower triangular. The ten parameters are pi = A(rho) rho + pi(eps 1) with A linear in rho,
 * which turns least squares on physically consistent bodies into a sequence of quadratic programs.
 * All functions: [any]. */
#ifndef SQRT_INERTIA_H
#define SQRT_INERTIA_H

#include "common/status.h"
#include "inertia/inertia.h"

#define SQRT_INERTIA_SIZE 10

/* The parameters of rho; eps >= 0 (kg m^2 and kg alike) keeps J positive definite where the
 * diagonal of C is zero. */
struct inertia sqrt_inertia(const double rho[SQRT_INERTIA_SIZE], double eps);

/* rho with a positive diagonal. STATUS_NOT_CONSISTENT when J - eps 1 is not positive definite,
 * STATUS_NOT_FINITE; rho is then untouched. */
enum status sqrt_inertia_from(const struct inertia *pi, double eps, double rho[SQRT_INERTIA_SIZE]);

/* A(rho), with A(rho) rho the parameters for eps = 0; of each product of two entries of C the one
 * from the upper row belongs to A. Invertible when no diagonal entry of C is zero. */
void sqrt_inertia_matrix(const double rho[SQRT_INERTIA_SIZE],
                         double A[INERTIA_PARAMETERS][SQRT_INERTIA_SIZE]);

/* d pi / d rho, which is not A(rho): the parameters are quadratic. */
void sqrt_inertia_jacobian(const double rho[SQRT_INERTIA_SIZE],
                           double G[INERTIA_PARAMETERS][SQRT_INERTIA_SIZE]);

#endif
