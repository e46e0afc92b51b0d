// SPDX-License-Identifier: Apache-2.0
#include "elastic_impacts.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace nonsmooth::problems {
namespace {

/// M and K of elements of equal matrices, each of `shared` unknowns in common with the one before.
std::pair<Eigen::SparseMatrix<double>, Eigen::SparseMatrix<double>> assemble(Index elements, Index shared,
                                                                             const Eigen::MatrixXd& m,
                                                                             const Eigen::MatrixXd& k) {
  std::vector<Eigen::Triplet<double>> mass, stiffness;
  for (Index e = 0; e < elements; ++e) {
    for (Index i = 0; i < m.rows(); ++i) {
      for (Index j = 0; j < m.cols(); ++j) {
        const auto row = static_cast<int>(shared * e + i), column = static_cast<int>(shared * e + j);
        mass.emplace_back(row, column, m(i, j));
        stiffness.emplace_back(row, column, k(i, j));
      }
    }
  }
  const Index n = shared * elements + shared;
  Eigen::SparseMatrix<double> M(n, n), K(n, n);
  M.setFromTriplets(mass.begin(), mass.end());
  K.setFromTriplets(stiffness.begin(), stiffness.end());
  return {M, K};
}

/// `flies`: which unknowns have the speed -1, and the gap; `touches`: the one that meets the stop.
ElasticImpact impact_of(const Eigen::SparseMatrix<double>& M, const Eigen::SparseMatrix<double>& K,
                        const Eigen::VectorXd& flies, Index touches, double begins) {
  ElasticImpact impact;
  impact.begins = begins;
  impact.body = impact.model.add(LagrangianLinearSystem{.mass = M, .stiffness = K, .q0 = begins * flies, .v0 = -flies});
  Eigen::SparseMatrix<double> H(1, flies.size());
  H.insert(0, touches) = 1.0;
  impact.stop = impact.model.link(impact.body, LagrangianLinearRelation{.H = H}, NewtonImpactLaw{});
  return impact;
}

}  // namespace

ElasticImpact bar_at_wall(Index elements) {
  const double l = 1.0 / static_cast<double>(elements);
  const auto [M, K] = assemble(elements, 1, l / 6.0 * Eigen::Matrix2d{{2.0, 1.0}, {1.0, 2.0}},
                               1.0 / l * Eigen::Matrix2d{{1.0, -1.0}, {-1.0, 1.0}});
  ElasticImpact impact = impact_of(M, K, Eigen::VectorXd::Ones(elements + 1), 0, 0.0503 + 0.3 * l);
  impact.element = l;
  impact.frequency = std::sqrt(12.0) / l;  // of one element by itself
  return impact;
}

ElasticImpact beam_at_stop(Index elements) {
  const double l = 1.0 / static_cast<double>(elements);
  Eigen::Matrix4d m, k;
  m << 156, 22 * l, 54, -13 * l, 22 * l, 4 * l * l, 13 * l, -3 * l * l, 54, 13 * l, 156, -22 * l, -13 * l, -3 * l * l,
      -22 * l, 4 * l * l;
  k << 12, 6 * l, -12, 6 * l, 6 * l, 4 * l * l, -6 * l, 2 * l * l, -12, -6 * l, 12, -6 * l, 6 * l, 2 * l * l, -6 * l,
      4 * l * l;
  const auto [M, K] = assemble(2 * elements, 2, l / 420.0 * m, 1.0 / (l * l * l) * k);
  Eigen::VectorXd flies = Eigen::VectorXd::Zero(M.cols());
  for (Index i = 0; i < flies.size(); i += 2) flies[i] = 1.0;
  ElasticImpact impact = impact_of(M, K, flies, 2 * elements, 1.03e-4);
  impact.element = l;
  impact.frequency = std::sqrt(8400.0) / (l * l);  // of one element by itself: antisymmetric, 8400 = 60 * 140
  return impact;
}

double beam_impulse(double t) { return t > 0.0 ? 4.0 * std::sqrt(2.0 * t / std::numbers::pi) : 0.0; }

}  // namespace nonsmooth::problems
