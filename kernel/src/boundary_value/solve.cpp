// SPDX-License-Identifier: Apache-2.0
// From coarse meshes, or another solution, to the mesh that was asked for.
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/round_off.hpp>

#include "newton_on_places.hpp"

namespace nonsmooth::boundary_value {
namespace {

using detail::DiscreteProblem;
using detail::OnMesh;

constexpr Index coarsest = 64;                // intervals
constexpr Index most_for_a_program = 50'000;  // unknowns of the linear program that proves

signed char place_of(const Problem& problem, Index i, double u) {
  const double low = detail::lower_of(problem, i), high = detail::upper_of(problem, i);
  return u <= low ? -1 : (u >= high ? 1 : 0);
}

/// Every row at a bound that it has, x = 0.
void begin_cold(const Problem& problem, const DiscreteProblem& discrete, OnMesh& on) {
  on.u.setZero(discrete.num_states() * (discrete.num_intervals() + 1));
  on.v.setZero(discrete.num_constrained());
  on.places.assign(at(on.v.size()), 0);
  for (Index k = 0; k <= discrete.num_intervals(); ++k) {
    for (Index i = 0; i < problem.num_multipliers(); ++i) {
      const Index j = discrete.place(i, k);
      if (j < 0) continue;
      const double low = detail::lower_of(problem, i), high = detail::upper_of(problem, i);
      on.places[at(j)] = std::isfinite(low) ? -1 : (std::isfinite(high) ? 1 : 0);
      on.v[j] = std::isfinite(low) ? low : (std::isfinite(high) ? high : 0.0);
    }
  }
}

/// What another solution, its time scaled to this horizon, has at the instants of this mesh.
void begin_from(const Problem& problem, const DiscreteProblem& discrete, const Solution& other, OnMesh& on) {
  begin_cold(problem, discrete, on);
  const Eigen::VectorXd& t = discrete.t();
  const Index last = other.t.size() - 1, n = discrete.num_states();
  const double scale = other.t[last] / t[discrete.num_intervals()];
  Index k0 = 0;  // the interval of the other mesh
  for (Index k = 0; k <= discrete.num_intervals(); ++k) {
    const double s = t[k] * scale;
    while (k0 + 1 < last && other.t[k0 + 1] <= s) ++k0;
    const double length = other.t[k0 + 1] - other.t[k0], part = std::clamp((s - other.t[k0]) / length, 0.0, 1.0);
    on.u.segment(n * k, n) = (1.0 - part) * other.x.col(k0) + part * other.x.col(k0 + 1);
    const double middle = k > 0 ? 0.5 * (t[k] + t[k - 1]) * scale : 0.0;
    const Index on_interval = middle < other.t[k0] && k0 > 0 ? k0 : k0 + 1;
    for (Index i = 0; i < problem.num_multipliers(); ++i) {
      const Index j = discrete.place(i, k);
      if (j < 0) continue;
      if (detail::acts_of(problem, i) == Acts::Interval) {
        on.v[j] = other.u(i, on_interval);
        on.places[at(j)] = place_of(problem, i, on.v[j]);
        continue;
      }
      const signed char before = place_of(problem, i, other.u(i, k0)), after = place_of(problem, i, other.u(i, k0 + 1));
      const double near = 1e-6;
      const signed char place =
          part < near ? before : (part > 1.0 - near || before == after ? after : on.places[at(j)]);
      on.places[at(j)] = place;
      if (place == 0) on.v[j] = 0.5 * ((1.0 - part) * other.u(i, k0) + part * other.u(i, k0 + 1));
    }
  }
  on.u = on.u.unaryExpr([](double x) { return std::isfinite(x) ? x : 0.0; });
}

Eigen::VectorXd every_second(const Eigen::VectorXd& t) {
  const Index N = t.size() - 1, half = (N + 1) / 2;
  Eigen::VectorXd coarse(half + 1);
  for (Index k = 0; k < half; ++k) coarse[k] = t[2 * k];
  coarse[half] = t[N];
  return coarse;
}

void check_start(const Problem& problem, const Solution& start) {
  const Index columns = start.t.size();
  check::at_least("boundary_value::Options::continue_from: instants", columns, 2);
  check::shape("boundary_value::Options::continue_from: x", start.x.rows(), start.x.cols(), problem.num_states(),
               columns);
  check::shape("boundary_value::Options::continue_from: u", start.u.rows(), start.u.cols(), problem.num_multipliers(),
               columns);
  if (!(start.t[columns - 1] > start.t[0]))
    throw InvalidArgument("boundary_value::Options::continue_from", "instants that do not rise", "those of a solution");
}

/// The unknowns of the discrete problem that a solution on its mesh has.
void unknowns_of(const Problem& problem, const DiscreteProblem& discrete, const Solution& solution, OnMesh& on) {
  begin_cold(problem, discrete, on);
  on.u = Eigen::Map<const Eigen::VectorXd>(solution.x.data(), solution.x.size());
  for (Index k = 0; k <= discrete.num_intervals(); ++k) {
    for (Index i = 0; i < problem.num_multipliers(); ++i) {
      const Index j = discrete.place(i, k);
      if (j >= 0) on.v[j] = solution.u(i, k);
    }
  }
}

/// One mesh after the other; `on` and `solution` are those of the last.
void climb(const Problem& problem, const Options& options, const std::vector<Eigen::VectorXd>& meshes,
           const detail::Deadline& deadline, Solution& solution, OnMesh& on) {
  const Scheme scheme = detail::scheme_of(problem, options);
  const Solution* start = options.continue_from;
  for (const Eigen::VectorXd& t : meshes) {
    DiscreteProblem discrete(problem, t, scheme, options.theta);
    if (start != nullptr) {
      begin_from(problem, discrete, *start, on);
    } else {
      begin_cold(problem, discrete, on);
    }
    on.certificate = {};
    detail::solve_on_mesh(discrete, problem.linear(), options.limits, deadline, on);
    ++solution.meshes;
    Solution next;
    if (on.linear.a.size() == on.u.size()) discrete.write(on.linear, on.u, on.v, next);
    solution.t = next.t, solution.x = next.x, solution.u = next.u, solution.w = next.w;
    solution.x_start = next.x_start;
    solution.not_finite = discrete.not_finite();
    start = on.status == Status::Solved ? &solution : options.continue_from;
    if (on.status == Status::TimeLimit) break;
  }
}

/// What tells users that x is not determined although nothing failed.
std::string_view reason_of(const Problem& problem, const Solution& solution, std::string_view reason) {
  if (!std::isinf(solution.solvability.condition)) return reason;
  if (!solution.ok())
    return "no solution found, and M + N e^{A T} is singular: the conditions leave x(0) open or contradict";
  return problem.num_multipliers() == 0
             ? "solved, but M + N e^{A T} is singular: one of a family, or of the scheme's errors alone"
             : "solved; M + N e^{A T} is singular, the multipliers decide";
}

}  // namespace

Solution solve(const Problem& problem, const Options& options) {
  options.validate();
  Solution solution;
  solution.solvability = solvability(problem, options.psi);
  const detail::Deadline deadline(options.limits.time_limit);
  if (options.continue_from != nullptr) check_start(problem, *options.continue_from);
  std::vector<Eigen::VectorXd> meshes(1, detail::mesh_of(problem, options));
  const Scheme scheme = detail::scheme_of(problem, options);
  while (options.continue_from == nullptr && meshes.back().size() > coarsest + 1)
    meshes.push_back(every_second(meshes.back()));
  std::reverse(meshes.begin(), meshes.end());
  DiscreteProblem finest(problem, meshes.back(), scheme, options.theta);
  OnMesh on;
  begin_cold(problem, finest, on);
  const bool ends_contradict = detail::prove_ends_contradict(problem, options.limits.tolerance, solution);
  if (ends_contradict || std::isinf(solution.solvability.condition)) {
    const bool finite = finest.linearise(on.u, on.v, on.linear);
    const bool contradicts =
        ends_contradict || (finite && detail::prove_contradiction(finest, problem, on.linear, solution));
    if (finite && contradicts) {
      finest.write(on.linear, on.u, on.v, solution);
      Eigen::VectorXd w(on.v.size());
      solution.certificate = mlcp::certify(on.linear, on.u, on.v, w);
    }
    solution.solver = ends_contradict ? "ends" : "shooting matrix";
    if (contradicts) return solution;
  }
  climb(problem, options, meshes, deadline, solution, on);
  solution.status = on.status;
  solution.certificate = on.certificate;
  solution.iterations = on.iterations;
  solution.solver = on.solver;
  if (!solution.ok() && solution.certificate.row_residual <= 64.0 * eps) {
    solution.at_round_off = true;
    solution.status = Status::Solved;
  }
  solution.reason = reason_of(problem, solution, on.reason);
  const bool open = solution.status == Status::Stalled || solution.status == Status::NumericalFailure;
  if (open && problem.linear() && on.linear.a.size() > 0 && on.u.size() + on.v.size() <= most_for_a_program)
    (void)detail::prove_infeasible(on.linear, std::max(1e-3, deadline.remaining()), solution);
  return solution;
}

Certificate certify(const Problem& problem, const Options& options, const Solution& solution) {
  problem.validate();
  options.validate();
  const Eigen::VectorXd t = detail::mesh_of(problem, options);
  check::shape("boundary_value::certify: solution.x", solution.x.rows(), solution.x.cols(), problem.num_states(),
               t.size());
  check::shape("boundary_value::certify: solution.u", solution.u.rows(), solution.u.cols(), problem.num_multipliers(),
               t.size());
  DiscreteProblem discrete(problem, t, detail::scheme_of(problem, options), options.theta);
  OnMesh on;
  unknowns_of(problem, discrete, solution, on);
  if (!discrete.linearise(on.u, on.v, on.linear)) return {};
  Eigen::VectorXd w(on.v.size());
  return mlcp::certify(on.linear, on.u, on.v, w);
}

bool proves_no_solution(const Problem& problem, const Options& options, ConstVectorRef y, double tolerance) {
  problem.validate();
  options.validate();
  const vi::Polyhedron ends = admissible_ends(problem);
  if (y.size() == ends.A.rows() + ends.C.rows() && vi::proves_empty(ends, y)) return true;
  if (!problem.linear()) return false;
  DiscreteProblem discrete(problem, detail::mesh_of(problem, options), detail::scheme_of(problem, options),
                           options.theta);
  OnMesh on;
  begin_cold(problem, discrete, on);
  return discrete.linearise(on.u, on.v, on.linear) && mlcp::proves_infeasible(on.linear, y, tolerance);
}

std::string Solution::message() const {
  std::ostringstream out;
  out.precision(3);
  out << to_string(status) << ": residual " << certificate.residual << " on " << t.size() << " instants, " << meshes
      << " meshes, " << iterations << " factorizations; " << reason;
  if (!not_finite.empty()) out << "; " << not_finite;
  out << "; " << solvability.reason;
  return out.str();
}

}  // namespace nonsmooth::boundary_value
