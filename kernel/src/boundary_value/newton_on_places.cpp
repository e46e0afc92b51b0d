// SPDX-License-Identifier: Apache-2.0
#include "newton_on_places.hpp"

#include <algorithm>
#include <cmath>

#include <internal/at.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/mlcp.hpp>

namespace nonsmooth::boundary_value::detail {
namespace {

constexpr Index most_steps = 100;
constexpr Index most_for_all = 2'000;  // unknowns: beyond, a pivot costs too much for as many as there are rows
constexpr Index most_pivots = 300;

double data_size(const mlcp::SparseProblem& linear) {
  double size = linear.a.size() > 0 ? linear.a.lpNorm<Eigen::Infinity>() : 0.0;
  if (linear.b.size() > 0) size = std::max(size, linear.b.lpNorm<Eigen::Infinity>());
  return size;
}

/// v put within its bounds.
void clamp(const mlcp::SparseProblem& linear, Eigen::VectorXd& v) {
  v = v.cwiseMax(linear.lower).cwiseMin(linear.upper);
}

/// The certificate of (u, v), and whether it ends the solve.
bool within(const mlcp::SparseProblem& linear, ConstVectorRef u, ConstVectorRef v, double tolerance,
            Certificate& certificate) {
  Eigen::VectorXd w(v.size());
  certificate = mlcp::certify(linear, u, v, w);
  return certificate.residual <= tolerance;
}

/// mlcp's algorithms on the linear problem of an iterate.
bool by_library(const Limits& limits, const Deadline& deadline, const mlcp::SparseProblem& linear, OnMesh& on,
                Eigen::VectorXd& z) {
  if (deadline.passed()) return false;
  const double left = deadline.remaining();
  const Index free = linear.a.size();
  mlcp::Result result;
  if (free + linear.b.size() <= most_for_all) {
    result = mlcp::solve(linear, mlcp::Automatic{.tolerance = limits.tolerance, .time_limit = left});
  } else {
    result =
        mlcp::solve(linear, mlcp::Lemke{.tolerance = limits.tolerance, .max_pivots = most_pivots, .time_limit = left});
  }
  on.iterations += result.iterations;
  if (!result.ok()) return false;
  on.solver = result.solver;
  z.resize(free + linear.b.size());
  z << result.u, result.v;
  return true;
}

void end(OnMesh& on, Status status, std::string_view reason) {
  on.status = status;
  on.reason = reason;
}

void take(const Eigen::VectorXd& z, OnMesh& on) {
  on.u = z.head(on.u.size());
  on.v = z.tail(on.v.size());
  clamp(on.linear, on.v);
}

/// Of each run of neighbours that are between their bounds every second one inside is put to the bound that it has:
/// w there is as small as their distance to the power r. False where there is none.
bool thin(OnMesh& on) {
  bool any = false;
  for (Index i = 0; i < on.linear.b.size(); ++i) {
    const Index before = on.earlier[at(i)];
    const bool held = on.places[at(i)] == 0;
    const Index two_before = before >= 0 ? on.earlier[at(before)] : -1;
    if (!held || two_before < 0 || on.places[at(before)] != 0 || on.places[at(two_before)] != 0) continue;
    on.places[at(before)] = std::isfinite(on.linear.lower[before]) ? -1 : 1;
    any = true;
  }
  return any;
}

void solve_linear(const Limits& limits, const Deadline& deadline, OnMesh& on) {
  PlacesSystem system;
  system.set(on.linear);
  const double tolerance = 0.1 * limits.tolerance * data_size(on.linear);
  const Index steps = limits.max_iterations > 0 ? limits.max_iterations : most_steps;
  std::set<Places> seen;
  Eigen::VectorXd z;
  std::string_view reason = "places of rows repeat, and no other algorithm found a solution";
  Status status = Status::Stalled;
  for (Index step = 0; step < steps; ++step) {
    if (deadline.passed()) return end(on, Status::TimeLimit, "time_limit reached");
    bool solved = system.solve(on.linear, on.places, z);
    while (!solved && thin(on)) solved = system.solve(on.linear, on.places, z);
    if (!solved) {
      status = Status::NumericalFailure;
      reason = "the equations of the rows between their bounds are singular to working precision";
      break;
    }
    ++on.iterations;
    seen.insert(on.places);
    system.next(on.linear, z, tolerance, on.earlier, on.places);
    if (seen.contains(on.places)) break;
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (attempt == 1 && !by_library(limits, deadline, on.linear, on, z)) break;
    if (z.size() == 0) continue;
    take(z, on);
    if (attempt == 0) on.solver = "newton on places";
    if (within(on.linear, on.u, on.v, limits.tolerance, on.certificate))
      return end(on, Status::Solved, "residual within the tolerance");
  }
  if (z.size() == 0) within(on.linear, on.u, on.v, limits.tolerance, on.certificate);
  end(on, status, reason);
}

void solve_nonlinear(DiscreteProblem& discrete, const Limits& limits, const Deadline& deadline, OnMesh& on) {
  PlacesSystem system;
  const Index steps = limits.max_iterations > 0 ? limits.max_iterations : most_steps;
  on.solver = "newton on places";
  mlcp::SparseProblem trial_linear;
  Certificate trial_certificate;
  Eigen::VectorXd z, trial_u, trial_v;
  for (Index step = 0; step < steps; ++step) {
    if (within(on.linear, on.u, on.v, limits.tolerance, on.certificate))
      return end(on, Status::Solved, "residual within the tolerance");
    if (deadline.passed()) return end(on, Status::TimeLimit, "time_limit reached");
    system.set(on.linear);
    const double tolerance = 0.1 * limits.tolerance * data_size(on.linear);
    bool moved = false;
    for (int attempt = 0; attempt < 2 && !moved; ++attempt) {
      const bool given =
          attempt == 0 ? system.solve(on.linear, on.places, z) : by_library(limits, deadline, on.linear, on, z);
      if (!given) continue;
      ++on.iterations;
      if (attempt == 0) system.next(on.linear, z, tolerance, on.earlier, on.places);
      for (double t = 1.0; t > 1e-3 && !moved; t *= 0.5) {
        trial_u = on.u + t * (z.head(on.u.size()) - on.u);
        trial_v = on.v + t * (z.tail(on.v.size()) - on.v);
        clamp(on.linear, trial_v);
        if (!discrete.linearise(trial_u, trial_v, trial_linear)) continue;
        within(trial_linear, trial_u, trial_v, limits.tolerance, trial_certificate);
        // While places move the error of a good step may rise: of what it is, at most to twice in the first eight
        // steps.
        moved = trial_certificate.error <= (step < 8 && t == 1.0 ? 2.0 : 1.0 - 1e-4 * t) * on.certificate.error;
      }
    }
    if (!moved) {
      return end(on, discrete.not_finite().empty() ? Status::Stalled : Status::NumericalFailure,
                 "no step along Newton's direction makes the residual smaller");
    }
    on.u = trial_u;
    on.v = trial_v;
    std::swap(on.linear, trial_linear);
  }
  within(on.linear, on.u, on.v, limits.tolerance, on.certificate);
  end(on, on.certificate.residual <= limits.tolerance ? Status::Solved : Status::IterationLimit,
      "max_iterations reached");
}

}  // namespace

void PlacesSystem::set(const mlcp::SparseProblem& linear) {
  const Index free = linear.a.size(), m = linear.b.size();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(at(linear.A.nonZeros() + linear.B.nonZeros() + linear.C.nonZeros() + linear.D.nonZeros() + m));
  s_.setZero(m);
  Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(m);
  const auto add = [&](const Eigen::SparseMatrix<double>& block, Index row, Index column) {
    for (Index j = 0; j < block.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(block, j); it; ++it) {
        entries.emplace_back(static_cast<int>(row + it.row()), static_cast<int>(column + j), it.value());
        if (row > 0) s_[it.row()] = std::max(s_[it.row()], std::abs(it.value()));
        if (row > 0 && column > 0 && it.row() == j) diagonal[j] = it.value();
      }
    }
  };
  add(linear.A, 0, 0);
  add(linear.C, 0, free);
  add(linear.D, free, 0);
  add(linear.B, free, free);
  for (Index i = 0; i < m; ++i) {
    entries.emplace_back(static_cast<int>(free + i), static_cast<int>(free + i), 0.0);
    if (diagonal[i] > 0.0) s_[i] = diagonal[i];
    if (!(s_[i] > 0.0)) s_[i] = 1.0;
  }
  matrix_.resize(free + m, free + m);
  matrix_.setFromTriplets(entries.begin(), entries.end());
  values_.assign(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros());
}

bool PlacesSystem::solve(const mlcp::SparseProblem& linear, const Places& places, Eigen::VectorXd& z) {
  const Index free = linear.a.size(), m = linear.b.size();
  right_.resize(free + m);
  right_ << -linear.a, -linear.b;
  for (Index j = 0; j < free + m; ++j) {
    for (int k = matrix_.outerIndexPtr()[j]; k < matrix_.outerIndexPtr()[j + 1]; ++k) {
      const Index i = matrix_.innerIndexPtr()[k] - free;
      const bool kept = i < 0 || places[at(i)] == 0;
      matrix_.valuePtr()[k] = kept ? values_[at(k)] : (i + free == j ? s_[i] : 0.0);
    }
  }
  for (Index i = 0; i < m; ++i) {
    if (places[at(i)] != 0) right_[free + i] = s_[i] * (places[at(i)] < 0 ? linear.lower[i] : linear.upper[i]);
  }
  if (!factors_.factorize(matrix_)) return false;
  z = right_;
  factors_.solve_in_place(z);
  correction_ = right_ - matrix_ * z;
  factors_.solve_in_place(correction_);
  z += correction_;
  return z.allFinite();
}

void PlacesSystem::next(const mlcp::SparseProblem& linear, const Eigen::VectorXd& z, double tolerance,
                        const std::vector<Index>& earlier, Places& places) const {
  const Index free = linear.a.size(), m = linear.b.size();
  const Eigen::VectorXd w = linear.b + linear.D * z.head(free) + linear.B * z.tail(m);
  std::vector<char> farther(at(m), 0);  // a row beside it is farther off on the same side
  for (Index i = 0; i < m; ++i) {
    const Index before = earlier[at(i)];
    if (before < 0) continue;
    const double side = places[at(i)];
    if (side != 0.0 && places[at(before)] == places[at(i)])
      farther[at(side * w[before] > side * w[i] ? i : before)] = 1;
  }
  for (Index i = 0; i < m; ++i) {
    signed char& place = places[at(i)];
    const double v = z[free + i], slack = tolerance / s_[i];
    if (place == 0) {
      if (v < linear.lower[i] + slack) place = -1;
      if (v > linear.upper[i] - slack) place = 1;
    } else if (linear.lower[i] < linear.upper[i] && farther[at(i)] == 0 &&
               (place < 0 ? w[i] < -tolerance : w[i] > tolerance)) {
      place = 0;
    }
  }
}

void solve_on_mesh(DiscreteProblem& discrete, bool is_linear, const Limits& limits, const Deadline& deadline,
                   OnMesh& on) {
  if (!discrete.linearise(on.u, on.v, on.linear)) {
    on.linear = {};
    return end(on, Status::NumericalFailure, "a callable, or the Jacobian of f, is not finite at the start");
  }
  on.earlier = discrete.earlier_rows();
  if (is_linear) {
    solve_linear(limits, deadline, on);
  } else {
    solve_nonlinear(discrete, limits, deadline, on);
  }
}

}  // namespace nonsmooth::boundary_value::detail
