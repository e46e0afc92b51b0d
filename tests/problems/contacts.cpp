// SPDX-License-Identifier: Apache-2.0
#include <problems/contacts.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <problems/canonical_units.hpp>
#include <problems/complementarity.hpp>
#include <problems/cones.hpp>
#include <problems/mixed.hpp>

namespace nonsmooth::problems {

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
      plant_contact(block.set, at > 0 && how.velocity == ContactVelocity::Degenerate, false, random,
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
