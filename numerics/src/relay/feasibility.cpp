// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

#include "dictionary.hpp"

namespace nonsmooth::relay::detail {

// min t over z in [l, u], t >= 0, with  a_k·z + g_k + t d_k >= 0  for every one-sided row (equalities give two). Its
// optimality conditions are a relay problem with the skew matrix of (z, multipliers, t), which pivoting always solves.
bool least_violation(const View& problem, const std::vector<RowKind>& rows, double time_limit, Eigen::VectorXd& z,
                     Eigen::VectorXd& y) {
  const Index n = problem.q.size();
  std::vector<std::pair<Index, double>> sides;  // row, sign
  for (Index i = 0; i < n; ++i) {
    const RowKind kind = rows[static_cast<std::size_t>(i)];
    if (kind == RowKind::AtLeastZero || kind == RowKind::Zero) sides.emplace_back(i, 1.0);
    if (kind == RowKind::AtMostZero || kind == RowKind::Zero) sides.emplace_back(i, -1.0);
  }
  const Index k = static_cast<Index>(sides.size());
  const Index size = n + k + 1;
  Problem program{Eigen::MatrixXd::Zero(size, size), Eigen::VectorXd::Zero(size), Eigen::VectorXd::Zero(size),
                  Eigen::VectorXd::Constant(size, infinity)};
  program.lower.head(n) = problem.lower;
  program.upper.head(n) = problem.upper;
  program.q[size - 1] = 1.0;
  for (Index r = 0; r < k; ++r) {
    const auto [row, sign] = sides[static_cast<std::size_t>(r)];
    double scale = std::max(problem.M.row(row).cwiseAbs().maxCoeff(), std::abs(problem.q[row]));
    if (!(scale > 0.0)) scale = 1.0;
    program.M.block(n + r, 0, 1, n) = sign * problem.M.row(row);
    program.M.block(0, n + r, n, 1) = -sign * problem.M.row(row).transpose();
    program.M(n + r, size - 1) = scale;
    program.M(size - 1, n + r) = -scale;
    program.q[n + r] = sign * problem.q[row];
  }
  Dictionary dictionary;
  dictionary.prepare(view(program), true);
  const PivotEnd end = dictionary.run(50 * size + 1000, 100, nonsmooth::detail::Deadline(time_limit));
  if (end != PivotEnd::Complementary) return false;
  Eigen::VectorXd answer(size);
  dictionary.extract(view(program), answer);
  z = answer.head(n);
  y.setZero(n);
  for (Index r = 0; r < k; ++r) {
    const auto [row, sign] = sides[static_cast<std::size_t>(r)];
    y[row] += sign * answer[n + r];
  }
  return z.allFinite() && y.allFinite();
}

namespace {

/// One step of y towards the null space of its columns that are zero up to 1e-8, by least squares: the change of each
/// entry is measured by the entry, each column by the sum of its absolute values. False if there is nothing to do.
bool project(const View& problem, Eigen::VectorXd& y) {
  const Index n = problem.q.size();
  std::vector<Index> support, columns;
  std::vector<double> bounds, sums;
  for (Index i = 0; i < n; ++i) {
    if (y[i] != 0.0) support.push_back(i);
  }
  for (Index j = 0; j < n; ++j) {
    if (problem.lower[j] > -infinity && problem.upper[j] < infinity) continue;
    long double sum = 0.0L;
    long double bound = 0.0L;
    for (const Index i : support) {
      const long double product = static_cast<long double>(problem.M(i, j)) * y[i];
      sum += product;
      bound += std::abs(product);
    }
    if (!(bound > 0.0L) || !(std::abs(sum) <= 1e-8L * bound)) continue;
    columns.push_back(j);
    bounds.push_back(static_cast<double>(bound));
    sums.push_back(static_cast<double>(sum / bound));
  }
  if (columns.empty()) return false;
  const Index rows = static_cast<Index>(columns.size());
  const Index size = static_cast<Index>(support.size());
  Eigen::MatrixXd matrix(rows, size);
  Eigen::VectorXd right(rows);
  for (Index r = 0; r < rows; ++r) {
    const std::size_t k = static_cast<std::size_t>(r);
    right[r] = -sums[k];
    for (Index c = 0; c < size; ++c) {
      const Index i = support[static_cast<std::size_t>(c)];
      matrix(r, c) = problem.M(i, columns[k]) / bounds[k] * y[i];
    }
  }
  CompleteOrthogonalFactors factors;
  factors.set_threshold(16.0 * eps * static_cast<double>(std::max(rows, size)));
  factors.compute(matrix);
  const Eigen::VectorXd change = factors.solve(right);
  if (!change.allFinite()) return false;
  for (Index c = 0; c < size; ++c) {
    const Index i = support[static_cast<std::size_t>(c)];
    // A change as large as the entry is no rounding: the columns have no null vector nearby.
    if (!(std::abs(change[c]) < 0.5)) return false;
    y[i] += y[i] * change[c];
  }
  return true;
}

/// True if w = M z + q has the signs asked for, to 1e-9 of the terms of its rows.
bool is_feasible(const View& problem, const std::vector<RowKind>& rows, const Eigen::VectorXd& z) {
  const Eigen::VectorXd w = problem.M * z + problem.q;
  const Eigen::VectorXd terms = problem.M.cwiseAbs() * z.cwiseAbs() + problem.q.cwiseAbs();
  for (Index i = 0; i < z.size(); ++i) {
    const RowKind kind = rows[static_cast<std::size_t>(i)];
    const bool below = kind == RowKind::AtLeastZero || kind == RowKind::Zero;
    const bool above = kind == RowKind::AtMostZero || kind == RowKind::Zero;
    if ((below && !(w[i] >= -1e-9 * terms[i])) || (above && !(w[i] <= 1e-9 * terms[i]))) return false;
  }
  return true;
}

}  // namespace

bool refine_proof(const View& problem, Eigen::VectorXd& y) {
  const Index n = problem.q.size();
  const double largest = y.size() == n && y.allFinite() ? y.cwiseAbs().maxCoeff() : 0.0;
  if (!(largest > 0.0)) return false;
  Eigen::VectorXd trial = y / largest;
  if (proves_infeasible(problem, trial)) {
    y = trial;
    return true;
  }
  for (const double zero : {1e-12, 1e-8}) {  // entries at round-off of the largest are zeros of the exact multipliers
    trial = y / largest;
    for (Index i = 0; i < n; ++i) {
      const bool below = problem.lower[i] > -infinity;
      const bool above = problem.upper[i] < infinity;
      const bool wrong = below && above ? true : (below ? trial[i] < 0.0 : above && trial[i] > 0.0);
      if (std::abs(trial[i]) <= (wrong ? 1e-8 : zero)) trial[i] = 0.0;
    }
    for (int pass = 0; pass < 3; ++pass) {
      if (proves_infeasible(problem, trial)) {
        y = trial;
        return true;
      }
      if (pass == 2 || !project(problem, trial)) break;
    }
  }
  return false;
}

bool prove_infeasible(const View& problem, double time_limit, Result& result) {
  const Index n = problem.q.size();
  std::vector<RowKind> rows(static_cast<std::size_t>(n), RowKind::Nothing);
  for (Index i = 0; i < n; ++i) {
    const bool below = problem.lower[i] > -infinity;
    const bool above = problem.upper[i] < infinity;
    if (below && above) continue;
    rows[static_cast<std::size_t>(i)] = below ? RowKind::AtLeastZero : (above ? RowKind::AtMostZero : RowKind::Zero);
  }
  Eigen::VectorXd z, y;
  if (!least_violation(problem, rows, time_limit, z, y)) return false;
  if (!refine_proof(problem, y)) {
    if (result.status != Status::Solved && result.solver != "enumeration" && is_feasible(problem, rows, z))
      result.reason = "no solution found, though some z within the bounds gives w the signs of one (phase one)";
    return false;
  }
  nonsmooth::detail::end_infeasible("no z within the bounds gives w the signs every solution has", y, result);
  return true;
}

bool point_of(const View& problem, const Places& places, double time_limit, Eigen::VectorXd& z) {
  const Index n = problem.q.size();
  std::vector<RowKind> rows(static_cast<std::size_t>(n));
  Eigen::VectorXd lower = problem.lower;
  Eigen::VectorXd upper = problem.upper;
  for (Index i = 0; i < n; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    if (places[k] == Place::Between) {
      rows[k] = RowKind::Zero;
    } else if (places[k] == Place::Lower) {
      upper[i] = lower[i];
      rows[k] = problem.lower[i] == problem.upper[i] ? RowKind::Nothing : RowKind::AtLeastZero;
    } else {
      lower[i] = upper[i];
      rows[k] = RowKind::AtMostZero;
    }
  }
  Eigen::VectorXd y;
  return least_violation(View{problem.M, problem.q, lower, upper}, rows, time_limit, z, y);
}

}  // namespace nonsmooth::relay::detail
