// SPDX-License-Identifier: Apache-2.0
#include "discrete_problem.hpp"

#include <algorithm>
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

Eigen::MatrixXd columns_of(const Eigen::MatrixXd& matrix, Index rows, const std::vector<Index>& list) {
  Eigen::MatrixXd of(rows, static_cast<Index>(list.size()));
  for (Index k = 0; k < of.cols(); ++k) of.col(k) = matrix.col(list[at(k)]);
  return of;
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

Drift::Drift(const std::function<void(double t, VectorRef value)>& a, double begin, double h, Index n) {
  a_0.setZero(n);
  a_1.setZero(n);
  if (!a) return;
  const double middle = begin + 0.5 * h, apart = h / (2.0 * std::sqrt(3.0));
  Eigen::VectorXd before = Eigen::VectorXd::Zero(n), after = Eigen::VectorXd::Zero(n);
  a(middle - apart, before);
  a(middle + apart, after);
  a_1 = (after - before) / (2.0 * apart);
  a_0 = 0.5 * (before + after) - 0.5 * h * a_1;
}

AtomRows atom_rows(const Problem& problem, const std::vector<Index>& without) {
  AtomRows atoms;
  for (Index i = 0; i < problem.num_multipliers(); ++i) {
    if (acts_of(problem, i) == Acts::Instants && std::find(without.begin(), without.end(), i) == without.end())
      atoms.rows.push_back(i);
  }
  atoms.B = columns_of(problem.B, problem.num_states(), atoms.rows);
  atoms.C = columns_of(problem.C.transpose(), problem.num_states(), atoms.rows).transpose();
  return atoms;
}

DiscreteProblem::DiscreteProblem(const Problem& problem, Eigen::VectorXd t, Scheme scheme, double theta)
    : p_(problem), t_(std::move(t)), scheme_(scheme), theta_(theta), n_(problem.num_states()), flow_(p_.A, p_.T) {
  place_rows();
  if (p_.f) make_map();
}

void DiscreteProblem::place_rows() {
  for (Index i = 0; i < p_.num_multipliers(); ++i) {
    if (acts_of(p_, i) == Acts::Interval) on_intervals_.push_back(i);
  }
  B_on_ = columns_of(p_.B, n_, on_intervals_);
  C_on_ = columns_of(p_.C.transpose(), n_, on_intervals_).transpose();
  D_on_.setZero(C_on_.rows(), C_on_.rows());
  for (Index j = 0; p_.D.size() > 0 && j < D_on_.cols(); ++j) {
    for (Index i = 0; i < D_on_.rows(); ++i) D_on_(i, j) = p_.D(on_intervals_[at(i)], on_intervals_[at(j)]);
  }
  inside_ = atom_rows(p_, {});
  at_start_ = atom_rows(p_, p_.atoms_at_start ? p_.no_atom_at_start : inside_.rows);
  at_end_ = atom_rows(p_, p_.atoms_at_end ? p_.no_atom_at_end : inside_.rows);
  first_.assign(1, 0);
  for (Index k = 0; k <= num_intervals(); ++k)
    first_.push_back(first_.back() + (k > 0 ? C_on_.rows() : 0) + atoms(k).size());
  m_ = first_.back();
}

Index DiscreteProblem::place(Index i, Index k) const {
  const bool on = acts_of(p_, i) == Acts::Interval;
  if (on && k == 0) return -1;
  const std::vector<Index>& list = on ? on_intervals_ : atoms(k).rows;
  const auto found = std::lower_bound(list.begin(), list.end(), i);
  if (found == list.end() || *found != i) return -1;
  return (on ? first_[at(k)] : first_atom(k)) + static_cast<Index>(found - list.begin());
}

std::vector<Index> DiscreteProblem::earlier_rows() const {
  std::vector<Index> earlier(at(m_), -1);
  if (p_.f) return earlier;
  for (Index j = 0; j < inside_.size(); ++j) {
    Eigen::RowVectorXd level = inside_.C.row(j);
    bool reached = false;
    for (int r = 1; r <= 2 && !reached; ++r, level = level * p_.A)
      reached = (level * inside_.B).cwiseAbs().maxCoeff() > 1e-12 * level.norm() * inside_.B.norm();
    for (Index k = 1; !reached && k <= num_intervals(); ++k) {
      const Index here = place(inside_.rows[at(j)], k), before = place(inside_.rows[at(j)], k - 1);
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
  const Drift drift(p_.a, t_[k - 1], h, n_);
  of.g = flow_.flow().Phi_0 * drift.a_0 + flow_.flow().Phi_1 * drift.a_1;
}

bool DiscreteProblem::theta_interval(Index k, ConstVectorRef u, ConstVectorRef v, Interval& of) {
  const double h = t_[k] - t_[k - 1];
  time_ = t_[k - 1] + theta_ * h;
  of.g.setZero(n_);
  Eigen::MatrixXd jacobian = p_.A;
  if (p_.f) {
    Eigen::VectorXd here = theta_ * u.segment(n_ * k, n_) + (1.0 - theta_) * u.segment(n_ * (k - 1), n_);
    here -= theta_ * (atoms(k).B * v.segment(first_atom(k), atoms(k).size()));
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

const AtomRows& DiscreteProblem::atoms(Index k) const {
  return k == 0 ? at_start_ : (k < num_intervals() ? inside_ : at_end_);
}

Index DiscreteProblem::first_atom(Index k) const { return first_[at(k) + 1] - atoms(k).size(); }

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
    add_block(C, row, first_atom(k), of.E * atoms(k).B, -1.0);
    add_block(B, on, first_atom(k), C_on_ * atoms(k).B, -0.5);
    write_bounds(on, on_intervals_, 0.5 * (t_[k] + t_[k - 1]), linear);
    if (!of.g.allFinite()) return tell_not_finite("a", t_[k]);
  }
  for (Index k = 0; k <= N; ++k) {
    add_block(D, first_atom(k), n_ * k, atoms(k).C, 1.0);
    write_bounds(first_atom(k), atoms(k).rows, t_[k], linear);
  }
  add_block(A, n_ * N, 0, p_.M, 1.0);
  add_block(A, n_ * N, n_ * N, p_.N, 1.0);
  add_block(C, n_ * N, first_atom(0), p_.M * at_start_.B, -1.0);
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
