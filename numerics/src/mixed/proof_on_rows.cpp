// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "infeasibility.hpp"
#include "proof_memory.hpp"

namespace nonsmooth::mixed::internal {
namespace {

/// A dense dictionary of twice as many rows, in phase one.
constexpr Index phase_one_rows = 400;

[[nodiscard]] bool row_wise(SetKind kind) noexcept {
  return kind == SetKind::Free || kind == SetKind::Orthant || kind == SetKind::Box;
}

}  // namespace

bool find_proof_on_rows(const Problem& problem, double time_limit, Eigen::VectorXd& y) {
  ProofMemory memory;
  return find_proof_on_rows(problem, time_limit, memory, y);
}

bool find_proof_on_rows(const Problem& problem, double time_limit, ProofMemory& memory, Eigen::VectorXd& proof) {
  const BlockSparseMatrix& W = problem.W;
  const ProductSet& K = problem.K;
  std::vector<Index>&rows = memory.rows, &blocks = memory.blocks;
  std::vector<local::Interval>& bounds = memory.bounds;
  rows.clear();
  blocks.clear();
  bounds.clear();
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const bool cone = !row_wise(K[b].kind), free = K[b].kind == SetKind::Free || K[b].kind == SetKind::VonMises;
    if (K[b].kind == SetKind::DruckerPrager && K[b].lift > K[b].mu) continue;
    const local::Interval own = free   ? local::Interval{-local::infinity, local::infinity}
                                : cone ? local::Interval{0.0, local::infinity}
                                       : local::interval(K[b]);
    if (std::isfinite(own.lower) && std::isfinite(own.upper)) continue;
    for (Index i = K.offset(b); i < K.offset(b) + (cone ? 1 : K.size(b)); ++i) {
      rows.push_back(i);
      blocks.push_back(b);
      bounds.push_back(own);
    }
  }
  const auto n = static_cast<Index>(rows.size());
  if (n == 0 || n > phase_one_rows) return false;
  // In units in which the diagonal is 1, to powers of 2: bodies and rows may be decades apart.
  GrowingVector &unit = memory.unit, &q = memory.q, &lower = memory.lower, &upper = memory.upper, &y = memory.y;
  GrowingMatrix<>& M = memory.M;
  for (GrowingVector* vector : {&unit, &q, &lower, &upper}) vector->resize(n);
  unit.setOnes();
  M.resize(n, n);
  const auto row = [&](Index i) { return rows[static_cast<std::size_t>(i)]; };
  const auto block = [&](Index i) { return blocks[static_cast<std::size_t>(i)]; };
  const auto entry = [&](Index i, Index j) {
    const Index k = W.find(block(i), block(j));
    return k < 0 ? 0.0 : W.values(k)[(row(j) - W.offset(block(j))) * W.size(block(i)) + row(i) - W.offset(block(i))];
  };
  for (Index i = 0; i < n; ++i)
    if (const double diagonal = entry(i, i); diagonal > 0.0)
      unit[i] = std::exp2(-std::round(0.5 * std::log2(diagonal)));
  for (Index i = 0; i < n; ++i) {
    q[i] = unit[i] * problem.q[row(i)];
    lower[i] = bounds[static_cast<std::size_t>(i)].lower / unit[i];
    upper[i] = bounds[static_cast<std::size_t>(i)].upper / unit[i];
    for (Index j = 0; j < n; ++j) M(i, j) = unit[i] * unit[j] * entry(i, j);
  }
  relay::Result found;
  if (!relay::detail::prove_infeasible({M, q, lower, upper}, time_limit, memory.phase_one, found)) return false;
  const double largest = found.proof.lpNorm<Eigen::Infinity>();
  for (const double zero : {0.0, 1e-12, 1e-8}) {  // what is round-off of the largest takes no part
    y.setZero(W.rows());
    for (Index i = 0; i < n; ++i)
      if (std::abs(found.proof[i]) > zero * largest) y[row(i)] = unit[i] * found.proof[i];
    if (prove(problem, memory, proof)) return true;
  }
  return false;
}

}  // namespace nonsmooth::mixed::internal
