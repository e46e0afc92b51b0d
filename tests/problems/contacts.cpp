// SPDX-License-Identifier: Apache-2.0
#include <problems/contacts.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <problems/complementarity.hpp>
#include <problems/cones.hpp>
#include <problems/mixed.hpp>

namespace nonsmooth::problems {

namespace {

/// r = D r' - c e_N and u' = D u (see BlockSet), row by row.
Eigen::VectorXd canonical_scale(const BlockSet& set, Index size) {
  Eigen::VectorXd d = Eigen::VectorXd::Ones(size);
  const auto ratio = [&](double bound) { return bound > 0.0 && set.mu > 0.0 ? bound / set.mu : 1.0; };
  if (set.kind == SetKind::Coulomb3D && set.mu_2 >= 0.0) d[2] = ratio(set.mu_2);
  if (set.kind != SetKind::Rolling) return d;
  if (size == 3) d[2] = ratio(set.rolling);
  if (size >= 5) d[3] = d[4] = ratio(set.rolling);
  if (size == 4 || size == 6) d[size - 1] = ratio(set.spinning);
  return d;
}

/// Groups of tangential rows of the canonical form, each with its bound: |r_G| <= bound r_N.
struct RowGroup {
  Index first, count;
  double bound;
};

std::vector<RowGroup> row_groups(const BlockSet& set, Index size) {
  if (set.kind != SetKind::Rolling) return {{1, size - 1, set.mu}};
  const auto bound = [&](double own) { return own > 0.0 && set.mu > 0.0 ? set.mu : own; };
  switch (size) {
    case 3:
      return {{1, 1, set.mu}, {2, 1, bound(set.rolling)}};
    case 4:
      return {{1, 2, set.mu}, {3, 1, bound(set.spinning)}};
    case 5:
      return {{1, 2, set.mu}, {3, 2, bound(set.rolling)}};
    default:
      return {{1, 2, set.mu}, {3, 2, bound(set.rolling)}, {5, 1, bound(set.spinning)}};
  }
}

Quad group_norm(const QuadVector& z, const RowGroup& group) {
  Quad sum = 0;
  for (Index i = group.first; i < group.first + group.count; ++i) {
    sum += z[static_cast<std::size_t>(i)] * z[static_cast<std::size_t>(i)];
  }
  return root(sum);
}

/// The nearest point with |z_G| <= bound z_0 for every group. z_0 is the root of
/// x - z_0 - sum_G bound max(0, |z_G| - bound x), which increases: one of the sets of groups that reach their bound.
void project_groups(const std::vector<RowGroup>& groups, QuadVector& z) {
  QuadVector norms;
  for (const RowGroup& group : groups) norms.push_back(group_norm(z, group));
  const auto excess = [&](Quad x) {
    Quad sum = x - z[0];
    for (std::size_t g = 0; g < groups.size(); ++g) {
      sum -= groups[g].bound * std::max<Quad>(0, norms[g] - groups[g].bound * x);
    }
    return sum;
  };
  Quad top = 0;
  if (excess(Quad(0)) < 0) {
    Quad best = std::numeric_limits<double>::infinity();
    for (unsigned active = 0; active < 1U << groups.size(); ++active) {
      Quad above = z[0], below = 1;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if ((active >> g & 1U) == 0) continue;
        above += groups[g].bound * norms[g];
        below += static_cast<Quad>(groups[g].bound) * groups[g].bound;
      }
      if (above > 0 && absolute(excess(above / below)) < best) {
        best = absolute(excess(above / below));
        top = above / below;
      }
    }
  }
  z[0] = top;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Quad radius = groups[g].bound * top;
    if (norms[g] <= radius) continue;
    for (Index i = groups[g].first; i < groups[g].first + groups[g].count; ++i) {
      z[static_cast<std::size_t>(i)] *= radius / norms[g];
    }
  }
}

bool has_friction(const BlockSet& set) {
  return set.kind == SetKind::Coulomb2D || set.kind == SetKind::Coulomb3D || set.kind == SetKind::Rolling;
}

}  // namespace

double independent_residual(const Contacts& contacts, const Eigen::VectorXd& r) {
  const friction::Problem& p = contacts.problem;
  const Index n = p.q.size();
  if (r.size() != n || !r.allFinite()) return std::numeric_limits<double>::infinity();
  QuadVector scale(static_cast<std::size_t>(n)), reaction(scale.size()), free(scale.size()), terms(scale.size());
  for (Index block = 0; block < p.K.num_blocks(); ++block) {
    const Index at = p.K.offset(block), size = p.K.size(block);
    const Eigen::VectorXd d = canonical_scale(p.K[block], size);
    for (Index i = 0; i < size; ++i) {
      const auto row = static_cast<std::size_t>(at + i);
      scale[row] = d[i];
      reaction[row] = (r[at + i] + (i == 0 ? static_cast<Quad>(p.K[block].cohesion) : Quad(0))) / d[i];
    }
  }
  for (Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    free[row] = p.q[i];
    terms[row] = absolute(free[row]);
    for (Index block = 0; block < p.K.num_blocks(); ++block) {
      const Quad shift = static_cast<Quad>(contacts.W(i, p.K.offset(block))) * p.K[block].cohesion;
      free[row] -= shift;
      terms[row] += absolute(shift);
    }
    terms[row] *= scale[row];
    free[row] *= scale[row];
  }
  Quad error = 0, q_norm = 0, magnitude = 0;
  for (Index block = 0; block < p.K.num_blocks(); ++block) {
    const BlockSet& set = p.K[block];
    const Index at = p.K.offset(block), size = p.K.size(block);
    QuadVector u(static_cast<std::size_t>(size)), z(u.size());
    Quad trace = 0, largest = 0;
    for (Index i = 0; i < size; ++i) {
      const auto row = static_cast<std::size_t>(at + i);
      Quad sum = terms[row];
      Quad& velocity = u[static_cast<std::size_t>(i)];
      velocity = free[row];
      for (Index j = 0; j < n; ++j) {
        const Quad w = scale[row] * contacts.W(at + i, j) * scale[static_cast<std::size_t>(j)];
        velocity += w * reaction[static_cast<std::size_t>(j)];
        sum += absolute(w * reaction[static_cast<std::size_t>(j)]);
        largest = std::max(largest, absolute(w));
        if (j == at + i) trace += w;
      }
      q_norm = std::max(q_norm, absolute(free[row]));
      magnitude = std::max(magnitude, sum);
    }
    const Quad rho = trace > 0 ? static_cast<Quad>(size) / trace : (largest > 0 ? Quad(1) / largest : Quad(1));
    const auto groups = has_friction(set) ? row_groups(set, size) : std::vector<RowGroup>{};
    const QuadVector velocity = u;
    if (has_friction(set)) error = std::max(error, -u[0]);  // penetration
    for (const auto& group : groups) u[0] += group.bound * group_norm(velocity, group);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = reaction[static_cast<std::size_t>(at) + i] - rho * u[i];
    has_friction(set) ? project_groups(groups, z) : project_set(set, z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      error = std::max(error, absolute((reaction[static_cast<std::size_t>(at) + i] - z[i]) / rho));
    }
  }
  if (error == 0) return 0.0;
  return static_cast<double>(error / std::max(q_norm, 64.0L * 0x1p-52L * magnitude));
}

bool independent_proof(const Contacts& contacts, const Eigen::VectorXd& y) {
  constexpr Quad eps = 16.0L * 0x1p-52L;
  const friction::Problem& p = contacts.problem;
  const Index n = p.q.size();
  if (y.size() != n || !y.allFinite()) return false;
  Quad value = 0;
  for (Index block = 0; block < p.K.num_blocks(); ++block) {
    const BlockSet& set = p.K[block];
    const Index at = p.K.offset(block), size = p.K.size(block);
    QuadVector c(static_cast<std::size_t>(size)), slack(c.size());
    for (Index i = 0; i < size; ++i) {
      const bool normal = i == 0 || set.kind == SetKind::Orthant;
      if (set.kind != SetKind::Free && (normal ? y[at + i] < 0.0 : y[at + i] != 0.0)) return false;
      value += static_cast<Quad>(p.q[at + i]) * y[at + i];
      for (Index j = 0; j < n; ++j) {
        const Quad term = static_cast<Quad>(contacts.W(j, at + i)) * y[j];
        c[static_cast<std::size_t>(i)] += term;
        slack[static_cast<std::size_t>(i)] += eps * absolute(term);
      }
    }
    if (!has_friction(set)) {
      for (std::size_t i = 0; i < c.size(); ++i) {
        if (set.kind == SetKind::Free ? absolute(c[i]) > slack[i] : c[i] > slack[i]) return false;
      }
      continue;
    }
    // In canonical units c·k is c_N k_N + (D c)_T·k'_T: at most k_N (c_N + sum of bound |(D c)_G|).
    const Eigen::VectorXd d = canonical_scale(set, size);
    Quad most = c[0], allowed = slack[0];
    QuadVector scaled = c;
    for (Index i = 0; i < size; ++i) scaled[static_cast<std::size_t>(i)] *= d[i];
    for (const auto& group : row_groups(set, size)) {
      most += group.bound * group_norm(scaled, group);
      for (Index i = group.first; i < group.first + group.count; ++i)
        allowed += group.bound * slack[static_cast<std::size_t>(i)] * d[i];
    }
    if (most > allowed) return false;
    value -= static_cast<Quad>(set.cohesion) * c[0];
  }
  return value < 0;
}

namespace {

/// The set and the number of rows of one contact.
Block draw_contact(const ContactDraw& how, std::mt19937_64& random) {
  ContactLaw law = how.law;
  if (law == ContactLaw::Every) {
    const std::uint64_t which = random() % 7;
    if (which >= 5) {
      return {{.kind = which == 5 ? SetKind::Orthant : SetKind::Free}, 1 + static_cast<Index>(random() % 2)};
    }
    law = static_cast<ContactLaw>(which);
  }
  const auto coefficient = [&] {
    switch (how.friction) {
      case ContactFriction::None:
        return 0.0;
      case ContactFriction::Tiny:
        return std::pow(10.0, draw(random, -9.0, -4.0));
      case ContactFriction::Usual:
        return draw(random, 0.05, 0.9);
      case ContactFriction::Large:
        break;
    }
    return draw(random, 1.0, 20.0);
  };
  BlockSet set{.kind = SetKind::Coulomb3D, .mu = coefficient()};
  Index size = 3;
  if (law == ContactLaw::Plane || (law == ContactLaw::Cohesive && random() % 2 == 0)) {
    set.kind = SetKind::Coulomb2D;
    size = 2;
  }
  if (law == ContactLaw::Elliptic) set.mu_2 = set.mu * draw(random, 0.2, 5.0);
  if (law == ContactLaw::Cohesive) set.cohesion = draw(random, 0.0, 2.0);
  if (law == ContactLaw::Rolling) {
    set.kind = SetKind::Rolling;
    size = 3 + static_cast<Index>(random() % 4);
    if (size != 4) set.rolling = random() % 6 == 0 ? 0.0 : set.mu * std::pow(10.0, draw(random, -2.0, 1.0));
    if (size == 4 || size == 6)
      set.spinning = random() % 6 == 0 ? 0.0 : set.mu * std::pow(10.0, draw(random, -2.0, 1.0));
  }
  return {set, size};
}

/// A pair (r, u) of the law, drawn over its modes: off, sticking, sliding (each group of rows by itself where there are
/// several); degenerate: without speed, gap or force.
void plant_contact(const Block& block, bool degenerate, std::mt19937_64& random, Eigen::Ref<Eigen::VectorXd> r,
                   Eigen::Ref<Eigen::VectorXd> u) {
  const BlockSet& set = block.set;
  if (!has_friction(set)) return plant_law(set, degenerate, random, r, u);
  const double some = degenerate ? 0.0 : draw(random, 0.1, 1.0);
  const bool off = random() % 3 == 0;
  r.setZero(), u.setZero();
  if (!off) r[0] = degenerate && random() % 2 == 0 ? 0.0 : draw(random, 0.1, 1.0);
  if (off) u[0] = some;
  for (const auto& group : row_groups(set, block.size)) {
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
  const Eigen::VectorXd d = canonical_scale(set, block.size);  // r = D r' - c e_N, u = u' / D
  r = r.cwiseProduct(d);
  u = u.cwiseQuotient(d);
  r[0] -= set.cohesion;
}

/// W = H B H^T entry by entry, so that rows of H that are each other's negative give rows of W that are.
Eigen::MatrixXd dense_delassus(const Eigen::MatrixXd& H, const Eigen::MatrixXd& B) {
  const Index n = H.rows(), m = H.cols();
  Eigen::MatrixXd HB = Eigen::MatrixXd::Zero(n, m), W = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      for (Index k = 0; k < m; ++k) HB(i, j) += H(i, k) * B(k, j);
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < m; ++k) W(i, j) += HB(i, k) * H(j, k);
    }
  }
  return W;
}

}  // namespace

Contacts random_contacts(const ContactDraw& how, std::mt19937_64& random) {
  constexpr Index dofs = 6;
  constexpr std::array graphs{"chain", "islands", "few bodies"};
  constexpr std::array velocities{"planted", "degenerate", "q = 0", "any q", "closing"};
  constexpr std::array frictions{", mu 0", ", mu tiny", "", ", mu large"};
  const auto name = [](const auto& names, auto value) { return std::string(names[static_cast<std::size_t>(value)]); };
  const Index m = how.contacts;
  const bool closing = how.velocity == ContactVelocity::Closing;
  const Index bodies = how.graph == ContactGraph::Chain ? m + 1 : how.graph == ContactGraph::Islands ? 2 * m : 2;
  Contacts result;
  std::vector<Block> blocks;
  Index n = 0;
  for (Index i = 0; i < m; ++i) {
    blocks.push_back(draw_contact(how, random));
    n += blocks.back().size;
  }
  if (closing) {  // their rows N must be rows of contacts
    for (std::size_t i = 0; i < 2; ++i) {
      if (blocks[i].set.kind == SetKind::Free) blocks[i].set.kind = SetKind::Orthant;
    }
  }
  Eigen::MatrixXd& H = result.H;
  H = Eigen::MatrixXd::Zero(n, dofs * bodies);
  Index at = 0;
  for (Index i = 0; i < m; ++i) {
    const Index rows = blocks[static_cast<std::size_t>(i)].size;
    const Index first = how.graph == ContactGraph::Few ? 0 : how.graph == ContactGraph::Chain ? i : 2 * i;
    for (const Index body : {first, first + 1}) {
      if (how.fixed && i % 4 == 3) continue;
      H.block(at, dofs * body, rows, dofs) = normal_matrix(random, rows, dofs);
    }
    at += rows;
  }
  if (closing) H.row(blocks.front().size) = -H.row(0);
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(dofs * bodies, dofs * bodies);
  result.mass.resize(dofs * bodies);
  for (Index body = 0; body < bodies; ++body) {
    const double mass = std::pow(10.0, draw(random, -0.5 * how.decades, 0.5 * how.decades));
    for (Index k = 0; k < dofs; ++k) result.mass[dofs * body + k] = mass * draw(random, 0.5, 2.0);
    const Eigen::MatrixXd G = normal_matrix(random, dofs, dofs);
    auto own = B.block(dofs * body, dofs * body, dofs, dofs);
    own.diagonal() = result.mass.segment(dofs * body, dofs).cwiseInverse();
    if (how.unsymmetric) own += (0.3 / mass) * (G - G.transpose());
  }
  result.W = dense_delassus(H, B);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n), u(n);
  if (how.velocity == ContactVelocity::Planted || how.velocity == ContactVelocity::Degenerate) {
    result.r.resize(n);
    at = 0;
    for (const Block& block : blocks) {  // all degenerate, q would be nothing but round-off
      plant_contact(block, at > 0 && how.velocity == ContactVelocity::Degenerate, random,
                    result.r.segment(at, block.size), u.segment(at, block.size));
      at += block.size;
    }
    q = u - result.W * result.r;
  } else if (how.velocity != ContactVelocity::Zero) {
    for (double& entry : q) entry = draw(random, -1.0, 1.0);
    if (closing) {
      result.verdict = Verdict::Infeasible;
      q[blocks.front().size] = -q[0] - draw(random, 1e-3, 1.0);
    } else if (how.graph == ContactGraph::Few || how.unsymmetric || how.fixed) {
      result.verdict = Verdict::Unknown;
      result.known_class = false;
    }
  }
  // A proof that there is no solution is searched for, not found by an algorithm that must end with it; and so is a
  // solution where friction is large and W singular.
  if (closing || (how.graph == ContactGraph::Few && how.friction == ContactFriction::Large)) result.known_class = false;
  result.name = name(velocities, how.velocity) + ", " + name(graphs, how.graph) + name(frictions, how.friction) +
                (how.unsymmetric ? ", unsymmetric" : "") + (how.decades > 0.0 ? ", masses apart" : "") +
                (how.fixed ? ", some fixed" : "");
  result.problem = mixed_from_dense(result.W, q, blocks, how.graph == ContactGraph::Few);
  return result;
}

}  // namespace nonsmooth::problems
