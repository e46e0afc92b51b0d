// SPDX-License-Identifier: Apache-2.0
#include "discrete_problem.hpp"

#include <cmath>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <internal/matrix_exponential.hpp>
#include <internal/round_off.hpp>

namespace nonsmooth::boundary_value::detail {
namespace {

using Entries = std::vector<Eigen::Triplet<double>>;

void add_block(Entries& entries, Index row, Index column, const Eigen::MatrixXd& block, double factor) {
  for (Index j = 0; j < block.cols(); ++j) {
    for (Index i = 0; i < block.rows(); ++i) {
      if (block(i, j) != 0.0)
        entries.emplace_back(static_cast<int>(row + i), static_cast<int>(column + j), factor * block(i, j));
    }
  }
}

Eigen::SparseMatrix<double> matrix_of(Index rows, Index columns, const Entries& entries) {
  Eigen::SparseMatrix<double> matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

Flow::Flow(const Eigen::MatrixXd& A, double s) {
  const Index n = A.rows();
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(3 * n, 3 * n);  // x' = A x + y, y' = z, z' = 0
  all.topLeftCorner(n, n) = s * A;
  all.block(0, n, n, n).diagonal().setConstant(s);
  all.block(n, 2 * n, n, n).diagonal().setConstant(s);
  const Eigen::MatrixXd flow = matrix_exponential(all);
  Phi = flow.topLeftCorner(n, n);
  Phi_0 = flow.block(0, n, n, n);
  Phi_1 = flow.block(0, 2 * n, n, n);
}

FlowCache::FlowCache(const Eigen::MatrixXd& A, double T) : A_(A), apart_(8.0 * eps * T) {}

bool FlowCache::set(double s) {
  if (flow_ && std::abs(s - s_) <= apart_) return false;
  flow_.emplace(A_, s);
  s_ = s;
  return true;
}

DiscreteProblem::DiscreteProblem(const Problem& problem, Eigen::VectorXd t, Scheme scheme, double theta)
    : p_(problem), t_(std::move(t)), scheme_(scheme), theta_(theta), n_(problem.num_states()), flow_(p_.A, p_.T) {
  place_rows();
  if (p_.f) make_map();
}

void DiscreteProblem::place_rows() {
  for (Index i = 0; i < p_.num_multipliers(); ++i)
    (acts_of(p_, i) == Acts::Interval ? on_intervals_ : at_instants_).push_back(i);
  const auto columns = [](const Eigen::MatrixXd& matrix, Index rows, const std::vector<Index>& list) {
    Eigen::MatrixXd of(rows, static_cast<Index>(list.size()));
    for (Index k = 0; k < of.cols(); ++k) of.col(k) = matrix.col(list[at(k)]);
    return of;
  };
  B_on_ = columns(p_.B, n_, on_intervals_);
  B_at_ = columns(p_.B, n_, at_instants_);
  C_on_ = columns(p_.C.transpose(), n_, on_intervals_).transpose();
  C_at_ = columns(p_.C.transpose(), n_, at_instants_).transpose();
  D_on_.setZero(C_on_.rows(), C_on_.rows());
  for (Index j = 0; p_.D.size() > 0 && j < D_on_.cols(); ++j) {
    for (Index i = 0; i < D_on_.rows(); ++i) D_on_(i, j) = p_.D(on_intervals_[at(i)], on_intervals_[at(j)]);
  }
  const auto on = static_cast<Index>(on_intervals_.size()), at_instant = static_cast<Index>(at_instants_.size());
  first_.assign(1, 0);
  for (Index k = 0; k <= num_intervals(); ++k) {
    Index count = k > 0 ? on : 0;
    if (k > 0 ? k < num_intervals() || p_.atoms_at_end : p_.atoms_at_start) count += at_instant;
    first_.push_back(first_.back() + count);
  }
  m_ = first_.back();
}

Index DiscreteProblem::place(Index i, Index k) const {
  const bool on = acts_of(p_, i) == Acts::Interval;
  const std::vector<Index>& list = on ? on_intervals_ : at_instants_;
  Index position = 0;
  while (list[at(position)] != i) ++position;
  if (!on && k > 0) position += static_cast<Index>(on_intervals_.size());
  if (on && k == 0) return -1;
  const Index place = first_[at(k)] + position;
  return place < first_[at(k) + 1] ? place : -1;
}

std::vector<Index> DiscreteProblem::earlier_rows() const {
  std::vector<Index> earlier(at(m_), -1);
  if (p_.f) return earlier;
  for (std::size_t j = 0; j < at_instants_.size(); ++j) {
    Eigen::RowVectorXd level = C_at_.row(static_cast<Index>(j));
    bool reached = false;
    for (int r = 1; r <= 2 && !reached; ++r, level = level * p_.A)
      reached = (level * B_at_).cwiseAbs().maxCoeff() > 1e-12 * level.norm() * B_at_.norm();
    for (Index k = 1; !reached && k <= num_intervals(); ++k) {
      const Index here = place(at_instants_[j], k), before = place(at_instants_[j], k - 1);
      if (here >= 0) earlier[at(here)] = before;
    }
  }
  return earlier;
}

void DiscreteProblem::make_map() {
  map_.num_unknowns = map_.num_values = n_;
  map_.name = "boundary_value::Problem::f";
  map_.value = [this](ConstVectorRef x, VectorRef value) {
    value.setZero();
    p_.f(time_, x, value);
  };
  if (p_.f_dx) map_.dense_jacobian = [this](ConstVectorRef x, MatrixRef jacobian) { p_.f_dx(time_, x, jacobian); };
}

void DiscreteProblem::exact_interval(Index k, Interval& of) {
  const double h = t_[k] - t_[k - 1];
  if (flow_.set(h) || of.E.size() == 0) {
    of.E = Eigen::MatrixXd::Identity(n_, n_);
    of.F = flow_.flow().Phi;
    of.G = flow_.flow().Phi_0 * B_on_;
  }
  of.g.setZero(n_);
  if (!p_.a) return;
  // a at Gauss's two points is a_0 + s a_1: what is left is orthogonal to lines, an error of h^4 in x(T).
  const double middle = 0.5 * (t_[k] + t_[k - 1]), apart = h / (2.0 * std::sqrt(3.0));
  Eigen::VectorXd before = Eigen::VectorXd::Zero(n_), after = Eigen::VectorXd::Zero(n_);
  p_.a(middle - apart, before);
  p_.a(middle + apart, after);
  const Eigen::VectorXd slope = (after - before) / (2.0 * apart);
  of.g = flow_.flow().Phi_0 * (0.5 * (before + after) - 0.5 * h * slope) + flow_.flow().Phi_1 * slope;
}

bool DiscreteProblem::theta_interval(Index k, ConstVectorRef u, ConstVectorRef v, Interval& of) {
  const double h = t_[k] - t_[k - 1];
  time_ = t_[k - 1] + theta_ * h;
  of.g.setZero(n_);
  Eigen::MatrixXd jacobian = p_.A;
  if (p_.f) {
    Eigen::VectorXd here = theta_ * u.segment(n_ * k, n_) + (1.0 - theta_) * u.segment(n_ * (k - 1), n_);
    if (atoms_at(k)) here -= theta_ * (B_at_ * v.segment(first_atom(k), B_at_.cols()));
    Eigen::VectorXd value(n_);
    std::optional<NotFinite> failure = evaluate(map_, here, value);
    const Eigen::VectorXd none;
    if (!failure) failure = evaluate_jacobian(map_, here, value, none, none, jacobian);
    if (failure) {
      not_finite_ = failure->message(map_) + ", t = " + check::text(time_);
      return false;
    }
    of.g = h * (value - jacobian * here);
  } else if (p_.a) {
    p_.a(time_, of.g);
    of.g *= h;
  }
  of.E = Eigen::MatrixXd::Identity(n_, n_) - h * theta_ * jacobian;
  of.F = Eigen::MatrixXd::Identity(n_, n_) + h * (1.0 - theta_) * jacobian;
  of.G = h * B_on_;
  return true;
}

bool DiscreteProblem::interval(Index k, ConstVectorRef u, ConstVectorRef v, Interval& of) {
  if (scheme_ == Scheme::Theta) return theta_interval(k, u, v, of);
  exact_interval(k, of);
  return true;
}

bool DiscreteProblem::atoms_at(Index k) const {
  return !at_instants_.empty() && (k == 0 ? p_.atoms_at_start : k < num_intervals() || p_.atoms_at_end);
}

Index DiscreteProblem::first_atom(Index k) const { return first_[at(k) + 1] - static_cast<Index>(at_instants_.size()); }

void DiscreteProblem::write_bounds(Index first, const std::vector<Index>& list, double time,
                                   mlcp::SparseProblem& linear) const {
  if (list.empty()) return;
  Eigen::VectorXd c = Eigen::VectorXd::Zero(p_.num_multipliers());
  if (p_.c) p_.c(time, c);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Index row = first + static_cast<Index>(i);
    linear.b[row] = c[list[i]];
    linear.lower[row] = lower_of(p_, list[i]);
    linear.upper[row] = upper_of(p_, list[i]);
  }
}

bool DiscreteProblem::tell_not_finite(const std::string& callable, double t) {
  not_finite_ = "boundary_value::Problem::" + callable + " is not finite at or just before t = " + check::text(t);
  return false;
}

bool DiscreteProblem::linearise(ConstVectorRef u, ConstVectorRef v, mlcp::SparseProblem& linear) {
  not_finite_.clear();
  const Index N = num_intervals(), free = n_ * (N + 1);
  Entries A, B, C, D;
  linear.a.setZero(free);
  linear.b.setZero(m_);
  linear.lower.resize(m_);
  linear.upper.resize(m_);
  Interval of;
  for (Index k = 1; k <= N; ++k) {
    if (!interval(k, u, v, of)) return false;
    const Index row = n_ * (k - 1), on = first_[at(k)];
    add_block(A, row, n_ * k, of.E, 1.0);
    add_block(A, row, row, of.F, -1.0);
    add_block(C, row, on, of.G, -1.0);
    linear.a.segment(row, n_) = -of.g;
    add_block(D, on, n_ * k, C_on_, 0.5);
    add_block(D, on, row, C_on_, 0.5);
    add_block(B, on, on, D_on_, 1.0);
    if (atoms_at(k)) {
      add_block(C, row, first_atom(k), of.E * B_at_, -1.0);
      add_block(B, on, first_atom(k), C_on_ * B_at_, -0.5);
    }
    write_bounds(on, on_intervals_, 0.5 * (t_[k] + t_[k - 1]), linear);
    if (!of.g.allFinite()) return tell_not_finite("a", t_[k]);
  }
  for (Index k = 0; k <= N; ++k) {
    if (!atoms_at(k)) continue;
    add_block(D, first_atom(k), n_ * k, C_at_, 1.0);
    write_bounds(first_atom(k), at_instants_, t_[k], linear);
  }
  add_block(A, n_ * N, 0, p_.M, 1.0);
  add_block(A, n_ * N, n_ * N, p_.N, 1.0);
  if (atoms_at(0)) add_block(C, n_ * N, first_atom(0), p_.M * B_at_, -1.0);
  linear.a.tail(n_) = -p_.b;
  for (Index k = 0; k <= N; ++k) {
    if (!linear.b.segment(first_[at(k)], first_[at(k) + 1] - first_[at(k)]).allFinite())
      return tell_not_finite("c", t_[k]);
  }
  linear.A = matrix_of(free, free, A);
  linear.B = matrix_of(m_, m_, B);
  linear.C = matrix_of(free, m_, C);
  linear.D = matrix_of(m_, free, D);
  return true;
}

Eigen::VectorXd DiscreteProblem::adjoint(ConstVectorRef y) {
  const Index N = num_intervals();
  Eigen::VectorXd all = Eigen::VectorXd::Zero(n_ * (N + 1) + m_), next = -p_.N.transpose() * y;
  all.segment(n_ * N, n_) = y;
  Interval of;
  for (Index k = N; k > 0; --k) {
    if (!interval(k, all, all, of)) return {};
    // Column of x_k: E_k^T p_k - F_{k+1}^T p_{k+1} = 0, and E_N^T p_N + N^T y = 0.
    all.segment(n_ * (k - 1), n_) = LuFactors(of.E).solve_transposed(next);
    next = of.F.transpose() * all.segment(n_ * (k - 1), n_);
  }
  return all;
}

void DiscreteProblem::write(const mlcp::SparseProblem& linear, ConstVectorRef u, ConstVectorRef v,
                            Solution& solution) const {
  const Index N = num_intervals(), m = p_.num_multipliers();
  const Eigen::VectorXd w = linear.b + linear.D * u + linear.B * v;
  solution.t = t_;
  solution.x = Eigen::Map<const Eigen::MatrixXd>(u.data(), n_, N + 1);
  solution.u.setZero(m, N + 1);
  solution.w.setZero(m, N + 1);
  solution.x_start = solution.x.col(0);
  for (Index i = 0; i < m; ++i) {
    for (Index k = 0; k <= N; ++k) {
      const Index j = place(i, k);
      if (j >= 0) {
        solution.u(i, k) = v[j];
        solution.w(i, k) = w[j];
      } else if (acts_of(p_, i) == Acts::Instants) {  // not constrained there, but known
        Eigen::VectorXd c = Eigen::VectorXd::Zero(m);
        if (p_.c) p_.c(t_[k], c);
        solution.w(i, k) = p_.C.row(i).dot(solution.x.col(k)) + c[i];
      }
    }
    if (acts_of(p_, i) == Acts::Instants) solution.x_start -= p_.B.col(i) * solution.u(i, 0);
  }
}

}  // namespace nonsmooth::boundary_value::detail
