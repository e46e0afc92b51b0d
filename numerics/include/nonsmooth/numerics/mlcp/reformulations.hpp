// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>

namespace nonsmooth::mlcp {

/// Another problem whose solutions x give those of an MLCP:  u = u_offset + u_map x,  v = v_offset + v_map x.
template <class P>
struct As {
  P problem;
  Eigen::VectorXd u_offset, v_offset;
  Eigen::MatrixXd u_map, v_map;

  [[nodiscard]] Eigen::VectorXd recover_u(ConstVectorRef x) const;  ///< u_offset + u_map x
  [[nodiscard]] Eigen::VectorXd recover_v(ConstVectorRef x) const;  ///< v_offset + v_map x
};

/// As a relay problem in x = (u, v), M = (A C; D B). Where p > n, columns of zeros, where p < n, rows of zeros fill the
/// free block up to max(n, p). @throws InvalidArgument as Problem::validate.
[[nodiscard]] As<relay::Problem> as_relay(const Problem& problem);

/// As a relay problem in x = v alone, M = B - D A^-1 C (the Schur complement).
/// @throws InvalidArgument as Problem::validate, for p != n or m = 0, and where the condition of the scaled A exceeds
/// 1e12.
[[nodiscard]] As<relay::Problem> as_relay_by_elimination(const Problem& problem);

/// As an LCP, u eliminated; bounds as in relay::as_lcp. @throws InvalidArgument as as_relay_by_elimination.
[[nodiscard]] As<lcp::Problem> as_lcp_by_elimination(const Problem& problem);

/// As an LCP, u = u+ - u-; any shape and rank. Bounds as in relay::as_lcp.
/// @throws InvalidArgument as Problem::validate.
[[nodiscard]] As<lcp::Problem> as_lcp_by_splitting(const Problem& problem);

/// The LCP as an MLCP without free unknowns; v = z. @throws InvalidArgument as lcp::Problem::validate.
[[nodiscard]] Problem from_lcp(const lcp::Problem& problem);

/// A relay problem as an MLCP: its free rows become the equality rows, in their order.
struct FromRelay {
  Problem problem;
  std::vector<Index> free, constrained;  ///< the rows of the relay problem

  [[nodiscard]] Eigen::VectorXd recover(ConstVectorRef u, ConstVectorRef v) const;  ///< z
};

/// @throws InvalidArgument as relay::Problem::validate.
[[nodiscard]] FromRelay from_relay(const relay::Problem& problem);

}  // namespace nonsmooth::mlcp
