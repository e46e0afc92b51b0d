// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/hyperstaticity.hpp>

#include <cmath>
#include <vector>

#include <Eigen/QR>

#include <nonsmooth/numerics/error.hpp>

#include "../mixed/canonical.hpp"
#include "../mixed/islands.hpp"
#include "../rolling_cone.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction {
namespace {

constexpr Index max_closed_rows = 3000;

/// The reactions that u allows: r = B y with y in `cones`. The columns of B are orthonormal, those of a cone adjacent.
struct Face {
  ProductSet cones;
  std::vector<Eigen::Triplet<double>> entries;  // of B

  void add(const BlockSet& set, Index size) { cones.push_back(set, size); }
  [[nodiscard]] Eigen::SparseMatrix<double> basis(Index rows) const {
    Eigen::SparseMatrix<double> B(rows, cones.num_rows());
    B.setFromTriplets(entries.begin(), entries.end());
    return B;
  }
};

/// A closed contact whose rows start at `first`; `moves` is the least velocity that counts.
void add_contact(const BlockSet& set, const double* u, Index first, Index size, double moves, Face& face) {
  const auto axis = static_cast<int>(face.cones.num_rows());
  std::vector<std::pair<Index, double>> leading = {{first, 1.0}};  // the column of r_N and of what follows it
  double bounds[3] = {}, square = 1.0;
  Index rows = 1;
  int resting = 0;
  for (const detail::RollingGroup& group : detail::rolling_groups(set, size)) {
    const Eigen::Map<const Eigen::VectorXd> velocity(u + group.first, group.size);
    const double speed = velocity.norm();
    if (group.bound == 0.0) continue;
    if (speed > moves) {
      for (Index i = 0; i < group.size; ++i)
        leading.emplace_back(first + group.first + i, -group.bound * velocity[i] / speed);
      square += group.bound * group.bound;
    } else {
      bounds[resting++] = group.bound;
      for (Index i = 0; i < group.size; ++i, ++rows)
        face.entries.emplace_back(static_cast<int>(first + group.first + i), axis + static_cast<int>(rows), 1.0);
    }
  }
  const double length = std::sqrt(square);
  for (const auto& [row, value] : leading) face.entries.emplace_back(static_cast<int>(row), axis, value / length);
  for (double& bound : bounds) bound /= length;  // y_0 = length r_N
  if (resting == 0) return face.add({.kind = SetKind::Orthant}, 1);
  if (resting == 1) return face.add({.kind = SetKind::SecondOrderCone, .mu = bounds[0]}, rows);
  BlockSet cone{.kind = SetKind::Rolling, .mu = bounds[0]};
  (rows == 4 ? cone.spinning : cone.rolling) = bounds[1];
  if (resting == 3) cone.spinning = bounds[2];
  face.add(cone, rows);
}

[[nodiscard]] Face face_of(const ProductSet& K, const GrowingVector& u, double moves) {
  Face face;
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), n = K.size(b);
    if (K[b].kind == SetKind::Free || K[b].kind == SetKind::Orthant) {
      for (Index i = o; i < o + n; ++i) {
        if (K[b].kind == SetKind::Orthant && u[i] > moves) continue;
        face.entries.emplace_back(static_cast<int>(i), static_cast<int>(face.cones.num_rows()), 1.0);
        face.add({.kind = K[b].kind}, 1);
      }
    } else if (u[o] <= moves) {
      add_contact(K[b], u.data() + o, o, n, moves, face);
    }
  }
  return face;
}

/// What hyperstaticity() gives of one island; r is replaced by the smallest reaction. False where it is too large.
[[nodiscard]] bool reduce(const Problem& island, const GrowingVector& u, double moves, double tolerance,
                          GrowingVector& r, Index& dimension) {
  const Face face = face_of(island.K, u, moves);
  const Index n = face.cones.num_rows();
  if (n > max_closed_rows) return false;
  const Eigen::SparseMatrix<double> B = face.basis(island.W.rows());
  const Eigen::VectorXd feasible = B.transpose() * r;
  r = B * feasible;
  if (n == 0) return true;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors;
  factors.setThreshold(1e-10);  // files carry W to some 12 digits; a redundant foot leaves them far below its stiffness
  factors.compute(island.W.to_dense() * B);
  const Index kernel = n - factors.rank();
  dimension += kernel;
  if (kernel == 0) return true;
  const Eigen::MatrixXd N = factors.colsPermutation() * factors.matrixZ().transpose().rightCols(kernel);
  // Dykstra: turn by turn on the affine space and on the cones, whose correction is carried along.
  Eigen::VectorXd y = Eigen::VectorXd::Zero(n), correction = y, previous = y;
  constexpr int max_turns = 20'000;
  for (int turn = 0; turn < max_turns; ++turn) {
    const Eigen::VectorXd coordinates = N.transpose() * (y - feasible);
    y = feasible + N * coordinates;  // the nearest y with W B y = W B y_feasible
    Eigen::VectorXd on_cones = y + correction;
    for (Index c = 0; c < face.cones.num_blocks(); ++c)
      project(face.cones[c], on_cones.data() + face.cones.offset(c), face.cones.size(c));
    correction += y - on_cones;
    y = on_cones;
    if ((y - previous).norm() <= 1e-2 * tolerance * feasible.norm() && turn > 0) break;
    previous = y;
  }
  r = B * y;
  return true;
}

}  // namespace

std::optional<Hyperstaticity> hyperstaticity(const Problem& problem, ConstVectorRef r, ConstVectorRef u,
                                             double tolerance) {
  problem.validate();
  internal::check_sets("hyperstaticity", problem.K, true);
  check::size("friction::hyperstaticity: r", r.size(), problem.q.size(), "one a row of W");
  check::size("friction::hyperstaticity: u", u.size(), problem.q.size(), "one a row of W");
  check::positive("friction::hyperstaticity: tolerance", tolerance);
  if (!problem.K.is_canonical()) {
    const mixed::internal::CanonicalForm form(problem);
    Eigen::VectorXd own_r = r, own_u = u;
    form.scaling().to_canonical(own_r);
    form.scaling().velocity_to_canonical(own_u);
    auto result = hyperstaticity(form.problem(), own_r, own_u, tolerance);
    if (result) form.scaling().from_canonical(result->minimum_norm_r);
    return result;
  }
  const double moves = tolerance * problem.q.lpNorm<Eigen::Infinity>();
  Hyperstaticity result;
  result.minimum_norm_r.setZero(r.size());
  mixed::internal::Islands islands;
  islands.find(problem.W);
  Problem island;
  mixed::Result reactions, velocities;
  for (Index i = 0; i < islands.count(); ++i) {
    islands.extract(problem, i, u, island, velocities);
    islands.extract(problem, i, r, island, reactions);
    if (!reduce(island, velocities.r, moves, tolerance, reactions.r, result.nullspace_dimension)) return std::nullopt;
    islands.scatter(problem, i, reactions.r, result.minimum_norm_r);
  }
  return result;
}

}  // namespace nonsmooth::friction
