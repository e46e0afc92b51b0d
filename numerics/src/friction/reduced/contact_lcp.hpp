// SPDX-License-Identifier: Apache-2.0
#pragma once

// Contact problems whose sets are polyhedral, as linear complementarity problems.

#include <string>
#include <utility>
#include <vector>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/pivoting.hpp>
#include <nonsmooth/numerics/friction/planar_lcp.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>
#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/limits.hpp>

#include "measure.hpp"

namespace nonsmooth::friction::internal {

/// The LCP of a problem of Free, Orthant and Coulomb2D blocks; the unknowns of Free rows are those of an MLCP.
///
/// Each block has r = R z and w = L u + E z, so that M = L W R + E, q := L q.
class ContactLcp {
 public:
  explicit ContactLcp(const Problem& problem, PlanarLcp::Form form = PlanarLcp::Form::Klarbring);

  /// The answer of the LCP into result.r, with its pivots, status and reason; a proof of infeasibility into
  /// result.proof, y = L^T y_lcp. Neither is certified against the contact problem.
  void solve(Pivoting pivoting, const Limits& limits, mixed::Result& result) const;

 private:
  struct Piece {
    Eigen::MatrixXd R, L, E;
    Index first;  // row of the LCP, or of the equalities for a Free block
    bool free;
  };

  void assemble(Eigen::MatrixXd& M) const;  // equalities first
  [[nodiscard]] Eigen::SparseMatrix<double> assemble_sparse() const;
  [[nodiscard]] bool prefers_sparse() const;
  /// What `piece` and `from` couple by block k of row b.
  [[nodiscard]] Eigen::MatrixXd entries(Index b, Index k) const;
  template <class Answer>
  void take(const Answer& answer, mixed::Result& result) const;

  const Problem& problem_;
  std::vector<Piece> pieces_;
  Eigen::VectorXd q_;             // equalities first
  Index num_free_ = 0, num_ = 0;  // rows of each kind
};

/// True where r = 0 is a solution: no contact approaches.
[[nodiscard]] bool rests_at_zero(const Problem& problem);

/// Ends a solve whose r is an LCP's: Solved where the measure allows it; Infeasible only with a proof that holds for
/// `problem`; else `result`'s status and reason, `without` in place of Solved and of a proof that does not hold.
void conclude_pivoting(const Problem& problem, double tolerance, Measure measure, std::string_view without,
                       mixed::Result& result);

template <class Options>
void validate_pivoting(const std::string& name, const Options& options) {
  check::positive(name + "::tolerance", options.tolerance);
  check::at_least(name + "::max_iterations", options.max_iterations, 0);
  detail::check_time_limit((name + "::time_limit").c_str(), options.time_limit);
}

}  // namespace nonsmooth::friction::internal
