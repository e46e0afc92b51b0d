// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mcp/proximal_point.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "descent.hpp"
#include "moving_part.hpp"

namespace nonsmooth::mcp {
namespace {

constexpr double easier = 0.25, harder = 8.0, largest_weight = 1e10;
constexpr double inner_accuracy = 1e-3;

/// F(x) + w (x - c), entry by entry, with F's kind of Jacobian.
NonlinearMap shifted(const NonlinearMap& F, const Eigen::VectorXd& w, const Eigen::VectorXd& c) {
  NonlinearMap map = F;
  map.value = [&F, w, c](ConstVectorRef x, VectorRef f) {
    F.value(x, f);
    f += w.cwiseProduct(x - c);
  };
  if (F.jacobian) {
    // J keeps its entries from call to call: the user's stay apart from those with the weights.
    const auto users = std::make_shared<Eigen::SparseMatrix<double>>(F.num_values, F.num_unknowns);
    Eigen::SparseMatrix<double> weights(F.num_values, F.num_unknowns);
    weights.setIdentity();
    weights.diagonal() = w;
    map.jacobian = [&F, users, weights](ConstVectorRef x, Eigen::SparseMatrix<double>& J) {
      F.jacobian(x, *users);
      J = *users;
      J += weights;
    };
  }
  if (F.dense_jacobian) {
    map.dense_jacobian = [&F, w](ConstVectorRef x, MatrixRef J) {
      F.dense_jacobian(x, J);
      J.diagonal() += w;
    };
  }
  return map;
}

class Centres {
 public:
  Centres(const Problem& problem, const ProximalPoint& options, Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        x_(detail::start_of(problem, "mcp::ProximalPoint::start", options.start, options.check_jacobian)),
        f_(problem.size()),
        s_(problem.size()),
        scale_(detail::data_scale(problem, result.values)),
        evaluator_(problem, result),
        weight_(options.weight) {
    result.solver = "proximal point";
    detail::evaluate_start(problem, evaluator_, x_, f_);
    evaluator_.jacobian().slopes(s_);
    detail::finish_slopes(problem, scale_, s_);
  }

  void run() {
    Status end = Status::IterationLimit;
    std::string_view reason = "max_steps reached";
    for (;;) {
      const Certificate certificate = detail::certify(problem_, scale_, x_, f_, evaluator_.jacobian());
      if (detail::keep(x_, f_, certificate, options_.tolerance, result_)) break;
      if (result_.iterations >= options_.max_steps) break;
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      if (!to_next_centre(certificate.residual)) {
        end = Status::Stalled;
        reason = "no weight lets the centre move";
        break;
      }
    }
    detail::conclude(problem_, options_.tolerance, evaluator_, result_, end, reason);
    if (result_.status == Status::Stalled && !result_.at_round_off && !not_finite_.empty()) {
      result_.status = Status::NumericalFailure;
      result_.reason = "F is not finite where the steps lead";
      result_.not_finite = not_finite_;
    }
  }

 private:
  /// False where every weight has been tried in vain.
  bool to_next_centre(double residual) {
    for (; weight_ < largest_weight; weight_ *= harder) {
      const bool found = solve_inner(residual);
      if (found) {
        weight_ *= easier;
        return true;
      }
      if (result_.iterations >= options_.max_steps || deadline_.passed()) return true;
    }
    return false;
  }

  /// Moves x to the solution of the problem around it.
  bool solve_inner(double residual) {
    Problem inner{.F = shifted(problem_.F, weight_ * s_, x_),
                  .lower = problem_.lower,
                  .upper = problem_.upper,
                  .start = {},
                  .scale = scale_};
    Result found;
    detail::Evaluator evaluator(inner, found);
    Eigen::VectorXd x = x_, f = f_;
    bool moved = evaluator.jacobian_at(x, f);
    if (moved) {
      detail::descend(inner,
                      {.tolerance = std::max(0.5 * options_.tolerance, inner_accuracy * residual),
                       .max_steps = std::min(options_.inner_steps, options_.max_steps - result_.iterations)},
                      scale_, deadline_, evaluator, x, f, found);
      moved = found.ok() && found.x != x_;
    }
    result_.iterations += std::max<Index>(found.iterations, 1);
    result_.values += found.values;
    result_.jacobians += found.jacobians;
    not_finite_ = found.not_finite;
    if (!moved) return false;
    x = found.x;
    if (!evaluator_.value(x, f) || !evaluator_.jacobian_at(x, f)) {
      not_finite_ = evaluator_.not_finite()->message(problem_.F);
      evaluator_.forget_not_finite();
      static_cast<void>(evaluator_.jacobian_at(x_, f_));
      return false;
    }
    x_ = x;
    f_ = f;
    return true;
  }

  const Problem& problem_;
  const ProximalPoint& options_;
  Result& result_;
  const nonsmooth::detail::Deadline deadline_;
  Eigen::VectorXd x_, f_, s_;
  const double scale_;
  detail::Evaluator evaluator_;
  double weight_;
  std::string not_finite_;
};

}  // namespace

void ProximalPoint::validate() const {
  check::positive("mcp::ProximalPoint::tolerance", tolerance);
  check::positive("mcp::ProximalPoint::weight", weight);
  if (!(weight < largest_weight))
    throw InvalidArgument("mcp::ProximalPoint::weight", check::text(weight), "a number below 1e10");
  check::at_least("mcp::ProximalPoint::max_steps", max_steps, 1);
  check::at_least("mcp::ProximalPoint::inner_steps", inner_steps, 1);
  nonsmooth::detail::check_time_limit("mcp::ProximalPoint::time_limit", time_limit);
}

Result solve(const Problem& problem, const ProximalPoint& options) {
  problem.validate();
  options.validate();
  if (detail::may_shrink(problem)) return detail::solve_moving_part(problem, options, "mcp::ProximalPoint::start");
  Result result;
  Centres(problem, options, result).run();
  return result;
}

}  // namespace nonsmooth::mcp
