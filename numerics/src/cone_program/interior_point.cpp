// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/cone_program/interior_point.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "best.hpp"
#include "cones.hpp"
#include "embedding.hpp"
#include "newton_system.hpp"
#include "polyhedral.hpp"
#include "proofs.hpp"

namespace nonsmooth::cone_program {
namespace {

using Vector = Eigen::VectorXd;

constexpr double proven_by = 1e3;         // kappa / tau of a proof before the end
constexpr double to_the_boundary = 0.99;  // of the step that would leave the cones
constexpr double of_prediction = 1e-6;    // part of its right-hand side that a predictor may leave: it is not taken
constexpr double far = 1e3;               // times the tolerance: what is left of c and b, up to units of rows
constexpr Index patience = 12;            // steps without a better answer

/// A power of two near the largest entry of both; 1 where all are 0.
double size_of(const Vector& b, const Vector& h) {
  const double largest =
      std::max(b.size() > 0 ? b.cwiseAbs().maxCoeff() : 0.0, h.size() > 0 ? h.cwiseAbs().maxCoeff() : 0.0);
  return largest > 0.0 ? std::exp2(std::round(std::log2(largest))) : 1.0;
}

/// The program in units of its own: with those of `scaled`, D, E and f, and x = size D x',
///
///     c' = f D c,   (A'; G') = E (A; G) D,   (b'; h') = E (b; h) / size,   (y, z) = E (y', z') / f,
///
/// entries near 1, one E a cone of several rows. All are powers of two: nothing is rounded.
struct InOwnUnits {
  explicit InOwnUnits(const Problem& given)
      : scaled(detail::as_quadratic(given), given.cones),
        own{.c = scaled.own.c, .b = given.b, .h = given.h, .orthant = given.orthant, .cones = given.cones} {
    const Index p = given.num_equations(), m = given.num_rows();
    const auto columns = scaled.columns.asDiagonal();
    if (p > 0) own.A = scaled.rows.head(p).asDiagonal() * given.A * columns;
    if (m > 0) own.G = scaled.rows.tail(m).asDiagonal() * given.G * columns;
    own.b.array() *= scaled.rows.head(p).array();
    own.h.array() *= scaled.rows.tail(m).array();
    size = size_of(own.b, own.h);
    own.b /= size;
    own.h /= size;
  }

  [[nodiscard]] Vector x(const Vector& in_own) const { return size * scaled.x(in_own); }
  /// Of (y, z), one behind the other.
  [[nodiscard]] Vector multipliers(const Vector& in_own) const { return scaled.y(in_own); }

  detail::Proofs::Scaled scaled;
  Problem own;
  double size = 1.0;
};

/// What a Newton step moves.
struct Step {
  Vector x, y, z, s;
  double tau = 0.0, kappa = 0.0;
};

class Embedding {
 public:
  Embedding(const Problem& problem, const InteriorPoint& options, const nonsmooth::detail::Deadline& deadline,
            Result& result)
      : given_(problem),
        options_(options),
        result_(result),
        deadline_(deadline),
        n_(problem.num_unknowns()),
        p_(problem.num_equations()),
        m_(problem.num_rows()),
        identity_(Vector::Zero(m_)) {
    detail::for_cones(problem, [&](Index first, Index) {
      identity_[first] = 1.0;
      ++degree_;
    });
    at_ = {Vector::Zero(n_), Vector::Zero(p_), identity_, identity_, 1.0, 1.0};
    residuals();
    for (const auto& [error, data] : {std::pair(&dual_, &problem_.c), std::pair(&equations_, &problem_.b)}) {
      const double size = data->size() > 0 ? data->cwiseAbs().maxCoeff() : 0.0;
      if (size > 0.0) at_the_start_ = std::max(at_the_start_, error->cwiseAbs().maxCoeff() / size);
    }
  }

  void run() {
    Status end = Status::IterationLimit;
    std::string_view reason = "max_steps reached";
    Index last_better = 0;
    for (;;) {
      if (is_far() ? is_nearer() : look()) last_better = result_.iterations;
      if (result_.certificate.residual <= options_.tolerance) break;
      if (prove()) return;
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      if (result_.iterations == options_.max_steps) break;
      if (result_.iterations - last_better >= patience || !step()) {
        end = Status::Stalled;
        reason = "no better answer: rounding in the Newton system";
        break;
      }
      ++result_.iterations;
    }
    if (is_far()) look();
    const bool open = !(result_.certificate.residual <= options_.tolerance);
    if (open && end == Status::Stalled && prove_at_the_end()) return;
    qp::detail::conclude(options_.tolerance, end, reason, result_);
  }

 private:
  /// What the iterate leaves of the equations with c and b on their right, over these: each step takes the same part of
  /// all residuals away. 0 where both are 0.
  [[nodiscard]] double left() const { return part_left_ * at_the_start_ / at_.tau; }
  /// Whether certificates would deny the iterate anyhow, on the way to a solution: they cost as much as a solve.
  [[nodiscard]] bool is_far() const { return at_.tau >= at_.kappa && left() > far * options_.tolerance; }
  /// Whether it leaves less than any before.
  [[nodiscard]] bool is_nearer() {
    if (!(left() < least_left_)) return false;
    least_left_ = left();
    return true;
  }

  /// Certifies the iterate over tau; true if it is the best so far.
  bool look() {
    const Vector multipliers = both() / at_.tau;
    return detail::keep_better(certifier_, units_.x(at_.x) / at_.tau, multipliers.head(p_), multipliers.tail(m_),
                               result_);
  }

  /// y and z.
  [[nodiscard]] Vector both() const {
    Vector multipliers(p_ + m_);
    multipliers << at_.y, at_.z;
    return units_.multipliers(multipliers);
  }

  /// Once kappa is large beside tau: before, a start may pass for a proof of programs that are infeasible to 1e-9 only.
  bool prove() {
    if (at_.kappa < proven_by * at_.tau) return false;
    const Vector proof = detail::without_rounding(both(), units_.scaled.rows);
    if (proves_infeasible(given_, proof)) {
      nonsmooth::detail::end_infeasible("the embedding ends in a proof that no x is feasible", proof, result_);
      return true;
    }
    Vector direction = units_.x(at_.x);
    if (!proves_unbounded(given_, direction)) return false;
    qp::detail::end_unbounded(std::move(direction), result_);
    return true;
  }

  /// The same of what rounding has left the last digits of.
  bool prove_at_the_end() {
    if (at_.kappa < at_.tau) return false;
    detail::Proofs proofs(given_, units_.scaled);
    return proofs.infeasible(both(), result_) || proofs.unbounded(units_.x(at_.x), result_);
  }

  bool step() {
    if (!scaling_.compute(problem_, at_.s, at_.z) || !factorize()) return false;
    const Vector lambda = scaling_.apply(problem_, at_.z, false);
    residuals();
    const double mu = (lambda.squaredNorm() + at_.kappa * at_.tau) / double(degree_ + 1);
    const Step affine =
        newton(lambda, -detail::jordan(problem_, lambda, lambda), -at_.kappa * at_.tau, 1.0, of_prediction);
    const double reach = std::min(1.0, longest(affine));
    const double sigma = std::pow(1.0 - reach, 3);
    const Vector correction =
        detail::jordan(problem_, scaling_.apply(problem_, affine.s, true), scaling_.apply(problem_, affine.z, false));
    const Vector target = -detail::jordan(problem_, lambda, lambda) - correction + sigma * mu * identity_;
    const Step step = newton(lambda, target, -at_.kappa * at_.tau - affine.kappa * affine.tau + sigma * mu, 1.0 - sigma,
                             detail::NewtonSystem::to_rounding);
    const double t = std::min(1.0, to_the_boundary * longest(step));
    if (!(t > 1e-12) || !step.x.allFinite() || !step.z.allFinite()) return false;
    part_left_ *= 1.0 - t * (1.0 - sigma);
    at_.x += t * step.x;
    at_.y += t * step.y;
    at_.z += t * step.z;
    at_.s += t * step.s;
    at_.tau += t * step.tau;
    at_.kappa += t * step.kappa;
    return true;
  }

  void residuals() {
    dual_ = problem_.c * at_.tau;
    equations_ = -problem_.b * at_.tau;
    rows_ = at_.s - problem_.h * at_.tau;
    system_.add_products(at_.x, at_.y, at_.z, dual_, equations_, rows_);
    value_ = at_.kappa + problem_.c.dot(at_.x) + problem_.b.dot(at_.y) + problem_.h.dot(at_.z);
  }

  /// The step that takes `part` of the residuals away, with lambda o (W^-1 ds +
  /// W dz) = target, likewise of kappa tau.
  Step newton(const Vector& lambda, const Vector& target, double target_tau, double part, double enough) {
    const Vector scaled = scaling_.apply(problem_, detail::jordan_solve(problem_, lambda, target), false);
    Vector right(n_ + p_ + m_);
    right << -part * dual_, -part * equations_, -part * rows_ - scaled;
    const Vector own = system_.solve(right, enough);
    Vector g(n_ + p_ + m_);
    g << problem_.c, problem_.b, problem_.h;
    Step step;
    step.tau = (-part * value_ - target_tau / at_.tau - g.dot(own)) / (g.dot(data_) - at_.kappa / at_.tau);
    const Vector whole = own + step.tau * data_;
    step.x = whole.head(n_);
    step.y = whole.segment(n_, p_);
    step.z = whole.tail(m_);
    step.s = scaled - scaling_.apply(problem_, scaling_.apply(problem_, step.z, false), false);
    step.kappa = (target_tau - at_.kappa * step.tau) / at_.tau;
    return step;
  }

  [[nodiscard]] double longest(const Step& step) const {
    double t = std::min(detail::longest_step(problem_, at_.s, step.s), detail::longest_step(problem_, at_.z, step.z));
    if (step.tau < 0.0) t = std::min(t, -at_.tau / step.tau);
    if (step.kappa < 0.0) t = std::min(t, -at_.kappa / step.kappa);
    return t;
  }

  /// For the present scaling, and data_ from it.
  bool factorize() {
    Vector right(n_ + p_ + m_);
    right << -problem_.c, problem_.b, problem_.h;
    return system_.factorize(right, data_);
  }

  const Problem& given_;
  const detail::Certifier certifier_{given_};
  const InOwnUnits units_{given_};
  const Problem& problem_ = units_.own;
  const InteriorPoint& options_;
  Result& result_;
  const nonsmooth::detail::Deadline& deadline_;
  Index n_, p_, m_, degree_ = 0;
  Vector identity_;
  Step at_;
  detail::Scaling scaling_;
  detail::NewtonSystem system_{problem_, scaling_};
  Vector data_, dual_, equations_, rows_;
  double value_ = 0.0;
  double at_the_start_ = 0.0, part_left_ = 1.0;
  double least_left_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void InteriorPoint::validate() const {
  check::positive("cone_program::InteriorPoint::tolerance", tolerance);
  check::at_least("cone_program::InteriorPoint::max_steps", max_steps, 1);
  nonsmooth::detail::check_time_limit("cone_program::InteriorPoint::time_limit", time_limit);
}

Result detail::solve_by_embedding(const Problem& problem, const InteriorPoint& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  result.solver = "interior point";
  Embedding(problem, options, deadline, result).run();
  return result;
}

Result solve(const Problem& problem, const InteriorPoint& options) {
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  Result result = detail::solve_by_embedding(problem, options);
  const bool lost = result.status == Status::Stalled || result.status == Status::NumericalFailure;
  if (!lost || !detail::is_polyhedral(problem) || deadline.passed()) return result;
  Result of_rows =
      detail::solve_polyhedral(problem, {.tolerance = options.tolerance, .time_limit = deadline.remaining()});
  const Index iterations = result.iterations + of_rows.iterations;
  if (of_rows.status == Status::Solved || of_rows.status == Status::Infeasible) result = std::move(of_rows);
  result.iterations = iterations;
  return result;
}

}  // namespace nonsmooth::cone_program
