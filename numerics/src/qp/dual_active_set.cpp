// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/qp/dual_active_set.hpp>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "working_set.hpp"

namespace nonsmooth::qp {
namespace {

constexpr Index most_corrections = 5;  // times that an answer's rounding is taken back and looked at again
constexpr signed char given_up = 2;    // a constraint not to be tried again, in `side`

}  // namespace

struct DualActiveSetWorkspace::Implementation : detail::WorkingSet {
 private:
  using Active = detail::Active;

  End minimise(const detail::ActiveSetLimits& limits, const nonsmooth::detail::Deadline& deadline) override;
  bool restore_signs(Index most);
  Index most_violated(double& sign) const;
  bool enter(const Active& a, Index most);

  Vector z, r;
};

/// Drops what has a multiplier of the wrong sign, the worst first, until none has. False where the steps run out
/// before.
bool DualActiveSetWorkspace::Implementation::restore_signs(Index most) {
  place();
  for (Index worst = worst_sign(); worst >= 0; worst = worst_sign()) {
    if (iterations >= most) return false;
    drop(worst);
    ++iterations;
    place();
  }
  correct();
  return true;
}

/// The row or bound that x violates most, over the length of its normal in the metric of H^-1; -1 where all hold to
/// rounding.
Index DualActiveSetWorkspace::Implementation::most_violated(double& sign) const {
  Index found = -1;
  double worst = 0.0;
  const double length = x.norm();
  for (Index k = 0; k < m + n; ++k) {
    if (side[at(k)] != 0) continue;
    const double l = low(k), h = high(k);
    if (l == -detail::infinity && h == detail::infinity) continue;
    const double now = value(k), below = l - now, above = now - h, violation = std::max(below, above);
    if (!(violation > 0.0)) continue;
    const double norm = k < m ? norms[k] : 1.0;
    const double own = std::abs(below > above ? l : h);
    if (violation <= 16.0 * eps * ((k < m ? norm * length : std::abs(now)) + own)) continue;
    const double relative = lengths[k] > 0.0 ? violation / lengths[k] : detail::infinity;
    if (relative <= worst) continue;
    worst = relative;
    found = k;
    sign = below > above ? 1.0 : -1.0;
  }
  return found;
}

/// Makes a violated row active, dropping others on the way. False where no x is feasible: `ray` tells.
bool DualActiveSetWorkspace::Implementation::enter(const Active& a, Index most) {
  double own = 0.0;  // the multiplier of a
  for (;;) {
    transform(a);
    const Index q = factors.num_active();
    factors.multiplier_step(d, r);
    const bool depends = factors.depends(d);
    // The longest step that leaves the multipliers their signs.
    Index leaving = -1;
    double shortest = detail::infinity;
    const double rounding = q > 0 ? 16.0 * eps * r.head(q).cwiseAbs().maxCoeff() : 0.0;
    for (Index l = 0; l < q; ++l) {
      if (active[at(l)].fixed || !(r[l] > rounding)) continue;
      const double t = std::max(multipliers[l], 0.0) / r[l];
      if (t >= shortest) continue;
      shortest = t;
      leaving = l;
    }
    const double off = a.sign * (value(a.constraint) - bound(a));  // < 0
    const double whole = depends ? detail::infinity : std::max(-off, 0.0) / factors.free_part(d);
    if (depends && leaving < 0) {
      ray.setZero(m);
      if (a.constraint < m) ray[a.constraint] = a.sign;
      for (Index l = 0; l < q; ++l) {
        const Active& other = active[at(l)];
        if (other.constraint < m) ray[other.constraint] -= r[l] * other.sign;
      }
      return false;
    }
    const double t = std::min(whole, shortest);
    if (!depends) {
      factors.step(d, z);
      x += t * z;
    }
    multipliers.head(q) -= t * r.head(q);
    own += t;
    ++iterations;
    if (whole <= shortest) {
      add(a);
      multipliers[q] = own;
      return true;
    }
    drop(leaving);
    if (iterations >= most) return true;
  }
}

DualActiveSetWorkspace::Implementation::End DualActiveSetWorkspace::Implementation::minimise(
    const detail::ActiveSetLimits& options, const nonsmooth::detail::Deadline& deadline) {
  for (signed char& s : side) s = s == given_up ? static_cast<signed char>(0) : s;
  z.resize(n);
  r.resize(n);
  if (!restore_signs(options.max_steps)) return End::Steps;
  bool settled = true;  // x is that of the active set to the last digits, not a sum of steps
  for (Index corrections = 0;;) {
    if (!x.allFinite()) return End::Lost;
    if (deadline.passed()) return End::Time;
    double sign = 1.0;
    const Index k = most_violated(sign);
    if (k < 0) {
      if (settled || corrections++ == most_corrections) return End::Optimal;
      if (!restore_signs(options.max_steps)) return End::Steps;
      settled = true;
      continue;
    }
    settled = false;
    if (iterations >= options.max_steps) return End::Steps;
    if (enter({k, sign, low(k) == high(k)}, options.max_steps)) continue;
    if (detail::prove_infeasible(*problem, ray, deadline)) return End::Infeasible;
    side[at(k)] = given_up;  // no proof, so that the row depends on the others by rounding alone
  }
}

DualActiveSetWorkspace::DualActiveSetWorkspace() : implementation_(std::make_unique<Implementation>()) {}
DualActiveSetWorkspace::~DualActiveSetWorkspace() = default;
DualActiveSetWorkspace::DualActiveSetWorkspace(DualActiveSetWorkspace&&) noexcept = default;
DualActiveSetWorkspace& DualActiveSetWorkspace::operator=(DualActiveSetWorkspace&&) noexcept = default;

void DualActiveSetWorkspace::solve(const Problem& problem, const DualActiveSet& options, bool same_matrices,
                                   Result& result) {
  implementation_->solve(problem, {"dual active set", options.tolerance, options.max_steps, options.time_limit},
                         same_matrices, result);
}

void DualActiveSet::validate() const {
  check::positive("qp::DualActiveSet::tolerance", tolerance);
  check::at_least("qp::DualActiveSet::max_steps", max_steps, 1);
  nonsmooth::detail::check_time_limit("qp::DualActiveSet::time_limit", time_limit);
}

Result solve(const Problem& problem, const DualActiveSet& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  if (options.start_x.size() + options.start_y.size() + options.start_s.size() > 0) {
    check::size("qp::DualActiveSet::start_x", options.start_x.size(), problem.num_unknowns(), "one an unknown");
    check::size("qp::DualActiveSet::start_y", options.start_y.size(), problem.num_rows(), "one a row of A");
    check::size("qp::DualActiveSet::start_s", options.start_s.size(), problem.num_unknowns(), "one an unknown");
    result.x = options.start_x;
    result.y = options.start_y;
    result.s = options.start_s;
  }
  DualActiveSet left = options;
  left.time_limit = deadline.remaining();
  DualActiveSetWorkspace().solve(problem, left, false, result);
  return result;
}

}  // namespace nonsmooth::qp
