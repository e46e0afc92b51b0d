// SPDX-License-Identifier: Apache-2.0
#include <problems/cones.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <problems/canonical_units.hpp>
#include <problems/mixed.hpp>

namespace nonsmooth::problems {

Eigen::VectorXd unit_vector(Index n, std::mt19937_64& random) {
  const Eigen::VectorXd t = normal_matrix(random, n, 1);
  return t / t.norm();
}

void plant_law(const BlockSet& set, bool degenerate, std::mt19937_64& random, Eigen::Ref<Eigen::VectorXd> r,
               Eigen::Ref<Eigen::VectorXd> u) {
  const Index n = r.size();
  const double a = draw(random, 0.1, 1.0), b = degenerate ? 0.0 : draw(random, 0.1, 1.0), any = draw(random, -0.9, 0.9);
  const std::uint64_t mode = random() % 3;
  r.setZero(), u.setZero();
  switch (set.kind) {
    case SetKind::Free:
      for (Index i = 0; i < n; ++i) r[i] = draw(random, -1.0, 1.0);
      return;
    case SetKind::Orthant:
      for (Index i = 0; i < n; ++i) (random() % 2 == 0 ? r : u)[i] = (degenerate ? 0.0 : draw(random, 0.1, 1.0));
      return;
    case SetKind::Box:
      for (Index i = 0; i < n; ++i) {
        const std::uint64_t side = random() % 3;
        const double low = std::max(set.lower, -5.0), high = std::min(set.upper, 5.0);
        r[i] = 0.5 * (low + high) + 0.5 * any * (high - low);
        if (side == 0 && std::isfinite(set.lower)) r[i] = set.lower, u[i] = b;
        if (side == 1 && std::isfinite(set.upper)) r[i] = set.upper, u[i] = -b;
      }
      return;
    case SetKind::VonMises: {
      const Eigen::VectorXd t = unit_vector(n - 1, random);
      r[0] = any;
      r.tail(n - 1) = set.radius * (mode == 0 ? any : 1.0) * t;
      if (mode != 0) u.tail(n - 1) = -b * t;
      return;
    }
    default:
      break;
  }
  // Cones |r_T| <= mu r_0: û in the dual cone, û = u + tilt |u_T| e_0.
  const double tilt = set.kind == SetKind::DruckerPrager     ? set.lift
                      : set.kind == SetKind::SecondOrderCone ? 0.0
                                                             : set.mu;
  if (n == 1) {
    (mode == 0 ? u : r)[0] = degenerate ? 0.0 : a;
    return;
  }
  const Eigen::VectorXd t = unit_vector(n - 1, random);
  if (mode == 0) {  // apex
    u.tail(n - 1) = any * t;
    u[0] = (set.mu - tilt) * std::abs(any) + (degenerate ? 0.0 : a);
  } else if (mode == 1) {  // inside: stick
    r[0] = a;
    r.tail(n - 1) = set.mu * a * any * t;
  } else {  // boundary: slip
    r[0] = a;
    r.tail(n - 1) = set.mu * a * t;
    u[0] = (set.mu - tilt) * b;
    u.tail(n - 1) = -b * t;
  }
}

void plant_contact(const BlockSet& set, bool degenerate, bool large_friction, std::mt19937_64& random,
                   Eigen::Ref<Eigen::VectorXd> r, Eigen::Ref<Eigen::VectorXd> u) {
  if (!has_friction(set)) return plant_law(set, degenerate, random, r, u);
  const double some = degenerate ? 0.0 : draw(random, 0.1, 1.0);
  const bool off = random() % 3 == 0;
  r.setZero(), u.setZero();
  if (off) u[0] = some;
  if (!off && !(degenerate && random() % 2 == 0)) {
    r[0] = draw(random, 0.1, 1.0);
    if (large_friction && random() % 2 == 0) r[0] /= std::max(1.0, set.mu);
  }
  for (const RowGroup& group : row_groups(set, r.size())) {
    const Eigen::VectorXd direction = unit_vector(group.count, random);
    const auto of = [&](Eigen::Ref<Eigen::VectorXd> v) { return v.segment(group.first, group.count); };
    if (off) {
      of(u) = draw(random, 0.0, 1.0) * direction;
    } else if (random() % 2 == 0) {
      of(r) = draw(random, 0.0, 0.9) * group.bound * r[0] * direction;
    } else {
      of(r) = group.bound * r[0] * direction;
      of(u) = -some * direction;
    }
  }
  const Eigen::VectorXd d = canonical_scale(set, r.size());  // r = D r' - c e_N, u = u' / D
  r = r.cwiseProduct(d);
  u = u.cwiseQuotient(d);
  r[0] -= set.cohesion;
}

Cones random_cones(Index blocks, const std::vector<SetKind>& kinds, bool rank_deficient, bool degenerate,
                   double decades, std::mt19937_64& random) {
  std::vector<Block> list;
  Index n = 0;
  for (Index i = 0; i < blocks; ++i) {
    BlockSet set{.kind = kinds[random() % kinds.size()]};
    Index rows = 1 + static_cast<Index>(random() % 3);
    switch (set.kind) {
      case SetKind::Box:
        set.lower = -draw(random, 0.1, 2.0), set.upper = draw(random, 0.1, 2.0);
        if (random() % 4 == 0) set.upper = unbounded;
        break;
      case SetKind::SecondOrderCone:
        set.mu = draw(random, 0.1, 1.5);
        break;
      case SetKind::Coulomb2D:
      case SetKind::Coulomb3D:
        rows = set.kind == SetKind::Coulomb2D ? 2 : 3;
        set.mu = random() % 8 == 0 ? 0.0 : draw(random, 0.05, 0.8);
        break;
      case SetKind::DruckerPrager:
        rows = 2 + static_cast<Index>(random() % 2);
        set.mu = draw(random, 0.1, 0.8), set.lift = draw(random, 0.0, 1.0) * set.mu;
        break;
      case SetKind::VonMises:
        rows = 2 + static_cast<Index>(random() % 2);
        set.radius = draw(random, 0.2, 1.0);
        break;
      default:
        break;
    }
    list.push_back({set, rows});
    n += rows;
  }
  Cones cones{rank_deficient ? "rank-deficient" : "positive definite", {}, {}};
  const Index rank = rank_deficient ? std::max<Index>(1, n / 2) : n;
  const Eigen::MatrixXd H = normal_matrix(random, n, rank) / std::sqrt(double(rank));
  Eigen::MatrixXd W = H * H.transpose();
  if (!rank_deficient) W.diagonal().array() += 0.5;
  Eigen::VectorXd r(n), u(n), d(n);
  Index at = 0;
  for (Block& block : list) {
    plant_law(block.set, degenerate && random() % 2 == 0, random, r.segment(at, block.size), u.segment(at, block.size));
    const double unit = std::exp2(std::round(draw(random, -decades / 4.0, decades / 4.0) * std::log2(10.0)));
    d.segment(at, block.size).setConstant(unit);
    block.set.lower /= unit, block.set.upper /= unit, block.set.radius /= unit;
    at += block.size;
  }
  const Eigen::VectorXd q = (u - W * r).cwiseProduct(d);
  cones.W = d.asDiagonal() * W * d.asDiagonal();
  cones.r = r.cwiseQuotient(d);
  cones.problem = mixed_from_dense(cones.W, q, list);
  return cones;
}

Cones random_infeasible_cones(Index n, Boxed& boxed, std::mt19937_64& random) {
  const bool orthants = random() % 2 == 0;
  boxed = random_infeasible_boxed({.n = n}, orthants, random);
  const relay::Problem& p = boxed.problem;
  std::vector<Block> list;
  for (Index i = 0; i < n;) {
    const bool below = std::isfinite(p.lower[i]), above = std::isfinite(p.upper[i]);
    const Index rows = orthants ? std::min<Index>(n - i, 1 + static_cast<Index>(random() % 3)) : 1;
    BlockSet set{.kind = !below && !above ? SetKind::Free : SetKind::Box, .lower = p.lower[i], .upper = p.upper[i]};
    if (p.lower[i] == 0.0 && !above) set = {.kind = SetKind::Orthant};
    list.push_back({set, rows});
    i += rows;
  }
  return {orthants ? "orthants, infeasible" : "boxes, infeasible", mixed_from_dense(p.M, p.q, list), p.M,
          Verdict::Infeasible};
}

namespace {

bool has_cone(SetKind kind) {
  return kind == SetKind::Coulomb2D || kind == SetKind::Coulomb3D || kind == SetKind::SecondOrderCone ||
         kind == SetKind::DruckerPrager;
}

/// P onto {|z_T| <= mu z_0}.
void project_long_cone(Quad mu, QuadVector& z) {
  Quad norm = 0;
  for (std::size_t i = 1; i < z.size(); ++i) norm += z[i] * z[i];
  norm = root(norm);
  if (norm <= mu * z[0]) return;
  if (mu * norm <= -z[0]) {
    std::fill(z.begin(), z.end(), Quad(0));
    return;
  }
  const Quad top = (z[0] + mu * norm) / (Quad(1) + mu * mu);
  for (std::size_t i = 1; i < z.size(); ++i) z[i] *= norm > 0 ? mu * top / norm : Quad(0);
  z[0] = top;
}

}  // namespace

void project_set(const BlockSet& set, QuadVector& z) {
  Quad norm = 0;
  switch (set.kind) {
    case SetKind::Free:
      return;
    case SetKind::Orthant:
      for (Quad& x : z) x = std::max<Quad>(x, 0);
      return;
    case SetKind::Box:
      for (Quad& x : z) x = std::clamp<Quad>(x, set.lower, set.upper);
      return;
    case SetKind::VonMises:
      for (std::size_t i = 1; i < z.size(); ++i) norm += z[i] * z[i];
      norm = root(norm);
      for (std::size_t i = 1; i < z.size() && norm > set.radius; ++i) z[i] *= set.radius / norm;
      return;
    default:
      project_long_cone(set.mu, z);
  }
}

double independent_residual(const Cones& cones, const Eigen::VectorXd& r) {
  const mixed::Problem& p = cones.problem;
  const Index n = p.q.size();
  if (r.size() != n || !r.allFinite()) return std::numeric_limits<double>::infinity();
  Quad error = 0, q_norm = 0, magnitude = 0;
  for (Index block = 0; block < p.K.num_blocks(); ++block) {
    const BlockSet& set = p.K[block];
    const Index at = p.K.offset(block), size = p.K.size(block);
    QuadVector u(static_cast<std::size_t>(size));
    Quad trace = 0, largest = 0, tangential = 0;
    for (Index i = 0; i < size; ++i) {
      Quad w = p.q[at + i], sum = absolute(p.q[at + i]);
      for (Index j = 0; j < n; ++j) {
        const Quad product = static_cast<Quad>(cones.W(at + i, j)) * r[j];
        w += product, sum += absolute(product);
        largest = std::max(largest, absolute(static_cast<Quad>(cones.W(at + i, j))));
      }
      u[static_cast<std::size_t>(i)] = w;
      if (i > 0) tangential += w * w;
      trace += cones.W(at + i, at + i);
      q_norm = std::max(q_norm, absolute(static_cast<Quad>(p.q[at + i])));
      magnitude = std::max(magnitude, sum);
    }
    const bool coulomb = set.kind == SetKind::Coulomb2D || set.kind == SetKind::Coulomb3D;
    const Quad tilt = coulomb ? set.mu : (set.kind == SetKind::DruckerPrager ? set.lift : 0.0);
    if (has_cone(set.kind)) {  // how far u + tilt |u_T| e_0 is outside the dual cone
      const Quad slope = set.mu - tilt;
      error = std::max(error, (slope * root(tangential) - u[0]) / root(1 + slope * slope));
    }
    u[0] += tilt * root(tangential);
    const Quad rho = trace > 0 ? static_cast<Quad>(size) / trace : (largest > 0 ? Quad(1) / largest : Quad(1));
    QuadVector z(u.size());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = r[at + static_cast<Index>(i)] - rho * u[i];
    project_set(set, z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      error = std::max(error, absolute((r[at + static_cast<Index>(i)] - z[i]) / rho));
    }
  }
  if (error == 0) return 0.0;
  return static_cast<double>(error / std::max(q_norm, 64.0L * 0x1p-52L * magnitude));
}

}  // namespace nonsmooth::problems
