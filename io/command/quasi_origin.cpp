// SPDX-License-Identifier: Apache-2.0
#include "quasi_origin.hpp"

#include <variant>

namespace nonsmooth::command {
namespace {

/// A sum with what may not be there.
void add_product(const auto& matrix, const Eigen::VectorXd& p, Eigen::VectorXd& sum) {
  if (matrix.size() > 0) sum += matrix * p;
}

}  // namespace

std::optional<Eigen::VectorXd> point_for_origin(const AffineQuasiVi& problem) {
  constexpr Index most = 1000;  // fixed_points() is dense
  const Index n = problem.size();
  if (n > most) return std::nullopt;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd nearest(n);
  if (problem.problem().K.at(zero).project(zero, nearest).ok()) return std::nullopt;
  const vi::Polyhedron points = problem.fixed_points();  // (z, x)
  Eigen::VectorXd both(points.size());
  if (!vi::ConvexSet(points).project(Eigen::VectorXd::Zero(points.size()), both).ok()) return std::nullopt;
  return Eigen::VectorXd(both.tail(n));
}

/// K(x) - p = (t + T p - p) + T (x - p) + {z : A z <= (b + B p) + B (x - p), ...}.
AffineQuasiVi seen_from(const AffineQuasiVi& problem, const Eigen::VectorXd& p) {
  AffineQuasiVi moved = problem;
  std::visit([&](const auto& M) { moved.base.q += M * p; }, problem.base.M);
  for (std::size_t i = 0; i < moved.slopes.size(); ++i) {
    auto* const polyhedron = std::get_if<vi::Polyhedron>(&moved.base.parts[i]);
    if (polyhedron == nullptr) continue;
    add_product(moved.slopes[i].B, p, polyhedron->b);
    add_product(moved.slopes[i].D, p, polyhedron->d);
  }
  const Index n = problem.size();
  if (problem.t.size() == 0) {
    moved.t = -p;
    moved.T = Eigen::SparseMatrix<double>(n, n);
  } else {
    moved.t -= p;
    std::visit([&](const auto& T) { moved.t += T * p; }, problem.T);
  }
  return moved;
}

}  // namespace nonsmooth::command
