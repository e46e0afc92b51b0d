// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/hyperstaticity.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "mixed/canonical.hpp"
#include "mixed/islands.hpp"
#include "presolve.hpp"
#include "projection_method.hpp"
#include "rolling_cone.hpp"
#include "set_kernels.hpp"
#include "symmetry.hpp"

namespace nonsmooth::friction {
namespace {

/// Closed rows of an island: up to here dense factors, up to there a sparse one.
constexpr Index max_dense_rows = 3000, max_sparse_rows = 100'000;

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

/// Dykstra from y: turn by turn on the affine space, by `project_affine`, and on the cones, whose correction is carried
/// along. True once a turn changes y by less than `stop`.
template <class Project>
[[nodiscard]] bool shrink(const ProductSet& cones, double stop, int max_turns, Project project_affine,
                          Eigen::VectorXd& y) {
  Eigen::VectorXd correction = Eigen::VectorXd::Zero(y.size()), previous = y;
  for (int turn = 0; turn < max_turns; ++turn) {
    project_affine(y);
    Eigen::VectorXd on_cones = y + correction;
    for (Index c = 0; c < cones.num_blocks(); ++c) project(cones[c], on_cones.data() + cones.offset(c), cones.size(c));
    correction += y - on_cones;
    y = on_cones;
    if ((y - previous).norm() <= stop && turn > 0) return true;
    previous = y;
  }
  return false;
}

/// B^T W B in the blocks of the face's cones.
[[nodiscard]] BlockSparseMatrix restricted(const BlockSparseMatrix& W, const Eigen::SparseMatrix<double>& B,
                                           const ProductSet& cones) {
  const Eigen::SparseMatrix<double> product = W.to_sparse() * B;
  const Eigen::SparseMatrix<double> S = B.transpose() * product;
  std::vector<Index> sizes, owner, seen(static_cast<std::size_t>(cones.num_blocks()), -1);
  for (Index c = 0; c < cones.num_blocks(); ++c) {
    sizes.push_back(cones.size(c));
    owner.insert(owner.end(), static_cast<std::size_t>(cones.size(c)), c);
  }
  // Column by column: the pattern of S is symmetric, for that of W is.
  BlockSparseMatrix result;
  result.begin_pattern(sizes);
  for (Index c = 0; c < cones.num_blocks(); ++c) {
    for (Index j = cones.offset(c); j < cones.offset(c + 1); ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator entry(S, j); entry; ++entry) {
        const Index block = owner[static_cast<std::size_t>(entry.row())];
        if (seen[static_cast<std::size_t>(block)] == c) continue;
        seen[static_cast<std::size_t>(block)] = c;
        result.insert(block);
      }
    result.next_row();
  }
  result.end_pattern();
  for (Index j = 0; j < S.cols(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator entry(S, j); entry; ++entry) {
      const Index row = owner[static_cast<std::size_t>(j)], column = owner[static_cast<std::size_t>(entry.row())];
      const Index k = result.find(row, column);  // S_ij is put where S_ji is: they are the same
      result.block(row, k)(j - cones.offset(row), entry.row() - cones.offset(column)) = entry.value();
    }
  return result;
}

/// By dense factors: exact to round-off.
void reduce_dense(const Face& face, const Eigen::MatrixXd& image, double tolerance, Eigen::VectorXd& y,
                  Index& dimension) {
  constexpr int max_turns = 20'000;
  CompleteOrthogonalFactors factors;
  // Files carry W to some 12 digits; a redundant foot leaves them far below its stiffness.
  factors.set_threshold(1e-10);
  factors.compute(image);
  const Index kernel = y.size() - factors.rank();
  dimension += kernel;
  if (kernel == 0) return;
  const Eigen::MatrixXd N = factors.kernel();
  const Eigen::VectorXd feasible = y;
  y.setZero();
  const auto nearest = [&](Eigen::VectorXd& x) {  // with W B x = W B feasible
    const Eigen::VectorXd coordinates = N.transpose() * (x - feasible);
    x = feasible + N * coordinates;
  };
  static_cast<void>(shrink(face.cones, 1e-2 * tolerance * feasible.norm(), max_turns, nearest, y));
}

/// By one sparse factorization: an estimate of the dimension, and y replaced where the turns converge. False where W is
/// not symmetric positive semidefinite.
[[nodiscard]] bool reduce_sparse(const Face& face, const BlockSparseMatrix& W, const Eigen::SparseMatrix<double>& B,
                                 double tolerance, Eigen::VectorXd& y, Index& dimension) {
  constexpr int max_turns = 200;       // two solves each
  constexpr double attainable = 1e-5;  // factors of a condition number of 1e10 leave 1e-6 along the kernel
  if (!internal::is_symmetric(W)) return false;
  const BlockSparseMatrix S = restricted(W, B, face.cones);
  const internal::KernelProjection kernel(S);
  if (!kernel.valid()) return false;
  const Index estimate = kernel.estimate_dimension();
  dimension += estimate;
  if (estimate == 0) return true;
  const Eigen::VectorXd feasible = y;
  y.setZero();
  const auto nearest = [&](Eigen::VectorXd& x) {
    x -= feasible;
    kernel.project(x);
    x += feasible;
  };
  if (!shrink(face.cones, std::max(tolerance, attainable) * feasible.norm(), max_turns, nearest, y)) y = feasible;
  return true;
}

/// What hyperstaticity() gives of one island; r is replaced by the smallest reaction. False where nothing can be said.
[[nodiscard]] bool reduce(const Problem& island, const GrowingVector& u, double moves, double tolerance,
                          GrowingVector& r, Hyperstaticity& found) {
  const Face face = face_of(island.K, u, moves);
  const Index n = face.cones.num_rows();
  const Eigen::SparseMatrix<double> B = face.basis(island.W.rows());
  Eigen::VectorXd y = B.transpose() * r;
  if (n > max_sparse_rows) return false;
  if (n > max_dense_rows) {
    found.estimated = true;
    if (!reduce_sparse(face, island.W, B, tolerance, y, found.nullspace_dimension)) return false;
  } else if (n > 0) {
    reduce_dense(face, island.W.to_dense() * B, tolerance, y, found.nullspace_dimension);
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
  std::vector<Index> sizes;
  islands.find(problem.W);
  Problem island;
  mixed::Result reactions, velocities;
  for (Index i = 0; i < islands.count(); ++i) {
    islands.extract(problem, i, u, sizes, island, velocities);
    islands.extract(problem, i, r, sizes, island, reactions);
    if (!reduce(island, velocities.r, moves, tolerance, reactions.r, result)) return std::nullopt;
    islands.scatter(problem, i, reactions.r, result.minimum_norm_r);
  }
  return result;
}

}  // namespace nonsmooth::friction
