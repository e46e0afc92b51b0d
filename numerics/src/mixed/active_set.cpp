// SPDX-License-Identifier: Apache-2.0
#include "active_set.hpp"

#include <algorithm>
#include <cmath>

#include "local.hpp"

namespace nonsmooth::mixed::internal {
namespace {

/// Rows up to which memory for all of them costs less than asking again: 8 kB.
constexpr Index kMostReserved = 32;

}  // namespace

bool ActiveSet::identify(const Problem& problem, ConstMatrixRef dense, const Result& result) {
  const Index n = problem.W.rows();
  bool changed = false;
  if (static_cast<Index>(modes_.size()) != n) {
    modes_.assign(static_cast<std::size_t>(n), Mode::Lower);
    changed = true;
  }
  const auto set_mode = [&](Index row, Mode mode) {
    Mode& old = modes_[static_cast<std::size_t>(row)];
    changed = changed || old != mode;
    old = mode;
  };
  // Within round-off of the border between two modes both give the same r: always taking the same one (the bound,
  // take-off, stick) keeps the answer's bits independent of the path.
  const double border = result.certificate.round_off;
  const double* r = result.r.data();
  const double* u = result.u.data();
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const BlockSet& set = problem.K[b];
    const Index offset = problem.K.offset(b), rows = problem.K.size(b);
    if (set.kind == SetKind::Free) {
      for (Index i = offset; i < offset + rows; ++i) set_mode(i, Mode::Zero);
    } else if (set.kind == SetKind::Coulomb2D) {
      const double trace = dense(offset, offset) + dense(offset + 1, offset + 1);
      const double s = trace > 0.0 ? 0.5 * trace : 1.0;
      const double z_N = s * r[offset] - u[offset] - set.mu * std::abs(u[offset + 1]);
      const double z_T = s * r[offset + 1] - u[offset + 1];
      if (set.mu * std::abs(z_T) <= -z_N + border) {
        set_mode(offset, Mode::Lower);
        set_mode(offset + 1, Mode::Lower);
      } else {
        set_mode(offset, Mode::Zero);
        if (std::abs(z_T) <= set.mu * z_N + border && set.mu > 0.0)
          set_mode(offset + 1, Mode::Zero);
        else
          set_mode(offset + 1, z_T < 0.0 ? Mode::TiedMinus : Mode::TiedPlus);
      }
    } else {
      const auto bounds = local::interval(set);
      for (Index i = offset; i < offset + rows; ++i) {
        double s = dense(i, i);
        if (!(s > 0.0)) s = dense.row(i).cwiseAbs().maxCoeff();
        if (!(s > 0.0)) s = 1.0;
        const double low = s * (r[i] - bounds.lower) - u[i], high = s * (r[i] - bounds.upper) - u[i];
        set_mode(i, low <= border ? Mode::Lower : high >= -border ? Mode::Upper : Mode::Zero);
      }
    }
  }
  return changed;
}

bool ActiveSet::assemble_and_factorize(const Problem& problem, ConstMatrixRef dense) {
  active_.clear();
  tie_.clear();
  for (Index b = 0; b < problem.K.num_blocks(); ++b)
    for (Index i = problem.K.offset(b); i < problem.K.offset(b + 1); ++i) {
      if (modes_[static_cast<std::size_t>(i)] != Mode::Zero) continue;
      double tie = 0.0;
      if (problem.K[b].kind == SetKind::Coulomb2D && i == problem.K.offset(b)) {
        const Mode tangential = modes_[static_cast<std::size_t>(i + 1)];
        if (tangential == Mode::TiedMinus) tie = -problem.K[b].mu;
        if (tangential == Mode::TiedPlus) tie = problem.K[b].mu;
      }
      active_.push_back(i);
      tie_.push_back(tie);
    }
  const auto m = static_cast<Index>(active_.size());
  if (m == 0) return true;
  auto matrix = matrix_.matrix(m, m);
  for (Index c = 0; c < m; ++c) {
    const Index j = active_[static_cast<std::size_t>(c)];
    const double tie = tie_[static_cast<std::size_t>(c)];
    for (Index k = 0; k < m; ++k) {
      const Index i = active_[static_cast<std::size_t>(k)];
      matrix(k, c) = tie == 0.0 ? dense(i, j) : dense(i, j) + tie * dense(i, j + 1);
    }
  }
  return factors_.factorize(matrix);
}

bool ActiveSet::step(const Problem& problem, ConstMatrixRef dense, GrowingVector& r) {
  if (!factored_) {
    if (!assemble_and_factorize(problem, dense)) return false;
    factored_ = true;
  }
  // r where it is known (ties follow later), then u = 0 on the active rows.
  const Index n = problem.W.rows();
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const auto bounds = local::interval(problem.K[b]);
    for (Index i = problem.K.offset(b); i < problem.K.offset(b + 1); ++i) {
      const Mode mode = modes_[static_cast<std::size_t>(i)];
      r[i] = mode == Mode::Lower ? bounds.lower : mode == Mode::Upper ? bounds.upper : 0.0;
    }
  }
  const auto m = static_cast<Index>(active_.size());
  auto rhs = rhs_.matrix(m, 1);
  for (Index k = 0; k < m; ++k) rhs(k, 0) = -problem.q[active_[static_cast<std::size_t>(k)]];
  for (Index j = 0; j < n; ++j) {
    if (r[j] == 0.0) continue;
    for (Index k = 0; k < m; ++k) rhs(k, 0) -= dense(active_[static_cast<std::size_t>(k)], j) * r[j];
  }
  if (m > 0) factors_.solve_in_place(rhs);
  for (Index k = 0; k < m; ++k) {
    const Index i = active_[static_cast<std::size_t>(k)];
    const double tie = tie_[static_cast<std::size_t>(k)];
    r[i] = rhs(k, 0);
    if (tie != 0.0) r[i + 1] = tie * r[i];
  }
  return true;
}

void ActiveSet::reserve(ConstMatrixRef dense) {
  const Index n = dense.rows();
  if (n > kMostReserved || static_cast<std::size_t>(n) <= active_.capacity()) return;
  active_.reserve(static_cast<std::size_t>(n));
  tie_.reserve(static_cast<std::size_t>(n));
  auto all = matrix_.matrix(n, n);
  all.setIdentity();
  static_cast<void>(factors_.factorize(all));
  static_cast<void>(rhs_.matrix(n, 1));
  static_cast<void>(backup_.vector(n));
  factored_ = false;
}

bool ActiveSet::solve(const Problem& problem, ConstMatrixRef dense, double tolerance, Index max_steps, Result& result) {
  const Index n = problem.W.rows();
  reserve(dense);
  bool certified = false;
  for (Index k = 0; k < max_steps; ++k) {
    const bool changed = identify(problem, dense, result);
    if (changed) factored_ = false;
    if (k > 0 && !changed) return result.certificate.residual <= tolerance;
    // Certified but with modes that still move: one more step makes the answer a function of the final modes.
    if (k > 0 && result.certificate.residual <= tolerance) {
      certified = true;
      backup_.vector(n) = result.r;
    }
    const bool solved = step(problem, dense, result.r);
    if (solved) {
      ++result.iterations;
      result.certificate = certify(problem, result.r, result.u);
    }
    if (certified) {
      if (!(result.certificate.residual <= tolerance)) {
        result.r = backup_.vector(n);
        result.certificate = certify(problem, result.r, result.u);
      }
      return true;
    }
    if (!solved || !std::isfinite(result.certificate.residual)) return false;
  }
  return result.certificate.residual <= tolerance;
}

}  // namespace nonsmooth::mixed::internal
