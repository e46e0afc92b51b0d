// SPDX-License-Identifier: Apache-2.0
#include "working_set.hpp"

#include <internal/at.hpp>
#include <internal/round_off.hpp>

namespace nonsmooth::qp::detail {
namespace {

constexpr double smallest_pivot = 1e-11;  // of Q over sqrt(Q_ii Q_jj); below, proximal points
constexpr double proximal_part = 1e-7;    // rho over the largest Q_jj: how far the factors' condition may grow
constexpr double linear_part = 1e-3;      // the same where Q = 0, over |c| / |x|: a step goes some 1000 |x| far
constexpr Index most_centres = 200;       // proximal points

}  // namespace

void WorkingSet::resize() {
  n = problem->num_unknowns();
  m = problem->num_rows();
  for (Vector* v : {&g, &centre, &x, &d, &dual, &primal, &dx, &du, &multipliers}) v->resize(n);
  H.resize(n, n);
  normals.resize(n, m);
  norms.resize(m);
  lengths.resize(m + n);
  active.reserve(at(n + 1));
  wish.reserve(at(n + m));
  last_wish.reserve(at(n + m));
  side.resize(at(n + m));
}

bool WorkingSet::factorize() {
  untouched = false;
  if (m > 0) normals = problem->A.transpose();
  for (Index i = 0; i < m; ++i) norms[i] = normals.col(i).norm();
  regular = factors.factorize(problem->Q, smallest_pivot);
  if (regular) {
    H = problem->Q;
    rho = 0.0;
    measure_normals();
    return true;
  }
  shift();
  H = problem->Q;
  H.diagonal().array() += rho;
  if (!factors.factorize(H, 0.0)) return false;
  measure_normals();
  return true;
}

void WorkingSet::measure_normals() {
  factors.inverse_diagonal(d);
  for (Index i = 0; i < m; ++i) lengths[i] = std::sqrt(normals.col(i).cwiseAbs2().dot(d));
  lengths.tail(n) = d.cwiseSqrt();
}

/// rho from the data. Where Q = 0: |c| over the size of x that the bounds tell, or 1.
void WorkingSet::shift() {
  rho = proximal_part * largest_diagonal(*problem);
  if (rho > 0.0) return;
  double size = 0.0;
  for (Index k = 0; k < n + m; ++k) {
    const double norm = k < m ? norms[k] : 1.0;
    for (const double b : {low(k), high(k)}) {
      if (std::isfinite(b) && norm > 0.0) size = std::max(size, std::abs(b) / norm);
    }
  }
  const double slope = problem->c.cwiseAbs().maxCoeff();
  rho = linear_part * (slope > 0.0 ? slope : 1.0) / (size > 0.0 ? size : 1.0);
}

void WorkingSet::transform(const Active& a) {
  if (a.constraint >= m) return factors.transform_unit(a.constraint - m, a.sign, d);
  factors.transform(normals.col(a.constraint), d);
  if (a.sign < 0.0) d = -d;
}

void WorkingSet::add(const Active& a) {
  untouched = false;
  factors.add(d);
  active.push_back(a);
  side[at(a.constraint)] = a.sign > 0.0 ? 1 : -1;
}

void WorkingSet::drop(Index place_of) {
  untouched = false;
  factors.drop(place_of);
  side[at(active[at(place_of)].constraint)] = 0;
  active.erase(active.begin() + place_of);
  const Index q = factors.num_active();
  for (Index k = place_of; k < q; ++k) multipliers[k] = multipliers[k + 1];
}

bool WorkingSet::try_to_add(Index k, double sign) {
  const Active a{k, sign, low(k) == high(k)};
  if (side[at(k)] != 0 || !std::isfinite(bound(a)) || factors.num_active() == n) return false;
  transform(a);
  if (factors.depends(d)) return false;
  add(a);
  multipliers[factors.num_active() - 1] = 0.0;
  return true;
}

/// The first active set: equations, then what the result that came in says.
void WorkingSet::start(const Result& from) {
  iterations = 0;
  wish.clear();
  for (Index k = m + n - 1; k >= 0; --k) {  // fixed unknowns first: their normals are units
    if (low(k) == high(k)) wish.push_back({k, 1.0, true});
  }
  const bool warm = from.x.size() == n && from.y.size() == m && from.s.size() == n;
  for (Index j = 0; j < n; ++j) centre[j] = clamp(warm ? from.x[j] : 0.0, low(m + j), high(m + j));
  if (!centre.allFinite()) centre.setZero();
  const auto want = [this](const Active& a) {
    if (std::isfinite(bound(a)) && low(a.constraint) != high(a.constraint)) wish.push_back(a);
  };
  for (Index j = 0; warm && j < n; ++j) {
    const Active a{m + j, from.s[j] > 0.0 ? 1.0 : -1.0, false};
    if (from.s[j] != 0.0 && from.x[j] == bound(a)) want(a);
  }
  for (Index i = 0; warm && i < m; ++i) {
    if (from.y[i] != 0.0) want({i, from.y[i] > 0.0 ? 1.0 : -1.0, false});
  }
  if (untouched && wish == last_wish) return;
  factors.clear();
  active.clear();
  std::fill(side.begin(), side.end(), static_cast<signed char>(0));
  for (const Active& a : wish) try_to_add(a.constraint, a.sign);
  last_wish.swap(wish);
  untouched = true;
}

/// One step of refinement of x and the multipliers at the active set.
void WorkingSet::correct() {
  const Index q = factors.num_active();
  dual.noalias() = H * x;
  dual += g;
  for (Index l = 0; l < q; ++l) {
    const Active& a = active[at(l)];
    const double weight = a.sign * multipliers[l];
    if (a.constraint < m)
      dual -= weight * normals.col(a.constraint);
    else
      dual[a.constraint - m] -= weight;
    primal[l] = a.sign * (value(a.constraint) - bound(a));
  }
  factors.correct(dual, primal, dx, du);
  x += dx;
  multipliers.head(q) += du.head(q);
}

/// x and the multipliers at the active set.
void WorkingSet::place() {
  x.setZero();
  multipliers.setZero();
  correct();
}

Index WorkingSet::worst_sign() const {
  const Index q = factors.num_active();
  const double rounding = q > 0 ? 16.0 * eps * multipliers.head(q).cwiseAbs().maxCoeff() : 0.0;
  Index worst = -1;
  for (Index l = 0; l < q; ++l) {
    if (active[at(l)].fixed || multipliers[l] >= -rounding) continue;
    if (worst < 0 || multipliers[l] < multipliers[worst]) worst = l;
  }
  return worst;
}

void WorkingSet::gather(Result& result) {
  result.x = x;
  result.y.setZero(m);
  for (Index l = 0; l < factors.num_active(); ++l) {
    const Active& a = active[at(l)];
    if (a.constraint < m)
      result.y[a.constraint] = a.sign * (a.fixed ? multipliers[l] : std::max(multipliers[l], 0.0));
    else
      result.x[a.constraint - m] = bound(a);
  }
}

void WorkingSet::solve(const Problem& given, const ActiveSetLimits& options, bool same_matrices, Result& result) {
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem = &given;
  result.solver = options.solver;
  result.proof.resize(0);
  result.direction.resize(0);
  result.iterations = 0;
  if (!same_matrices || n != given.num_unknowns() || m != given.num_rows() || !regular) {
    resize();
    if (!factorize()) {
      active.clear();
      x.setZero();
      gather(result);
      certify(result);
      return conclude(options.tolerance, Status::NumericalFailure, "Q has no Cholesky factors", result);
    }
  }
  start(result);
  Status status = Status::Stalled;
  std::string_view reason = "the proximal points go on without an end";
  double farthest = 0.0, best = infinity;
  Vector direction;
  for (Index k = 0; k < most_centres; ++k) {
    g = given.c;
    if (!regular) g -= rho * centre;
    const End end = minimise(options, deadline);
    if (end == End::Infeasible) {
      gather(result);
      certify(result);
      result.iterations = iterations;
      return nonsmooth::detail::end_infeasible("rows that contradict each other or the bounds", ray, result);
    }
    gather(result);
    certify(result);
    if (end == End::Steps) {
      status = Status::IterationLimit;
      reason = "max_steps reached";
      break;
    }
    if (end == End::Time) {
      status = Status::TimeLimit;
      reason = "time_limit reached";
      break;
    }
    if (end == End::Lost) {
      status = Status::NumericalFailure;
      reason = "numbers overflowed";
      break;
    }
    if (regular || result.certificate.residual <= options.tolerance) {
      reason = "round-off at the last active set";
      break;
    }
    const double way = (x - centre).norm();
    if (k == 1) farthest = x.norm();
    if (k > 1 && way > 0.0 && x.norm() >= 2.0 * farthest) {  // it grows: perhaps without end
      farthest = x.norm();
      direction = x - centre;
      if (prove_unbounded(given, direction, deadline)) {
        result.iterations = iterations;
        return end_unbounded(std::move(direction), result);
      }
    }
    if (way <= 1e-14 * x.norm()) {
      if (!(result.certificate.residual < best)) {
        reason = "round-off: the proximal points repeat";
        break;
      }
      best = result.certificate.residual;
    }
    centre = x;
  }
  result.iterations = iterations;
  conclude(options.tolerance, status, reason, result);
}

}  // namespace nonsmooth::qp::detail
