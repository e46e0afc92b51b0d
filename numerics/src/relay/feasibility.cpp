// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

#include "phase_one.hpp"

namespace nonsmooth::relay::detail {

// min t over z in [l, u], t >= 0, with  a_k·z + g_k + t d_k >= 0  for every one-sided row (equalities give two). Its
// optimality conditions are a relay problem with the skew matrix of (z, multipliers, t), which pivoting always solves.
bool least_violation(const View& problem, double time_limit, PhaseOne& memory) {
  const Index n = problem.q.size();
  auto& sides = memory.sides;
  sides.clear();
  for (Index i = 0; i < n; ++i) {
    const RowKind kind = memory.rows[static_cast<std::size_t>(i)];
    if (kind == RowKind::AtLeastZero || kind == RowKind::Zero) sides.emplace_back(i, 1.0);
    if (kind == RowKind::AtMostZero || kind == RowKind::Zero) sides.emplace_back(i, -1.0);
  }
  const Index k = static_cast<Index>(sides.size());
  const Index size = n + k + 1;
  memory.M.resize(size, size);
  memory.M.setZero();
  memory.q.setZero(size);
  memory.lower.setZero(size);
  memory.upper.resize(size);
  memory.upper.setConstant(infinity);
  memory.lower.head(n) = problem.lower;
  memory.upper.head(n) = problem.upper;
  memory.q[size - 1] = 1.0;
  for (Index r = 0; r < k; ++r) {
    const auto [row, sign] = sides[static_cast<std::size_t>(r)];
    double scale = std::max(problem.M.row(row).cwiseAbs().maxCoeff(), std::abs(problem.q[row]));
    if (!(scale > 0.0)) scale = 1.0;
    memory.M.block(n + r, 0, 1, n) = sign * problem.M.row(row);
    memory.M.block(0, n + r, n, 1) = -sign * problem.M.row(row).transpose();
    memory.M(n + r, size - 1) = scale;
    memory.M(size - 1, n + r) = -scale;
    memory.q[n + r] = sign * problem.q[row];
  }
  const View program{memory.M, memory.q, memory.lower, memory.upper};
  memory.dictionary.prepare(program, true);
  const PivotEnd end = memory.dictionary.run(50 * size + 1000, 100, nonsmooth::detail::Deadline(time_limit));
  if (end != PivotEnd::Complementary) return false;
  GrowingVector &answer = memory.answer, &z = memory.z, &y = memory.y;
  answer.resize(size);
  memory.dictionary.extract(program, answer);
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
bool project(const View& problem, PhaseOne& memory, VectorRef y) {
  const Index n = problem.q.size();
  std::vector<Index>&support = memory.support, &columns = memory.columns;
  std::vector<double>&bounds = memory.bounds, &sums = memory.sums;
  support.clear();
  columns.clear();
  bounds.clear();
  sums.clear();
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
bool is_feasible(const View& problem, PhaseOne& memory) {
  const GrowingVector& z = memory.z;
  GrowingVector &w = memory.w, &terms = memory.terms;
  w.resize(z.size());
  w.noalias() = problem.M * z;
  w += problem.q;
  terms = problem.q.cwiseAbs();
  for (Index j = 0; j < z.size(); ++j) terms += std::abs(z[j]) * problem.M.col(j).cwiseAbs();
  for (Index i = 0; i < z.size(); ++i) {
    const RowKind kind = memory.rows[static_cast<std::size_t>(i)];
    const bool below = kind == RowKind::AtLeastZero || kind == RowKind::Zero;
    const bool above = kind == RowKind::AtMostZero || kind == RowKind::Zero;
    if ((below && !(w[i] >= -1e-9 * terms[i])) || (above && !(w[i] <= 1e-9 * terms[i]))) return false;
  }
  return true;
}

/// refine_proof() of memory.y.
bool refine_found(const View& problem, PhaseOne& memory) {
  GrowingVector &y = memory.y, &trial = memory.trial;
  const Index n = problem.q.size();
  const double largest = y.size() == n && y.allFinite() ? y.cwiseAbs().maxCoeff() : 0.0;
  if (!(largest > 0.0)) return false;
  trial = y / largest;
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
      if (pass == 2 || !project(problem, memory, trial)) break;
    }
  }
  return false;
}

}  // namespace

bool refine_proof(const View& problem, Eigen::VectorXd& y) {
  PhaseOne memory;
  memory.y = y;
  if (!refine_found(problem, memory)) return false;
  y = memory.y;
  return true;
}

bool prove_infeasible(const View& problem, double time_limit, Result& result) {
  PhaseOne memory;
  return prove_infeasible(problem, time_limit, memory, result);
}

bool prove_infeasible(const View& problem, double time_limit, PhaseOne& memory, Result& result) {
  const Index n = problem.q.size();
  std::vector<RowKind>& rows = memory.rows;
  rows.assign(static_cast<std::size_t>(n), RowKind::Nothing);
  for (Index i = 0; i < n; ++i) {
    const bool below = problem.lower[i] > -infinity;
    const bool above = problem.upper[i] < infinity;
    if (below && above) continue;
    rows[static_cast<std::size_t>(i)] = below ? RowKind::AtLeastZero : (above ? RowKind::AtMostZero : RowKind::Zero);
  }
  if (!least_violation(problem, time_limit, memory)) return false;
  if (!refine_found(problem, memory)) {
    if (result.status != Status::Solved && result.solver != "enumeration" && is_feasible(problem, memory))
      result.reason = "no solution found, though some z within the bounds gives w the signs of one (phase one)";
    return false;
  }
  nonsmooth::detail::end_infeasible("no z within the bounds gives w the signs every solution has", memory.y, result);
  return true;
}

bool point_of(const View& problem, const Places& places, double time_limit, Eigen::VectorXd& z) {
  const Index n = problem.q.size();
  PhaseOne memory;
  std::vector<RowKind>& rows = memory.rows;
  rows.resize(static_cast<std::size_t>(n));
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
  if (!least_violation(View{problem.M, problem.q, lower, upper}, time_limit, memory)) return false;
  z = memory.z;
  return true;
}

}  // namespace nonsmooth::relay::detail
