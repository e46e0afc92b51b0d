// SPDX-License-Identifier: Apache-2.0
#include "pieces.hpp"

#include <cmath>
#include <utility>

#include <internal/at.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "end_infeasible.hpp"
#include "qp/internal.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::mpcc::detail {
namespace {

constexpr double biactive_part = 1e-8;  // of its terms, up to which a side counts as 0

double largest_row_entry(const Eigen::MatrixXd& rows, Index i) { return rows.row(i).cwiseAbs().maxCoeff(); }

/// How large x is by the data: |c| over |Q|, and what the pairs and the equations ask for over their rows.
double size_of(const Problem& problem) {
  const double Q = problem.Q.cwiseAbs().maxCoeff();
  double size = Q > 0.0 ? problem.c.cwiseAbs().maxCoeff() / Q : 0.0;
  const auto look = [&size](const Eigen::MatrixXd& rows, Index i, double right) {
    const double entry = largest_row_entry(rows, i);
    if (entry > 0.0) size = std::max(size, std::abs(right) / entry);
  };
  for (Index i = 0; i < problem.num_pairs(); ++i) {
    look(problem.G, i, problem.g[i]);
    look(problem.H, i, problem.h[i]);
  }
  for (Index i = 0; i < problem.num_rows(); ++i) {
    const double low = qp::detail::row_lower(problem, i);
    if (low == qp::detail::row_upper(problem, i)) look(problem.A, i, low);
  }
  return size;
}

bool is_convex(const qp::Problem& program) {
  try {
    program.validate();
  } catch (const InvalidArgument&) {
    return false;
  }
  return true;
}

/// All sides at x but for beta, where they are those of the bits.
Sides combined(const Sides& forced, const std::vector<Index>& beta, unsigned bits) {
  Sides sides = forced;
  for (std::size_t j = 0; j < beta.size(); ++j) sides[at(beta[j])] = (bits >> j) & 1U ? Side::H : Side::G;
  return sides;
}

}  // namespace

Pairs pairs_at(const Problem& problem, ConstVectorRef x) {
  const Index k = problem.num_pairs();
  const double size = std::max(size_of(problem), x.cwiseAbs().maxCoeff());
  Pairs pairs{problem.g, problem.h, problem.g.cwiseAbs(), problem.h.cwiseAbs()};
  if (k == 0) return pairs;
  pairs.a.noalias() += problem.G * x;
  pairs.b.noalias() += problem.H * x;
  for (Index i = 0; i < k; ++i) {
    pairs.a_terms[i] += size * largest_row_entry(problem.G, i);
    pairs.b_terms[i] += size * largest_row_entry(problem.H, i);
  }
  return pairs;
}

Sides smaller_sides(const Pairs& pairs) {
  Sides sides(at(pairs.a.size()));
  for (Index i = 0; i < pairs.a.size(); ++i)
    sides[at(i)] = pairs.a[i] * pairs.b_terms[i] <= pairs.b[i] * pairs.a_terms[i] ? Side::G : Side::H;
  return sides;
}

std::vector<Index> biactive_pairs(const Pairs& pairs) {
  std::vector<Index> beta;
  for (Index i = 0; i < pairs.a.size(); ++i) {
    if (std::abs(pairs.a[i]) <= biactive_part * pairs.a_terms[i] &&
        std::abs(pairs.b[i]) <= biactive_part * pairs.b_terms[i])
      beta.push_back(i);
  }
  return beta;
}

qp::Problem program_of(const Problem& problem, const Sides& sides) {
  const Index n = problem.num_unknowns(), m = problem.num_rows(), k = problem.num_pairs();
  qp::Problem program{.Q = problem.Q, .c = problem.c, .lower = problem.lower, .upper = problem.upper};
  program.A.resize(m + 2 * k, n);
  program.row_lower.resize(m + 2 * k);
  program.row_upper.setConstant(m + 2 * k, qp::detail::infinity);
  if (m > 0) program.A.topRows(m) = problem.A;
  for (Index i = 0; i < m; ++i) {
    program.row_lower[i] = qp::detail::row_lower(problem, i);
    program.row_upper[i] = qp::detail::row_upper(problem, i);
  }
  if (k == 0) return program;
  program.A.middleRows(m, k) = problem.G;
  program.A.bottomRows(k) = problem.H;
  program.row_lower.segment(m, k) = -problem.g;
  program.row_lower.tail(k) = -problem.h;
  for (Index i = 0; i < k; ++i) {
    const Side side = sides[at(i)];
    if (side == Side::G || side == Side::None) program.row_upper[m + i] = -problem.g[i];
    if (side == Side::H || side == Side::None) program.row_upper[m + k + i] = -problem.h[i];
  }
  return program;
}

bool make_convex(qp::Problem& program) {
  if (is_convex(program)) return true;
  const double size = program.Q.cwiseAbs().maxCoeff();
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(program.Q.rows(), program.Q.cols());
  Eigen::VectorXd slopes = Eigen::VectorXd::Zero(program.c.size());
  for (Index i = 0; i < program.A.rows(); ++i) {
    const double norm = program.A.row(i).norm();
    if (program.row_lower[i] != program.row_upper[i] || norm == 0.0) continue;
    const Eigen::VectorXd unit = program.A.row(i).transpose() / norm;
    squares += unit * unit.transpose();
    slopes -= (program.row_lower[i] / norm) * unit;
  }
  for (const double theta : {size, 10.0 * size, 100.0 * size, 1e3 * size, 1e4 * size}) {
    qp::Problem shifted = program;
    shifted.Q += theta * squares;
    shifted.c += theta * slopes;
    if (!is_convex(shifted)) continue;
    program = std::move(shifted);
    return true;
  }
  return false;
}

double gain(const Problem& problem, ConstVectorRef now, ConstVectorRef other) {
  const auto value = [&](ConstVectorRef x) { return 0.5 * x.dot(problem.Q * x) + problem.c.dot(x); };
  const double difference = value(now) - value(other);
  if (difference == 0.0) return 0.0;
  const double size = std::max({size_of(problem), now.cwiseAbs().maxCoeff(), other.cwiseAbs().maxCoeff()});
  return difference / (size * (0.5 * size * problem.Q.cwiseAbs().maxCoeff() + problem.c.cwiseAbs().maxCoeff()));
}

bool Search::go_on() {
  if (deadline.passed() || result.iterations >= most_programs) {
    const bool late = deadline.passed();
    result.status = late ? Status::TimeLimit : Status::IterationLimit;
    result.reason = late ? "time_limit reached" : "the limit of quadratic programs is reached";
    return false;
  }
  ++result.iterations;
  return true;
}

std::optional<qp::Result> Search::solve(qp::Problem program) {
  if (!go_on()) return std::nullopt;
  if (!make_convex(program)) return std::nullopt;
  return qp::solve(program, qp::Automatic{.tolerance = tolerance, .time_limit = deadline.remaining()});
}

std::optional<qp::Result> Search::solve(const Sides& sides) { return solve(program_of(problem, sides)); }

void Search::keep(const qp::Result& answer) {
  const Index m = problem.num_rows(), k = problem.num_pairs();
  result.x = answer.x;
  result.y = answer.y.head(m);
  result.u = answer.y.segment(m, k);
  result.v = answer.y.tail(k);
  result.s.resize(problem.num_unknowns());
  Look look;
  result.certificate = certify(problem, result.x, result.y, result.u, result.v, result.s, &look);
  result.figures = look.figures;
  result.biactive = look.biactive;
  result.stationarity = look.stationarity;
}

bool Search::end_unbounded(const Sides& sides, const qp::Result& answer) {
  qp::Problem feasible = program_of(problem, sides);
  feasible.Q.setIdentity();
  feasible.c.setZero();
  const std::optional<qp::Result> point = solve(std::move(feasible));
  if (!point || !point->ok()) return false;
  keep(*point);
  if (!proves_unbounded(problem, result.x, answer.direction)) return false;
  nonsmooth::detail::end_infeasible("the value falls without bound along `direction`", Eigen::VectorXd(), result);
  result.direction = answer.direction;
  return true;
}

bool Search::descend(Sides sides) {
  std::optional<qp::Result> now = solve(sides);
  if (!now) return false;
  if (now->unbounded()) {
    end_unbounded(sides, *now);
    return true;
  }
  if (now->status == Status::Infeasible || !(now->figures.primal <= 1e-6)) return false;
  const double least = 10.0 * tolerance;  // of the terms of the value, that counts as a gain
  for (;;) {
    keep(*now);
    if (result.stationarity == Stationarity::Strong || result.stationarity == Stationarity::None) return true;
    const std::vector<Index> beta = result.biactive;
    const Sides forced = smaller_sides(pairs_at(problem, result.x));
    std::vector<Sides> others;
    Sides all = forced;
    for (const Index i : beta) {
      const bool past_G = result.u[i] < 0.0, past_H = result.v[i] < 0.0;
      if (!past_G && !past_H) continue;
      Sides one = forced;
      one[at(i)] = all[at(i)] = past_G ? Side::H : Side::G;
      others.push_back(std::move(one));
    }
    others.insert(others.begin(), all);
    const bool enumerate = Index(beta.size()) <= most_biactive;
    for (unsigned bits = 0; enumerate && bits < (1U << beta.size()); ++bits)
      others.push_back(combined(forced, beta, bits));
    bool better = false, sure = enumerate;
    for (const Sides& other : others) {
      std::optional<qp::Result> next = solve(other);
      if (result.status != Status::NotRun) return true;
      if (!next) {
        sure = false;
        continue;
      }
      if (next->unbounded() && end_unbounded(other, *next)) return true;
      if (next->status == Status::Infeasible) continue;
      if (!next->ok()) sure = false;
      if (!(next->figures.primal <= 1e-6) || !(gain(problem, result.x, next->x) > least)) continue;
      now = std::move(next);
      better = true;
      break;
    }
    if (better) continue;
    if (sure) result.stationarity = Stationarity::Bouligand;
    return true;
  }
}

void Search::conclude() {
  if (result.status == Status::Infeasible) return;
  const bool met = result.certificate.residual <= tolerance, strong = result.stationarity >= Stationarity::Clarke;
  if (met && strong) {
    result.status = Status::Solved;
    if (result.reason.empty()) result.reason = "the tolerance is met";
    return;
  }
  if (result.status == Status::NotRun) result.status = Status::Stalled;
  if (strong) nonsmooth::detail::note_round_off(false, result);
  if (result.reason.empty())
    result.reason = met ? "multipliers of both signs on pairs with both sides 0, more than are enumerated"
                        : "no piece was found on which the program is convex and has a point";
  if (!met && !result.at_round_off) result.stationarity = Stationarity::None;
}

}  // namespace nonsmooth::mpcc::detail
