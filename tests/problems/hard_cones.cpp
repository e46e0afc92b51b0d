// SPDX-License-Identifier: Apache-2.0
#include <problems/hard_cones.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <problems/canonical_units.hpp>
#include <problems/complementarity.hpp>
#include <problems/cones.hpp>
#include <problems/mixed.hpp>
#include <problems/quad.hpp>

namespace nonsmooth::problems {
namespace {

/// 0, next to none, usual, large, from 1e-12 to 1e12; a problem has one kind or draws each.
double coefficient(int kind, std::mt19937_64& random) {
  switch (kind >= 0 ? kind : static_cast<int>(random() % 5)) {
    case 0:
      return 0.0;
    case 1:
      return std::pow(10.0, draw(random, -12.0, -3.0));
    case 2:
      return std::pow(10.0, draw(random, 0.0, 4.0));
    case 3:
      return std::pow(10.0, draw(random, 4.0, 12.0));
    default:
      return draw(random, 0.05, 1.2);
  }
}

BlockSet cone(SetKind kind, int friction, Index rows, std::mt19937_64& random) {
  BlockSet set{.kind = kind, .mu = coefficient(friction, random)};
  const auto bound = [&] { return random() % 6 == 0 ? 0.0 : set.mu * std::pow(10.0, draw(random, -3.0, 2.0)); };
  if (kind == SetKind::DruckerPrager) set.lift = random() % 4 == 0 ? set.mu : draw(random, 0.0, 1.0) * set.mu;
  if (kind == SetKind::Coulomb3D && random() % 4 == 0) set.mu_2 = set.mu * std::pow(10.0, draw(random, -2.0, 2.0));
  if (kind == SetKind::Rolling && rows != 4) set.rolling = bound();
  if (kind == SetKind::Rolling && rows % 2 == 0) set.spinning = bound();
  if (has_friction(set) && random() % 4 == 0) set.cohesion = draw(random, 0.0, 2.0);
  return set;
}

Block draw_block(HardFamily family, bool global, int friction, std::mt19937_64& random) {
  using enum SetKind;
  SetKind kind = Coulomb3D;
  Index rows = 1 + static_cast<Index>(random() % 3);
  switch (family) {
    case HardFamily::Mixed: {
      constexpr SetKind all[] = {Free,    Orthant, Coulomb2D,       Coulomb3D,     Rolling,
                                 Orthant, Box,     SecondOrderCone, DruckerPrager, VonMises};
      kind = all[random() % (global ? 5 : 10)];
      break;
    }
    case HardFamily::Cones:
      kind = random() % 3 == 0 ? DruckerPrager : SecondOrderCone;
      rows = 1 + static_cast<Index>(random() % 4);
      break;
    case HardFamily::Rolling:
      kind = Rolling;
      break;
    case HardFamily::Planar:
      kind = Coulomb2D;
      break;
    case HardFamily::Spatial:
      break;
  }
  BlockSet set{.kind = kind};
  switch (kind) {
    case Free:
    case Orthant:
      return {set, rows};
    case Box:
      set.lower = -draw(random, 0.0, 2.0), set.upper = draw(random, 0.0, 2.0);
      if (random() % 4 == 0) set.upper = unbounded;
      if (random() % 4 == 0) set.lower = set.upper = 0.5;
      return {set, rows};
    case VonMises:
      set.radius = std::pow(10.0, draw(random, -6.0, 6.0));
      return {set, std::max<Index>(2, rows)};
    case Coulomb2D:
      rows = 2;
      break;
    case Coulomb3D:
      rows = 3;
      break;
    case DruckerPrager:
      rows = std::max<Index>(2, rows);
      break;
    case Rolling:
      rows = 3 + static_cast<Index>(random() % 4);
      break;
    case SecondOrderCone:
      break;
  }
  return {cone(kind, friction, rows, random), rows};
}

/// Rows on which a proof may be 1: those whose admissible u are >= 0, or 0.
bool may_prove(const BlockSet& set, Index row) {
  switch (set.kind) {
    case SetKind::Free:
    case SetKind::Orthant:
      return true;
    case SetKind::Box:
      return !std::isfinite(set.upper);
    case SetKind::VonMises:
    case SetKind::SecondOrderCone:
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::Rolling:
      return row == 0;
    case SetKind::DruckerPrager:
      return row == 0 && set.lift <= set.mu;
  }
  return false;
}

/// Small whole numbers, so that sums of rows are exact, or normal entries.
Eigen::MatrixXd draw_rows(Index n, Index columns, bool whole, std::mt19937_64& random) {
  Eigen::MatrixXd H = normal_matrix(random, n, columns);
  for (Index i = 0; i < n && whole; ++i)
    for (Index j = 0; j < columns; ++j) H(i, j) = static_cast<double>(random() % 5) - 2.0;
  return H;
}

/// A = diag of 6 x 6 bodies, symmetric positive definite, and its inverse.
void draw_bodies(Index dofs, bool plain, double decades, std::mt19937_64& random, Eigen::MatrixXd& A,
                 Eigen::MatrixXd& inverse) {
  A = inverse = Eigen::MatrixXd::Zero(dofs, dofs);
  for (Index first = 0; first < dofs; first += 6) {
    const Index size = std::min<Index>(6, dofs - first);
    const double mass = std::exp2(std::round(draw(random, -0.5, 0.5) * decades * std::log2(10.0)));
    for (Index k = first; k < first + size; ++k) A(k, k) = mass * std::exp2(static_cast<double>(random() % 3));
    inverse.block(first, first, size, size).diagonal() = A.block(first, first, size, size).diagonal().cwiseInverse();
    if (plain) continue;
    // A = mass (1 + a a^T), whose inverse is known: (1 - a a^T / (1 + a·a)) / mass.
    const Eigen::VectorXd a = normal_matrix(random, size, 1);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(size, size);
    A.block(first, first, size, size) = mass * (one + a * a.transpose());
    inverse.block(first, first, size, size) = (one - a * a.transpose() / (1.0 + a.squaredNorm())) / mass;
  }
}

/// H B H^T entry by entry, so that rows of H that are each other's negative give rows of W that are.
Eigen::MatrixXd product(const Eigen::MatrixXd& H, const Eigen::MatrixXd& B) {
  const Index n = H.rows(), m = H.cols();
  Eigen::MatrixXd HB = Eigen::MatrixXd::Zero(n, m), W = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < m; ++j)
      for (Index k = 0; k < m; ++k) HB(i, j) += H(i, k) * B(k, j);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < m; ++k) W(i, j) += HB(i, k) * H(j, k);
  return W;
}

/// u - W r, rounded once.
Eigen::VectorXd free_velocity(const Eigen::MatrixXd& W, const Eigen::VectorXd& r, const Eigen::VectorXd& u) {
  Eigen::VectorXd q(u.size());
  for (Index i = 0; i < q.size(); ++i) {
    Quad sum = u[i];
    for (Index j = 0; j < r.size(); ++j) sum -= static_cast<Quad>(W(i, j)) * r[j];
    q[i] = static_cast<double>(sum);
  }
  return q;
}

/// At least max(|q|, |W P_K(0) + q|) in canonical units.
double data_size(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const std::vector<Block>& blocks) {
  Eigen::VectorXd fixed = Eigen::VectorXd::Zero(q.size()), scale = fixed;
  Index at = 0;
  for (const Block& block : blocks) {
    scale.segment(at, block.size) = canonical_scale(block.set, block.size);
    fixed[at] = block.set.cohesion;
    if (block.set.kind == SetKind::Box)
      fixed.segment(at, block.size).setConstant(std::abs(std::clamp(0.0, block.set.lower, block.set.upper)));
    at += block.size;
  }
  return scale.cwiseProduct(q.cwiseAbs() + W.cwiseAbs() * fixed).maxCoeff();
}

/// Makes the sum of some rows of H on which a proof may be 1 vanish; the y of it, or nothing where there are no two.
Eigen::VectorXd plant_proof(const std::vector<Block>& blocks, Eigen::MatrixXd& H, std::mt19937_64& random) {
  std::vector<Index> rows;
  Index at = 0;
  for (const Block& block : blocks) {
    for (Index i = 0; i < block.size; ++i)
      if (may_prove(block.set, i)) rows.push_back(at + i);
    at += block.size;
  }
  if (rows.size() < 2) return {};
  std::shuffle(rows.begin(), rows.end(), random);
  rows.resize(2 + random() % std::min<std::size_t>(rows.size() - 1, 3));
  Eigen::VectorXd y = Eigen::VectorXd::Zero(H.rows());
  for (const Index row : rows) y[row] = 1.0;
  H.row(rows.back()).setZero();
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) H.row(rows.back()) -= H.row(rows[k]);
  return y;
}

/// Units of the blocks, powers of 2 over decades: H := D H, and the sets' own numbers with them.
Eigen::VectorXd draw_units(double decades, std::vector<Block>& blocks, Index n, std::mt19937_64& random) {
  Eigen::VectorXd d(n);
  Index at = 0;
  for (Block& block : blocks) {
    const double unit = std::exp2(std::round(draw(random, -0.5, 0.5) * decades * std::log2(10.0)));
    d.segment(at, block.size).setConstant(unit);
    block.set.lower /= unit, block.set.upper /= unit, block.set.radius /= unit, block.set.cohesion /= unit;
    at += block.size;
  }
  return d;
}

/// Cones grow with r, their velocities not; boxes, balls and cohesion do not.
void enlarge(const std::vector<Block>& blocks, std::mt19937_64& random, Eigen::VectorXd& r) {
  const double size = std::exp2(std::round(draw(random, 10.0, 40.0)));
  Index at = 0;
  for (const Block& block : blocks) {
    const bool cone = block.set.kind != SetKind::Box && block.set.kind != SetKind::VonMises;
    if (cone && block.set.cohesion == 0.0) r.segment(at, block.size) *= size;
    at += block.size;
  }
}

/// q·y < 0, whatever r is: every r has an error of at least -q·y / |y|_1, more than Solved allows, which is 64e-6 of
/// the data at round-off, or nothing is known.
Verdict push_into_wall(const Eigen::MatrixXd& W, const std::vector<Block>& blocks, const Eigen::VectorXd& y,
                       std::mt19937_64& random, Eigen::VectorXd& q) {
  const double value = q.dot(y) + draw(random, 1e-3, 1.0);
  Index last = 0;
  y.maxCoeff(&last);
  if (value > 0.0) q[last] -= value / y[last];
  const double least = -q.dot(y) / y.lpNorm<1>();
  return least > 2e-4 * data_size(W, q, blocks) ? Verdict::Infeasible : Verdict::Unknown;
}

/// The global form of the same q, to rounding: with impulses applied in half of the draws.
friction::GlobalProblem global_form(const Eigen::MatrixXd& A, const Eigen::MatrixXd& inverse, const Eigen::MatrixXd& H,
                                    const Eigen::VectorXd& q, const ProductSet& K, bool wall, std::mt19937_64& random) {
  friction::GlobalProblem global{
      .A = A.sparseView(), .H = H.sparseView(), .f = Eigen::VectorXd::Zero(A.rows()), .w = q, .K = K};
  if (wall || random() % 2 != 0) return global;
  global.f = normal_matrix(random, A.rows(), 1);
  global.w = q - H * (inverse * global.f);
  return global;
}

enum class Trait : unsigned char { Usual, RankOne, RankDeficient, Twins, Units, Masses, Unsymmetric };
enum class Load : unsigned char { Planted, Degenerate, Large, Internal, Any, None, Wall };

}  // namespace

HardCones random_hard_cones(HardFamily family, bool global, std::mt19937_64& random) {
  constexpr const char* traits[] = {"usual",       "rank 1",       "rank-deficient", "twins",
                                    "units apart", "masses apart", "unsymmetric"};
  constexpr const char* loads[] = {"planted", "degenerate", "r large", "loads inside", "any q", "q = 0", "wall"};
  const int friction = static_cast<int>(random() % 6) - 1;
  auto trait = static_cast<Trait>(random() % 7);
  const auto load = static_cast<Load>(random() % 7);
  if (trait == Trait::Unsymmetric && (global || load == Load::Wall)) trait = Trait::Usual;
  const bool whole = random() % 2 == 0 || load == Load::Wall || load == Load::Internal;
  std::vector<Block> blocks;
  Index n = 0;
  const std::uint64_t count = 1 + random() % 6;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0 && trait == Trait::Twins && random() % 2 == 0)
      blocks.push_back(blocks.front());
    else
      blocks.push_back(draw_block(family, global, friction, random));
    n += blocks.back().size;
  }
  Index columns = n + 1 + static_cast<Index>(random() % 4);
  if (trait == Trait::RankOne) columns = 1;
  if (trait == Trait::RankDeficient) columns = 1 + static_cast<Index>(random() % static_cast<std::uint64_t>(n));
  HardCones result;
  Eigen::MatrixXd H = draw_rows(n, columns, whole, random), A, B;
  Index at = 0;
  for (const Block& block : blocks) {
    if (trait == Trait::Twins && block.size == blocks.front().size)
      H.middleRows(at, block.size) = H.topRows(block.size);
    at += block.size;
  }
  if (load == Load::Wall) result.y = plant_proof(blocks, H, random);
  const bool wall = result.y.size() > 0;
  draw_bodies(columns, !global || wall || random() % 2 == 0, trait == Trait::Masses ? 12.0 : 0.0, random, A, B);

  Eigen::VectorXd r = Eigen::VectorXd::Zero(n), u = Eigen::VectorXd::Zero(n);
  at = 0;
  for (const Block& block : blocks) {
    plant_contact(block.set, load == Load::Degenerate && at > 0, true, random, r.segment(at, block.size),
                  u.segment(at, block.size));
    at += block.size;
  }
  const Eigen::VectorXd d = draw_units(trait == Trait::Units ? 10.0 : 0.0, blocks, n, random);
  if (wall)
    for (Index i = 0; i < n; ++i) result.y[i] /= d[i];
  H = d.asDiagonal() * H;
  r = r.cwiseQuotient(d), u = u.cwiseProduct(d);
  if (trait == Trait::Unsymmetric) {
    const Eigen::MatrixXd G = normal_matrix(random, columns, columns);
    B += 0.2 * (G - G.transpose());
  }
  result.W = product(H, B);
  const auto as_drawn = [&] {
    Eigen::VectorXd q(n);
    for (Index i = 0; i < n; ++i) q[i] = d[i] * draw(random, -1.0, 1.0);
    return q;
  };
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n);
  if (wall) {
    q = as_drawn();
    result.verdict = push_into_wall(result.W, blocks, result.y, random, q);
  } else if (load == Load::Any || load == Load::Wall) {
    q = as_drawn();
  } else if (load != Load::None) {
    if (load == Load::Large || load == Load::Internal) enlarge(blocks, random, r);
    q = free_velocity(result.W, r, u);
    result.r = r;
    result.verdict = Verdict::Solvable;
  }
  result.name = std::string(loads[static_cast<std::size_t>(load == Load::Wall && !wall ? Load::Any : load)]) + ", " +
                traits[static_cast<std::size_t>(trait)];
  result.problem = mixed_from_dense(result.W, q, blocks);
  if (result.verdict != Verdict::Solvable) result.r.resize(0);
  if (!global) return result;
  result.global = global_form(A, B, H, q, result.problem.K, wall, random);
  return result;
}

}  // namespace nonsmooth::problems
