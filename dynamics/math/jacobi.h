/* Eigenvalues of small symmetric matrices by Jacobi's rotations: for sizes at which a library call
 * costs more than the work, and for threads that must keep out of BLAS. */
#ifndef JACOBI_H
#define JACOBI_H

/* Diagonalises the symmetric A, [n][n] by rows with `stride` numbers a row: afterwards its diagonal
 * holds the eigenvalues, the i-th smallest at order[i], and column j of V (may be NULL) the
 * eigenvector of diagonal j. [any] Bounded, no allocation. A and V are finite and of one stride;
 * order [n]. */
void jacobi_eigen(double *A, double *V, int n, int stride, int *order);

#endif
