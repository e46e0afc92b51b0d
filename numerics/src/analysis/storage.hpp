// SPDX-License-Identifier: Apache-2.0
// Storage functions of passive systems; not installed.
#pragma once

#include <optional>

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::analysis::detail {

/// The inequality [-(A^T P + P A), C^T - P B; C - B^T P, R] >= 0, R = R^T, entries near 1.
struct StorageProblem {
  Eigen::MatrixXd A, B, C, R;
};

/// A candidate P = P^T for it, to be verified by who asks; nothing where a reduction finds none. What is below
/// `threshold` is taken for zero. Reductions, until D + D^T is regular or no input is left:
///
/// - R N = 0: then P B N = C^T N. With B N of full rank, S = N^T C B N must be positive definite; in coordinates
///   x = B N u + V w, N^T C V = 0, P is S on u and P_w on w without coupling, and P_w solves the inequality with state
///   w and the inputs (u, rest).
/// - (H(i omega) + H(i omega)^*) v = 0: then P x = (A^T + i omega I)^-1 C^T v for x = (i omega I - A)^-1 B v, and what
/// is
///   P-orthogonal to x solves the inequality by itself.
/// - Av = i omega v: then A^T P v = -i omega P v, so that P couples the eigenvectors to no other invariant subspace.
[[nodiscard]] std::optional<Eigen::MatrixXd> find_storage(const StorageProblem& problem, double threshold);

/// Frequencies omega >= 0, ascending, at which H(i omega) + H(i omega)^* + shift I is singular, R + shift I regular:
/// eigenvalues s of the Hamiltonian matrix with |Re s| <= width (1 + |s|).
[[nodiscard]] Eigen::VectorXd crossing_frequencies(const StorageProblem& problem, double shift, double width);

}  // namespace nonsmooth::analysis::detail
