// SPDX-License-Identifier: Apache-2.0
#include "scaled.hpp"

#include <utility>
#include <vector>

#include <internal/decompositions.hpp>
#include <internal/sparse_factors.hpp>

namespace nonsmooth::qp::detail {
namespace {

void scale(Eigen::MatrixXd& matrix, const Eigen::VectorXd& left, const Eigen::VectorXd& right) {
  if (matrix.size() > 0) matrix = left.asDiagonal() * matrix * right.asDiagonal();
}
void scale(Eigen::SparseMatrix<double>& matrix, const Eigen::VectorXd& left, const Eigen::VectorXd& right) {
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, j); it; ++it) it.valueRef() *= left[it.row()] * right[j];
  }
}

/// 1 / sqrt of what is positive, a power of two so that scaling rounds nothing; else 1.
double damping(double largest) {
  if (!(largest > 0.0) || !std::isfinite(largest)) return 1.0;
  return std::exp2(std::round(-0.5 * std::log2(largest)));
}

/// 1 over what is positive, such a power of two; else 1.
double inverse(double largest) {
  if (!(largest > 0.0) || !std::isfinite(largest)) return 1.0;
  return std::exp2(std::min(-std::round(std::log2(largest)), 1023.0));
}

/// The last entries, in blocks of these sizes: each the largest of its block.
void level(Eigen::VectorXd& sizes, const std::vector<Index>& blocks) {
  Index first = sizes.size();
  for (const Index size : blocks) first -= size;
  for (const Index size : blocks) {
    sizes.segment(first, size).setConstant(sizes.segment(first, size).maxCoeff());
    first += size;
  }
}

void scale_bounds(Eigen::VectorXd& bounds, const Eigen::VectorXd& by) {
  if (bounds.size()) bounds.array() *= by.array();
}

}  // namespace

template <class P>
Scaled<P>::Scaled(P problem, const std::vector<Index>& cones, double unit)
    : own(std::move(problem)),
      columns(Eigen::VectorXd::Ones(own.num_unknowns())),
      rows(Eigen::VectorXd::Ones(own.num_rows())) {
  const Index n = columns.size(), m = rows.size();
  Eigen::VectorXd of_columns(n), of_rows(m);
  for (int pass = 0; pass < 8; ++pass) {
    of_columns.setZero();
    of_rows.setZero();
    for (Index j = 0; j < n; ++j) {
      detail::column(own.Q, j, [&](Index, double value) { of_columns[j] = std::max(of_columns[j], std::abs(value)); });
      detail::column(own.A, j, [&](Index i, double value) {
        of_columns[j] = std::max(of_columns[j], std::abs(value));
        of_rows[i] = std::max(of_rows[i], std::abs(value));
      });
    }
    level(of_rows, cones);
    for (double& value : of_columns) value = damping(value);
    for (double& value : of_rows) value = damping(value);
    if ((of_columns.array() == 1.0).all() && (of_rows.array() == 1.0).all()) break;  // nothing moves any more
    scale(own.Q, of_columns, of_columns);
    scale(own.A, of_rows, of_columns);
    columns.array() *= of_columns.array();
    rows.array() *= of_rows.array();
  }
  scale_bounds(own.row_lower, rows);
  scale_bounds(own.row_upper, rows);
  scale_bounds(own.lower, columns.cwiseInverse());
  scale_bounds(own.upper, columns.cwiseInverse());
  if (unit != 1.0) take_unit(unit);
  own.c.array() *= columns.array();
  double slope = own.c.cwiseAbs().maxCoeff();
  for (Index j = 0; j < n; ++j)
    detail::column(own.Q, j, [&](Index, double value) { slope = std::max(slope, std::abs(value)); });
  objective = inverse(slope);
  own.c *= objective;
  own.Q *= objective;
}

template <class P>
double Scaled<P>::large_unit() const {
  double least = infinity;
  const auto look = [&least](double low, double high) {
    if (const double size = std::abs(clamp(0.0, low, high)); size > 0.0) least = std::min(least, size);
  };
  for (Index i = 0; i < own.num_rows(); ++i) look(row_lower(own, i), row_upper(own, i));
  for (Index j = 0; j < own.num_unknowns(); ++j) look(lower(own, j), upper(own, j));
  return least > 1e6 && std::isfinite(least) ? 1.0 / inverse(least) : 1.0;
}

template <class P>
void Scaled<P>::take_unit(double unit) {
  columns *= unit;
  rows /= unit;
  own.Q *= unit;
  own.Q *= unit;
  for (Eigen::VectorXd* bounds : {&own.row_lower, &own.row_upper, &own.lower, &own.upper}) *bounds /= unit;
}

template <>
struct Quasidefinite<Problem>::Engine {
  Eigen::MatrixXd factors;
  Eigen::VectorXd weight;  // 1 / r, 0 where a row is left out

  bool factorize(const Problem& problem, const Eigen::VectorXd& p, const Eigen::VectorXd& r) {
    weight = r.cwiseInverse();
    factors = problem.Q;
    if (r.size() > 0) {
      const Eigen::MatrixXd half = weight.cwiseSqrt().asDiagonal() * problem.A;
      factors.noalias() += half.transpose() * half;
    }
    for (Index j = 0; j < p.size(); ++j) {
      if (std::isfinite(p[j])) {
        factors(j, j) += p[j];
        continue;
      }
      factors.col(j).setZero();
      factors.row(j).setZero();
      factors(j, j) = 1.0;
    }
    return factors.allFinite() && cholesky_in_place(factors);
  }
  void solve(const Problem& problem, const Eigen::VectorXd& p, Eigen::VectorXd& f, Eigen::VectorXd& g) const {
    if (g.size() > 0) f.noalias() += problem.A.transpose() * weight.cwiseProduct(g);
    for (Index j = 0; j < p.size(); ++j) {
      if (!std::isfinite(p[j])) f[j] = 0.0;
    }
    factors.triangularView<Eigen::Lower>().solveInPlace(f);
    factors.triangularView<Eigen::Lower>().transpose().solveInPlace(f);
    if (g.size() > 0) g = weight.cwiseProduct(problem.A * f - g);
  }
};

template <>
struct Quasidefinite<SparseProblem>::Engine {
  SparseLdltFactors factors;
  Eigen::SparseMatrix<double> lower;
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd right;

  bool factorize(const SparseProblem& problem, const Eigen::VectorXd& p, const Eigen::VectorXd& r) {
    const Index n = p.size(), m = r.size();
    entries.clear();
    for (Index j = 0; j < n; ++j) {
      const bool fixed = !std::isfinite(p[j]);
      entries.emplace_back(int(j), int(j), fixed ? 1.0 : p[j]);
      detail::column(problem.Q, j, [&](Index i, double value) {
        if (i >= j) entries.emplace_back(int(i), int(j), fixed || !std::isfinite(p[i]) ? 0.0 : value);
      });
      detail::column(problem.A, j, [&](Index i, double value) {
        entries.emplace_back(int(n + i), int(j), fixed || !std::isfinite(r[i]) ? 0.0 : value);
      });
    }
    for (Index i = 0; i < m; ++i) entries.emplace_back(int(n + i), int(n + i), std::isfinite(r[i]) ? -r[i] : -1.0);
    lower.resize(n + m, n + m);
    lower.setFromTriplets(entries.begin(), entries.end());
    return lower.coeffs().allFinite() && factors.compute(lower);
  }
  void solve(const SparseProblem&, const Eigen::VectorXd&, Eigen::VectorXd& f, Eigen::VectorXd& g) {
    right.resize(f.size() + g.size());
    right << f, g;
    factors.solve_in_place(right);
    f = right.head(f.size());
    g = right.tail(g.size());
  }
};

template <class P>
Quasidefinite<P>::Quasidefinite(const P& problem) : problem_(problem), engine_(std::make_unique<Engine>()) {}
template <class P>
Quasidefinite<P>::~Quasidefinite() = default;

template <class P>
bool Quasidefinite<P>::factorize(const Eigen::VectorXd& p, const Eigen::VectorXd& r) {
  p_ = p;
  r_ = r;
  return engine_->factorize(problem_, p, r);
}

template <class P>
void Quasidefinite<P>::multiply(const Eigen::VectorXd& f, const Eigen::VectorXd& g, Eigen::VectorXd& to_f,
                                Eigen::VectorXd& to_g) const {
  to_f.noalias() = problem_.Q * f;
  if (g.size() > 0) {
    to_f.noalias() += problem_.A.transpose() * g;
    to_g.noalias() = problem_.A * f;
  }
  for (Index j = 0; j < f.size(); ++j) to_f[j] = std::isfinite(p_[j]) ? to_f[j] + p_[j] * f[j] : 0.0;
  for (Index i = 0; i < g.size(); ++i) to_g[i] = std::isfinite(r_[i]) ? to_g[i] - r_[i] * g[i] : 0.0;
}

template <class P>
void Quasidefinite<P>::solve(Eigen::VectorXd& f, Eigen::VectorXd& g) {
  for (Index j = 0; j < f.size(); ++j) {
    if (!std::isfinite(p_[j])) f[j] = 0.0;
  }
  for (Index i = 0; i < g.size(); ++i) {
    if (!std::isfinite(r_[i])) g[i] = 0.0;
  }
  const Eigen::VectorXd right_f = f, right_g = g;
  engine_->solve(problem_, p_, f, g);
  Eigen::VectorXd of_f(f.size()), of_g(g.size()), best_f = f, best_g = g;
  double best = infinity;
  for (int pass = 0; pass < 4; ++pass) {
    multiply(f, g, of_f, of_g);
    of_f = right_f - of_f;
    of_g = right_g - of_g;
    const double left = std::max(of_f.cwiseAbs().maxCoeff(), g.size() > 0 ? of_g.cwiseAbs().maxCoeff() : 0.0);
    if (!(left < 0.5 * best)) {
      f = best_f;
      g = best_g;
      return;
    }
    best = left;
    best_f = f;
    best_g = g;
    if (left == 0.0) return;
    engine_->solve(problem_, p_, of_f, of_g);
    f += of_f;
    g += of_g;
  }
  f = best_f;
  g = best_g;
}

template struct Scaled<Problem>;
template struct Scaled<SparseProblem>;
template class Quasidefinite<Problem>;
template class Quasidefinite<SparseProblem>;

}  // namespace nonsmooth::qp::detail
