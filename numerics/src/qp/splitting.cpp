// SPDX-License-Identifier: Apache-2.0
#include "splitting.hpp"

#include "set_kernels.hpp"

namespace nonsmooth::qp::detail {
namespace {

constexpr double relaxation = 1.6;
constexpr double proximal = 1e-6;     // sigma, of the scaled program
constexpr double stiffer = 1e3;       // rho of equations over that of the others
constexpr double least_change = 5.0;  // of rho, that is worth new factors

double largest(const Eigen::VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

}  // namespace

void Copies::resize(Index size) {
  for (Eigen::VectorXd* part : {&low, &high, &value, &multiplier, &rho, &change}) part->setZero(size);
}

void Copies::weigh(double base) {
  for (Index k = 0; k < low.size(); ++k) {
    const bool free = low[k] == -infinity && high[k] == infinity;
    rho[k] = free ? 0.0 : base * (low[k] == high[k] ? stiffer : 1.0);
  }
}

void Copies::project(Eigen::VectorXd& moved) const {
  Index first = moved.size();
  for (const Index size : cones) first -= size;
  for (Index k = 0; k < first; ++k) moved[k] = clamp(moved[k], low[k], high[k]);
  for (const Index size : cones) {
    auto own = moved.segment(first, size);
    own = high.segment(first, size) - own;
    nonsmooth::project({.kind = SetKind::SecondOrderCone, .mu = 1.0}, own.data(), size);
    own = high.segment(first, size) - own;
    first += size;
  }
}

void Copies::update(const Eigen::VectorXd& now) {
  const Eigen::VectorXd relaxed = relaxation * now + (1.0 - relaxation) * value;
  Eigen::VectorXd moved = relaxed;
  for (Index k = 0; k < low.size(); ++k) {
    if (rho[k] > 0.0) moved[k] -= multiplier[k] / rho[k];
  }
  project(moved);
  for (Index k = 0; k < low.size(); ++k) {
    if (rho[k] == 0.0) {
      value[k] = now[k];
      continue;
    }
    change[k] = rho[k] * (moved[k] - relaxed[k]);
    value[k] = moved[k];
    multiplier[k] += change[k];
  }
}

template <class P>
Splitting<P>::Splitting(const P& problem, const std::vector<Index>& cones)
    : scaled(problem, cones), system_(scaled.own) {
  const Index n = problem.num_unknowns(), m = problem.num_rows();
  t.resize(m);
  t.cones = cones;
  w.resize(n);
  for (Index i = 0; i < m; ++i) {
    t.low[i] = row_lower(scaled.own, i);
    t.high[i] = row_upper(scaled.own, i);
    t.value[i] = clamp(0.0, t.low[i], t.high[i]);
  }
  for (Index j = 0; j < n; ++j) {
    w.low[j] = lower(scaled.own, j);
    w.high[j] = upper(scaled.own, j);
    w.value[j] = clamp(0.0, w.low[j], w.high[j]);
  }
  x = w.value;
  step.setZero(n);
}

template <class P>
bool Splitting<P>::factorize() {
  t.weigh(rho_);
  w.weigh(rho_);
  stale_ = false;
  return system_.factorize(Eigen::VectorXd(w.rho.array() + proximal), t.rho.cwiseInverse());
}

template <class P>
bool Splitting<P>::iterate() {
  if (stale_ && !factorize()) return false;
  const Index m = t.low.size();
  Eigen::VectorXd f = proximal * x - scaled.own.c + w.rho.cwiseProduct(w.value) + w.multiplier;
  Eigen::VectorXd g(m);
  for (Index i = 0; i < m; ++i) g[i] = t.rho[i] > 0.0 ? t.value[i] + t.multiplier[i] / t.rho[i] : 0.0;
  system_.solve(f, g);
  // Row i of the system: (A x)_i = t_i + (y_i - y'_i) / rho_i, with y' = -g.
  Eigen::VectorXd Ax(m);
  if (m > 0) Ax.noalias() = scaled.own.A * f;
  t.update(Ax);
  w.update(f);
  step = relaxation * (f - x);
  x += step;
  return true;
}

template <class P>
void Splitting<P>::adapt() {
  Eigen::VectorXd Ax(t.low.size()), Ay = Eigen::VectorXd::Zero(x.size());
  const Eigen::VectorXd Qx = scaled.own.Q * x;
  if (t.low.size() > 0) {
    Ax.noalias() = scaled.own.A * x;
    Ay.noalias() = scaled.own.A.transpose() * t.multiplier;
  }
  const double primal = std::max(largest(Ax - t.value), largest(x - w.value)) /
                        std::max({largest(Ax), largest(t.value), largest(x), 1e-12});
  const double dual = largest(Qx + scaled.own.c - Ay - w.multiplier) /
                      std::max({largest(Qx), largest(scaled.own.c), largest(Ay), largest(w.multiplier), 1e-12});
  const double wanted = clamp(rho_ * std::sqrt(std::max(primal, 1e-15) / std::max(dual, 1e-15)), 1e-6, 1e6);
  if (wanted < least_change * rho_ && wanted * least_change > rho_) return;
  rho_ = wanted;
  stale_ = true;
}

template class Splitting<Problem>;
template class Splitting<SparseProblem>;

}  // namespace nonsmooth::qp::detail
