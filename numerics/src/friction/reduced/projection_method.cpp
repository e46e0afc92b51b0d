// SPDX-License-Identifier: Apache-2.0
#include "projection_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "measure.hpp"
#include "mixed/projection_jacobian.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::friction::internal {

void project(const ProductSet& K, VectorRef r) {
  for (Index b = 0; b < K.num_blocks(); ++b) nonsmooth::project(K[b], r.data() + K.offset(b), K.size(b));
}

void modify_velocity(const ProductSet& K, const Eigen::VectorXd& u, Eigen::VectorXd& v) {
  v = u;
  for (Index b = 0; b < K.num_blocks(); ++b) nonsmooth::modify_velocity(K[b], v.segment(K.offset(b), K.size(b)));
}

double reaction_norm(const Eigen::VectorXd& x, const Eigen::VectorXd& rho) {
  return std::sqrt((x.array().square() / rho.array()).sum());
}

double velocity_norm(const Eigen::VectorXd& x, const Eigen::VectorXd& rho) {
  return std::sqrt((x.array().square() * rho.array()).sum());
}

void check_sets(std::string_view method, const ProductSet& K, bool rolling) {
  for (Index b = 0; b < K.num_blocks(); ++b) {
    switch (K[b].kind) {
      case SetKind::Free:
      case SetKind::Orthant:
      case SetKind::Coulomb2D:
      case SetKind::Coulomb3D:
        continue;
      case SetKind::Rolling:
        if (rolling) continue;
        break;
      default:
        break;
    }
    throw InvalidArgument(
        "K", "block " + std::to_string(b) + " of another set",
        std::string("Coulomb, ") + (rolling ? "Rolling, " : "") + "Orthant and Free blocks for " + std::string(method));
  }
}

Problem relaxation_of(const Problem& problem) {
  Problem relaxed;
  relaxed.W = problem.W;
  relaxed.q = problem.q;
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    BlockSet set = problem.K[b];
    if (set.kind == SetKind::Coulomb2D || set.kind == SetKind::Coulomb3D)
      set = {.kind = SetKind::SecondOrderCone, .mu = set.mu};
    relaxed.K.push_back(set, problem.K.size(b));
  }
  return relaxed;
}

template <class Vector>
BasicMonitor<Vector>::BasicMonitor(const Problem& problem, double tolerance, Measure measure, double time_limit,
                                   MonitorMemory<Vector>* memory, mixed::Result& result)
    : problem_(problem),
      tolerance_(tolerance),
      measure_(measure),
      deadline_(time_limit),
      result_(result),
      vectors_(memory != nullptr ? *memory : own_) {
  const Index rows = problem.W.rows();
  vectors_.rho.resize(rows);
  mixed::internal::natural_scales(problem, VectorRef(vectors_.rho));
  vectors_.error.resize(rows);
  vectors_.u.resize(rows);
  vectors_.best_r = result.r;
  best_ = last_ = recompute(vectors_.best_r);
  scale_ = certificate_.scale > 0.0 ? certificate_.scale : std::numeric_limits<double>::min();
}

template <class Vector>
double BasicMonitor<Vector>::recompute(ConstVectorRef r) {
  certificate_ = mixed::certify(problem_, r, vectors_.u);
  return measure_of(problem_, measure_, certificate_, r, vectors_.u);
}

template <class Vector>
double BasicMonitor<Vector>::residual(ConstVectorRef r, ConstVectorRef u) {
  if (measure_ == Measure::NaturalMap) {
    const double figure = mixed::friction_figures(problem_, r, u).natural_map;
    if (!std::isnan(figure)) return figure;
  }
  return certificate_residual(r, u);
}

template <class Vector>
double BasicMonitor<Vector>::certificate_residual(ConstVectorRef r, ConstVectorRef u) {
  for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
    const Index o = problem_.K.offset(b), n = problem_.K.size(b);
    if (problem_.K[b].kind == SetKind::Orthant) {
      for (Index i = o; i < o + n; ++i)  // one rho a row
        natural_error(problem_.K[b], vectors_.rho[i], r.data() + i, u.data() + i, vectors_.error.data() + i, 1);
    } else {
      natural_error(problem_.K[b], vectors_.rho[o], r.data() + o, u.data() + o, vectors_.error.data() + o, n);
    }
  }
  const double error = vectors_.error.template lpNorm<Eigen::Infinity>();
  return (std::isfinite(error) ? error : std::numeric_limits<double>::quiet_NaN()) / scale_;
}

template <class Vector>
bool BasicMonitor<Vector>::observe(ConstVectorRef r, ConstVectorRef u) {
  constexpr Index patience = 20;  // looks at an error below round-off
  const double value = last_ = residual(r, u);
  if (!std::isfinite(value) || !r.allFinite()) {
    status_ = Status::NumericalFailure;
    reason_ = "the iteration diverged to numbers that are not finite";
    return true;
  }
  if (value < best_ || !std::isfinite(best_)) {
    best_ = value;
    vectors_.best_r = r;
  }
  ++looks_;
  if (value <= tolerance_ || looks_ % 64 == 0) {
    const double exact = recompute(r);
    if (exact <= tolerance_) {
      best_ = exact;
      vectors_.best_r = r;
      return true;
    }
    if (certificate_.error <= certificate_.round_off && ++at_round_off_ > patience) {
      status_ = Status::Stalled;
      reason_ = "at round-off: the tolerance is below what the data allow";
      return true;
    }
  }
  if (deadline_.passed()) {
    status_ = Status::TimeLimit;
    reason_ = "time_limit reached";
    return true;
  }
  return false;
}

template <class Vector>
void BasicMonitor<Vector>::finish(Status otherwise, std::string_view reason) {
  using mixed::internal::end;
  if (status_ != Status::NotRun) {
    otherwise = status_;
    reason = reason_;
  }
  if (!vectors_.best_r.allFinite()) vectors_.best_r.setZero();
  const double exact = recompute(vectors_.best_r);
  result_.r = vectors_.best_r;
  result_.u = vectors_.u;
  result_.certificate = certificate_;
  if (exact <= tolerance_) return end_solved(problem_, measure_, tolerance_, "", result_);
  if (!std::isfinite(exact)) return end(result_, Status::NumericalFailure, "numbers overflow: data over many decades");
  end(result_, otherwise, reason);
}

template class BasicMonitor<Eigen::VectorXd>;
template class BasicMonitor<GrowingVector>;

}  // namespace nonsmooth::friction::internal
