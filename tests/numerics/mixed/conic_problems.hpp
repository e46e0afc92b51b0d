// SPDX-License-Identifier: Apache-2.0
#pragma once

// Planted problems over every set of the mixed family; every random one takes an explicit seed.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth::problems {

inline const std::vector<SetKind> all_kinds = {
    SetKind::Free,      SetKind::Orthant,   SetKind::Box,           SetKind::SecondOrderCone,
    SetKind::Coulomb2D, SetKind::Coulomb3D, SetKind::DruckerPrager, SetKind::VonMises};

/// The kinds whose law is monotone (û = u): with W + W^T positive definite the solution is the only one.
inline const std::vector<SetKind> monotone_kinds = {SetKind::Free, SetKind::Orthant, SetKind::Box,
                                                    SetKind::SecondOrderCone, SetKind::VonMises};

inline std::vector<Block> conic_blocks(Index count, const std::vector<SetKind>& kinds, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> kind(0, kinds.size() - 1);
  std::uniform_int_distribution<Index> size(1, 5);
  std::uniform_real_distribution<double> positive(0.1, 1.0);
  std::vector<Block> blocks;
  for (Index i = 0; i < count; ++i) {
    BlockSet set{.kind = kinds[kind(random)]};
    Index rows = size(random);
    switch (set.kind) {
      case SetKind::Box:
        set.lower = -positive(random);
        set.upper = positive(random);
        break;
      case SetKind::VonMises:
        set.radius = positive(random);
        rows = std::max<Index>(rows, 2);
        break;
      case SetKind::Coulomb2D:
        rows = 2;
        break;
      case SetKind::Coulomb3D:
        rows = 3;
        break;
      case SetKind::DruckerPrager:
        rows = std::max<Index>(rows, 2);
        break;
      default:
        break;
    }
    set.mu = set.kind == SetKind::SecondOrderCone ? 1.5 * positive(random) : 0.5 * positive(random);
    if (set.kind == SetKind::DruckerPrager) set.lift = 0.5 * positive(random);
    blocks.push_back({set, rows});
  }
  return blocks;
}

/// A pair (r, u) that satisfies the law of a cone or cylinder, drawn over its modes; mode 4 is degenerate (r on the
/// boundary and u = 0).
inline void plant_conic(const Block& block, std::mt19937_64& random, Eigen::Ref<Eigen::VectorXd> r,
                        Eigen::Ref<Eigen::VectorXd> u) {
  const BlockSet& set = block.set;
  if (set.kind == SetKind::Free || set.kind == SetKind::Orthant || set.kind == SetKind::Box)
    return plant(block, random, r, u);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> positive(0.1, 1.0);
  std::uniform_int_distribution<int> mode(0, 4);
  const Index n = block.size;
  Eigen::VectorXd s(n - 1);
  for (Index i = 0; i < n - 1; ++i) s[i] = normal(random);
  if (n > 1) s.normalize();
  r.setZero();
  u.setZero();
  const int which = mode(random);
  if (set.kind == SetKind::VonMises) {
    r[0] = normal(random);
    r.tail(n - 1) = (which < 2 ? 0.8 * positive(random) : 1.0) * set.radius * s;
    if (which == 2 || which == 3) u.tail(n - 1) = -positive(random) * s;
    return;
  }
  const double gain = set.kind == SetKind::DruckerPrager     ? set.lift
                      : set.kind == SetKind::SecondOrderCone ? 0.0
                                                             : set.mu;
  const double size = positive(random);
  if (which == 0) {  // apex: û inside the dual cone
    u.tail(n - 1) = size * s;
    u[0] = (n > 1 ? (set.mu - gain) * size : 0.0) + positive(random);
  } else if (which == 1 || n == 1) {  // inside
    r[0] = size;
    r.tail(n - 1) = 0.8 * positive(random) * set.mu * size * s;
  } else {
    r[0] = size;
    r.tail(n - 1) = set.mu * size * s;
    if (which < 4) {
      const double slip = positive(random);
      u.tail(n - 1) = -slip * s;
      u[0] = (set.mu - gain) * slip;
    }
  }
}

enum class Matrix { Symmetric, Unsymmetric, RankDeficient };

/// W = G G^T + I, the same plus a skew part of its size, or G G^T of half the rank; (r, u) planted, q = u - W r.
inline PlantedMixed planted_conic(Index count, const std::vector<SetKind>& kinds, Matrix matrix, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto blocks = conic_blocks(count, kinds, random);
  Index n = 0;
  for (const Block& block : blocks) n += block.size;
  std::normal_distribution<double> normal;
  Eigen::MatrixXd W = random_spd(n, 1.0, random);
  if (matrix != Matrix::Symmetric) {
    const Index columns = matrix == Matrix::RankDeficient ? (n + 1) / 2 : n;
    Eigen::MatrixXd G(n, columns);
    for (Index k = 0; k < G.size(); ++k) G.data()[k] = normal(random) / std::sqrt(static_cast<double>(n));
    if (matrix == Matrix::RankDeficient)
      W = G * G.transpose();
    else
      W += G - G.transpose();
  }
  PlantedMixed planted;
  planted.r.resize(n);
  planted.u.resize(n);
  Index offset = 0;
  for (const Block& block : blocks) {
    plant_conic(block, random, planted.r.segment(offset, block.size), planted.u.segment(offset, block.size));
    offset += block.size;
  }
  planted.problem = mixed_from_dense(W, planted.u - W * planted.r, blocks);
  return planted;
}

/// Problems that no r solves, each with the sentence that proves it.
struct Unsolvable {
  const char* why;
  mixed::Problem problem;
};

inline std::vector<Unsolvable> unsolvable_problems(bool monotone_only) {
  const auto zero = [](Index n) { return Eigen::MatrixXd::Zero(n, n); };
  std::vector<Unsolvable> list;
  list.push_back({"W = 0: u = -1 < 0", mixed_from_dense(zero(1), Eigen::VectorXd::Constant(1, -1.0), {{{}, 1}})});
  list.push_back({"W = 0: u = 1 is not 0",
                  mixed_from_dense(zero(1), Eigen::VectorXd::Constant(1, 1.0), {{{.kind = SetKind::Free}, 1}})});
  list.push_back({"W = 0: u = (-1, 0, 0) is outside the dual cone",
                  mixed_from_dense(zero(3), Eigen::Vector3d(-1.0, 0.0, 0.0),
                                   {{{.kind = SetKind::SecondOrderCone, .mu = 0.5}, 3}})});
  Eigen::Matrix2d opposed;
  opposed << 1.0, -1.0, -1.0, 1.0;
  list.push_back(
      {"u_0 + u_1 = -1 whatever r", mixed_from_dense(opposed, Eigen::Vector2d(-0.5, -0.5), {{{}, 1}, {{}, 1}})});
  if (monotone_only) return list;
  list.push_back({"W = 0: u_0 = 1 is not 0", mixed_from_dense(zero(3), Eigen::Vector3d(1.0, 0.0, 0.0),
                                                              {{{.kind = SetKind::VonMises, .radius = 1.0}, 3}})});
  list.push_back({"W = 0: u_N = -1 < 0", mixed_from_dense(zero(3), Eigen::Vector3d(-1.0, 0.0, 0.0),
                                                          {{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3}})});
  return list;
}

/// A chain of cones, each block coupled to its neighbours: W = G G^T + I / 100 with a block bidiagonal G, so that the
/// sparse path is taken. (r, u) planted.
inline PlantedMixed planted_chain(Index count, const std::vector<SetKind>& kinds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto blocks = conic_blocks(count, kinds, random);
  std::vector<Index> offsets = {0};
  for (const Block& block : blocks) offsets.push_back(offsets.back() + block.size);
  const Index n = offsets.back();
  std::normal_distribution<double> normal;
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n, n);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Index end = b + 1 < blocks.size() ? offsets[b + 2] : offsets[b + 1];
    for (Index j = offsets[b]; j < end; ++j)
      for (Index i = offsets[b]; i < offsets[b + 1]; ++i) G(i, j) = 0.5 * normal(random);
  }
  Eigen::MatrixXd W = G * G.transpose();
  W.diagonal().array() += 0.01;
  PlantedMixed planted;
  planted.r.resize(n);
  planted.u.resize(n);
  for (std::size_t b = 0; b < blocks.size(); ++b)
    plant_conic(blocks[b], random, planted.r.segment(offsets[b], blocks[b].size),
                planted.u.segment(offsets[b], blocks[b].size));
  planted.problem = mixed_from_dense(W, planted.u - W * planted.r, blocks, false);
  return planted;
}

}  // namespace nonsmooth::problems
