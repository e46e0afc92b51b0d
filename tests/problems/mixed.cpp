// SPDX-License-Identifier: Apache-2.0
#include <problems/mixed.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace nonsmooth::problems {

mixed::Problem mixed_from_dense(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const std::vector<Block>& blocks,
                                bool keep_zero_blocks) {
  mixed::Problem problem;
  std::vector<Index> sizes;
  for (const Block& block : blocks) {
    sizes.push_back(block.size);
    problem.K.push_back(block.set, block.size);
  }
  const auto n = static_cast<Index>(blocks.size());
  problem.W.begin_pattern(sizes);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const auto part = W.block(problem.K.offset(i), problem.K.offset(j), problem.K.size(i), problem.K.size(j));
      if (i == j || keep_zero_blocks || !part.isZero(0.0)) problem.W.insert(j);
    }
    problem.W.next_row();
  }
  problem.W.end_pattern();
  for (Index i = 0; i < n; ++i)
    for (Index k = problem.W.row_begin(i); k < problem.W.row_begin(i + 1); ++k) {
      const Index j = problem.W.column(k);
      problem.W.block(i, k) = W.block(problem.K.offset(i), problem.K.offset(j), problem.K.size(i), problem.K.size(j));
    }
  problem.q = q;
  return problem;
}

namespace {

/// The same for a cone or a cylinder of several rows: apex, r inside with u = 0, or flow on the boundary.
void plant_cone(const Block& block, std::mt19937_64& random, Eigen::Ref<Eigen::VectorXd> r,
                Eigen::Ref<Eigen::VectorXd> u) {
  std::uniform_real_distribution<double> positive(0.1, 1.0), any(-1.0, 1.0);
  std::uniform_int_distribution<int> mode(0, 3);
  std::normal_distribution<double> normal;
  const BlockSet& set = block.set;
  const bool cylinder = set.kind == SetKind::VonMises;
  const Index tail = block.size - 1;
  r.setZero();
  u.setZero();
  Eigen::VectorXd direction(tail);
  for (double& entry : direction) entry = normal(random);
  direction.normalize();
  Eigen::VectorXd slip = Eigen::VectorXd::Unit(block.size, 1);
  modify_velocity(set, slip);
  const double excess = set.mu - slip[0];  // flow at speed v has u_0 = excess v
  const int which = mode(random);
  if (which == 0 && !cylinder) {
    const double speed = positive(random);
    u[0] = excess * speed + positive(random);
    u.tail(tail) = speed * direction;
    return;
  }
  r[0] = cylinder ? any(random) : positive(random);
  const double radius = cylinder ? set.radius : set.mu * r[0];
  if (which <= 1) {
    r.tail(tail) = 0.9 * any(random) * radius * direction;
    return;
  }
  const double speed = positive(random);
  r.tail(tail) = radius * direction;
  u.tail(tail) = -speed * direction;
  if (!cylinder) u[0] = excess * speed;
}

}  // namespace

void plant(const Block& block, std::mt19937_64& random, Eigen::Ref<Eigen::VectorXd> r, Eigen::Ref<Eigen::VectorXd> u) {
  std::uniform_real_distribution<double> positive(0.1, 1.0), any(-1.0, 1.0);
  std::uniform_int_distribution<int> mode(0, 3);
  r.setZero();
  u.setZero();
  const BlockSet& set = block.set;
  if (block.size > 1 && (set.kind == SetKind::SecondOrderCone || set.kind == SetKind::Coulomb3D ||
                         set.kind == SetKind::DruckerPrager || set.kind == SetKind::VonMises))
    return plant_cone(block, random, r, u);
  if (set.kind == SetKind::Coulomb2D) {
    switch (mode(random)) {
      case 0:  // take-off
        u << positive(random), any(random);
        break;
      case 1:  // stick
        r[0] = positive(random);
        r[1] = 0.9 * set.mu * r[0] * any(random);
        break;
      case 2:  // slip, u_T > 0
        r[0] = positive(random);
        r[1] = -set.mu * r[0];
        u[1] = positive(random);
        break;
      default:
        r[0] = positive(random);
        r[1] = set.mu * r[0];
        u[1] = -positive(random);
    }
    return;
  }
  for (Index i = 0; i < block.size; ++i) {
    const int which = mode(random);
    switch (set.kind) {
      case SetKind::Free:
        r[i] = any(random);
        break;
      case SetKind::Box:
        if (which == 0 && std::isfinite(set.lower)) {
          r[i] = set.lower;
          u[i] = positive(random);
        } else if (which == 1 && std::isfinite(set.upper)) {
          r[i] = set.upper;
          u[i] = -positive(random);
        } else {
          const double low = std::max(set.lower, -10.0), high = std::min(set.upper, 10.0);
          r[i] = 0.5 * (low + high) + 0.4 * (high - low) * any(random);
        }
        break;
      default:
        (which < 2 ? r[i] : u[i]) = positive(random);
    }
  }
}

Eigen::MatrixXd random_spd(Index n, double ridge, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd G(n, n);
  for (Index k = 0; k < n * n; ++k) G.data()[k] = normal(random) / std::sqrt(static_cast<double>(n));
  Eigen::MatrixXd W = G * G.transpose();
  W.diagonal().array() += ridge;
  return W;
}

std::vector<Block> random_blocks(Index count, const std::vector<SetKind>& kinds, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> kind(0, kinds.size() - 1);
  std::uniform_int_distribution<Index> size(1, 3);
  std::uniform_real_distribution<double> mu(0.0, 0.8), bound(0.1, 2.0);
  std::vector<Block> blocks;
  for (Index i = 0; i < count; ++i) {
    BlockSet set{.kind = kinds[kind(random)]};
    Index rows = size(random);
    if (set.kind == SetKind::Coulomb2D) {
      set.mu = mu(random);
      rows = 2;
    }
    if (set.kind == SetKind::Coulomb3D) {
      set.mu = mu(random);
      rows = 3;
    }
    if (set.kind == SetKind::SecondOrderCone || set.kind == SetKind::DruckerPrager) {
      set.mu = 0.1 + mu(random);
      rows = 2 * size(random);
      if (set.kind == SetKind::DruckerPrager) set.lift = i % 2 == 0 ? 0.0 : 0.5 * set.mu;
    }
    if (set.kind == SetKind::VonMises) {
      set.radius = bound(random);
      rows = size(random) == 1 ? 3 : 6;
    }
    if (set.kind == SetKind::Box) {
      set.lower = -bound(random);
      set.upper = bound(random);
      if (i % 5 == 3) set.upper = std::numeric_limits<double>::infinity();
    }
    blocks.push_back({set, rows});
  }
  return blocks;
}

PlantedMixed planted_mixed(Index count, const std::vector<SetKind>& kinds, std::uint64_t seed, double ridge) {
  std::mt19937_64 random(seed);
  const auto blocks = random_blocks(count, kinds, random);
  Index n = 0;
  for (const Block& block : blocks) n += block.size;
  PlantedMixed planted;
  const Eigen::MatrixXd W = random_spd(n, ridge, random);
  planted.r.resize(n);
  planted.u.resize(n);
  Index offset = 0;
  for (const Block& block : blocks) {
    plant(block, random, planted.r.segment(offset, block.size), planted.u.segment(offset, block.size));
    offset += block.size;
  }
  planted.problem = mixed_from_dense(W, planted.u - W * planted.r, blocks);
  return planted;
}

PlantedMixed planted_row_of_bodies(Index count, const std::vector<SetKind>& kinds, Index dofs, double decades,
                                   std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-0.5 * decades, 0.5 * decades);
  const std::vector<Block> blocks = random_blocks(count, kinds, random);
  Index n = 0;
  for (const Block& block : blocks) n += block.size;
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, (count + 1) * dofs);
  Eigen::VectorXd inverse_mass(H.cols());
  for (Index body = 0; body <= count; ++body)
    inverse_mass.segment(body * dofs, dofs).setConstant(std::pow(10.0, exponent(random)));
  PlantedMixed planted;
  planted.r.resize(n);
  planted.u.resize(n);
  Index offset = 0;
  for (Index b = 0; b < count; ++b) {
    const Block& block = blocks[static_cast<std::size_t>(b)];
    for (Index i = 0; i < block.size; ++i)
      for (Index k = 0; k < 2 * dofs; ++k) H(offset + i, b * dofs + k) = normal(random);
    plant(block, random, planted.r.segment(offset, block.size), planted.u.segment(offset, block.size));
    offset += block.size;
  }
  const Eigen::MatrixXd W = H * inverse_mass.asDiagonal() * H.transpose();
  planted.problem = mixed_from_dense(W, planted.u - W * planted.r, blocks, false);
  return planted;
}

mixed::Problem disk_pile(Index width, Index layers, double mu) {
  struct Contact {
    Index above, below;  // below = -1: floor
    double n_x, n_y;     // from below to above
  };
  std::vector<Contact> contacts;
  const auto disk = [&](Index layer, Index column) { return layer * width + column; };
  const double c = 0.5, s = std::sqrt(3.0) / 2.0;
  for (Index layer = 0; layer < layers; ++layer)
    for (Index column = 0; column < width; ++column) {
      const Index shift = layer % 2;
      for (Index side = 0; side < 2; ++side) {
        const Index j = layer == 0 ? -1 : column + side - (shift == 0 ? 1 : 0);
        const Index below = layer == 0 ? -1 : disk(layer - 1, std::clamp<Index>(j, 0, width - 1));
        contacts.push_back({disk(layer, column), below, side == 0 ? c : -c, s});
      }
      if (column + 1 < width) contacts.push_back({disk(layer, column + 1), disk(layer, column), 1.0, 0.0});
    }
  // H of contact k on body b: normal (n_x, n_y, 0), tangent t = (-n_y, n_x), with r x t = -+1 for the unit radius.
  const auto jacobian = [](const Contact& k, Index body) {
    Eigen::Matrix<double, 2, 3> H;
    H << k.n_x, k.n_y, 0.0, -k.n_y, k.n_x, -1.0;
    if (body != k.above) {
      H = -H;
      H(1, 2) = -1.0;
    }
    return H;
  };
  std::vector<std::vector<Index>> touching(static_cast<std::size_t>(width * layers));
  const auto n = static_cast<Index>(contacts.size());
  for (Index k = 0; k < n; ++k) {
    const Contact& contact = contacts[static_cast<std::size_t>(k)];
    touching[static_cast<std::size_t>(contact.above)].push_back(k);
    if (contact.below >= 0) touching[static_cast<std::size_t>(contact.below)].push_back(k);
  }
  mixed::Problem problem;
  problem.W.begin_pattern(std::vector<Index>(static_cast<std::size_t>(n), 2));
  for (Index k = 0; k < n; ++k) {
    const Contact& contact = contacts[static_cast<std::size_t>(k)];
    std::vector<Index> row = touching[static_cast<std::size_t>(contact.above)];
    if (contact.below >= 0) {
      const auto& more = touching[static_cast<std::size_t>(contact.below)];
      row.insert(row.end(), more.begin(), more.end());
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const Index j : row) problem.W.insert(j);
    problem.W.next_row();
  }
  problem.W.end_pattern();
  const Eigen::Vector3d inverse_mass(1.0, 1.0, 2.0), free_velocity(0.0, -9.81 * 0.01, 0.0);
  problem.q.setZero(2 * n);
  for (Index k = 0; k < n; ++k) {
    const Contact& contact = contacts[static_cast<std::size_t>(k)];
    problem.K.push_back({.kind = SetKind::Coulomb2D, .mu = mu}, 2);
    for (const Index body : {contact.above, contact.below}) {
      if (body < 0) continue;
      const auto H = jacobian(contact, body);
      problem.q.segment<2>(2 * k) += H * free_velocity;
      for (const Index j : touching[static_cast<std::size_t>(body)])
        problem.W.block(k, problem.W.find(k, j)) +=
            H * inverse_mass.asDiagonal() * jacobian(contacts[static_cast<std::size_t>(j)], body).transpose();
    }
  }
  return problem;
}

mixed::Problem skew_relay(double a, double coupling, double q_0, double q_1, double level) {
  Eigen::MatrixXd W(2, 2);
  W << a, coupling, -1.0, 0.0;
  return mixed_from_dense(W, Eigen::Vector2d(q_0, q_1),
                          {{{.kind = SetKind::Orthant}, 1}, {{.kind = SetKind::Box, .lower = 0.0, .upper = level}, 1}});
}

mixed::Problem contacts_in_foreign_units() {
  Eigen::MatrixXd W = Eigen::MatrixXd::Constant(8, 8, 0.05);
  W.diagonal().setOnes();
  Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(8, 0.5, -0.5);
  q[0] = q[3] = -1.0;
  return mixed_from_dense(W, q,
                          {{{.kind = SetKind::Coulomb3D, .mu = 0.3, .mu_2 = 0.1}, 3},
                           {{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.1}, 5}});
}

}  // namespace nonsmooth::problems
