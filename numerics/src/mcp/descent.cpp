// SPDX-License-Identifier: Apache-2.0
#include "descent.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "linear_step.hpp"

namespace nonsmooth::mcp::detail {
namespace {

using nonsmooth::detail::BoxRow;

/// Steps in which the best merit must fall by `progress`, or nothing is to be expected.
constexpr Index patience = 40;
constexpr double progress = 0.99;
/// Newton on the places is tried below this residual, where they stand.
constexpr double near = 1e-3;
constexpr int relaxing_sweeps = 4;  // over the linear problem after a step on min

/// One run: the iterate (x, f, J), the rows H of the box function there and the memory that steps work in.
class Descent {
 public:
  Descent(const Problem& problem, const DescentOptions& options, double data_scale,
          const nonsmooth::detail::Deadline& deadline, Evaluator& evaluator, Eigen::VectorXd& x, Eigen::VectorXd& f,
          Result& result)
      : problem_(problem),
        options_(options),
        data_scale_(data_scale),
        deadline_(deadline),
        evaluator_(evaluator),
        x_(x),
        f_(f),
        result_(result),
        n_(problem.size()) {
    evaluator.jacobian().slopes(s_);
    finish_slopes(problem, data_scale, s_);
    measure_ = {options.function, options.weight, data_scale > 0.0 ? data_scale : 1.0};
  }

  void run() {
    Status end = Status::IterationLimit;
    std::string_view reason = "max_steps reached";
    for (Index step = 0;; ++step, ++result_.iterations) {
      certificate_ = certify(problem_, data_scale_, x_, f_, evaluator_.jacobian());
      if (keep(x_, f_, certificate_, options_.tolerance, result_)) break;
      if (step >= options_.max_steps) break;
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      linearise();
      const bool stagnates = has_stagnated();  // what the last step met stays to be told
      if (!stagnates) evaluator_.forget_not_finite();
      if (stagnates || !move()) {
        end = deadline_.passed() ? Status::TimeLimit : Status::Stalled;
        reason = deadline_.passed() ? "time_limit reached"
                                    : "no descent: a stationary point of the merit function, or round-off";
        break;
      }
    }
    conclude(problem_, options_.tolerance, evaluator_, result_, end, reason);
  }

 private:
  [[nodiscard]] BoxRow row(const nonsmooth::detail::BoxMeasure& measure, Index i, double x, double f) const {
    return nonsmooth::detail::box_row(measure, s_[i], x, f, problem_.lower[i], problem_.upper[i]);
  }
  [[nodiscard]] double merit(const Eigen::VectorXd& x, const Eigen::VectorXd& f) const {
    double sum = 0.0;
    for (Index i = 0; i < n_; ++i) {
      const double value = row(measure_, i, x[i], f[i]).value;
      sum += value * value;
    }
    return 0.5 * sum;
  }
  [[nodiscard]] double natural(const Eigen::VectorXd& x, const Eigen::VectorXd& f) const {
    double worst = 0.0;
    for (Index i = 0; i < n_; ++i) worst = std::max(worst, std::abs(row(natural_, i, x[i], f[i]).value));
    return worst;
  }

  /// H, its derivatives by x and w, the gradient of the merit function, and where the rows stand.
  void linearise() {
    places_before_.swap(places_);
    for (Index i = 0; i < n_; ++i) {
      const BoxRow at = row(measure_, i, x_[i], f_[i]);
      h_[i] = at.value;
      by_x_[i] = at.by_z * s_[i];
      by_w_[i] = at.by_w;
      const double target = x_[i] - f_[i] / s_[i];
      places_[static_cast<std::size_t>(i)] = target <= problem_.lower[i] ? -1 : (target >= problem_.upper[i] ? 1 : 0);
    }
    scratch_ = by_w_.cwiseProduct(h_);
    evaluator_.jacobian().multiply_transposed(scratch_, gradient_);
    gradient_ += by_x_.cwiseProduct(h_);
    merit_ = 0.5 * h_.squaredNorm();
    merits_.push_back(merit_);
    if (static_cast<Index>(merits_.size()) > options_.memory) merits_.pop_front();
  }

  bool has_stagnated() {
    if (merit_ < progress * best_merit_) {
      best_merit_ = merit_;
      waited_ = 0;
    } else {
      ++waited_;
    }
    return waited_ > patience;
  }

  /// To a trial point that is accepted, along the first direction that has one.
  bool move() {
    if (options_.josephy && josephy_direction() && search_newton()) return true;
    if (certificate_.residual < near && places_ == places_before_ && places_step()) return true;
    if (newton_direction() && (relaxed_step() || search_newton())) return true;
    if (options_.quick) return false;
    step_ = -gradient_.cwiseQuotient(s_.cwiseProduct(s_));
    return search_gradient();
  }

  /// To the solution of  -(f + J (z - x)) in N_[l,h](z).
  bool josephy_direction() {
    if (const auto found =
            m_matrix_steps_.solve(problem_, evaluator_.jacobian(), x_, f_, deadline_, options_.tolerance)) {
      step_ = *found - x_;
      return true;
    }
    if (options_.only_m_matrices) return false;
    const std::optional<relay::Result> found =
        solve_linear(problem_, evaluator_.jacobian(), x_, f_, Eigen::VectorXd::Zero(n_), deadline_);
    if (!found) return false;
    step_ = found->z - x_;
    return true;
  }

  bool newton_direction() {
    for (const double shift : {0.0, 1e-8, 1e-4}) {  // singular: a little more of the diagonal
      scratch_ = by_x_ + shift * s_;
      if (!evaluator_.jacobian().factorize(scratch_, by_w_)) continue;
      step_ = -h_;
      evaluator_.jacobian().solve(step_);
      if (step_.allFinite()) return true;
    }
    return false;
  }

  /// Newton's step on min releases a row only where its neighbour pulls: the border of the rows at their bounds moves
  /// by one row a step. Sweeps over the linear problem move it by more, for little beside factors that are not those of
  /// a chain. Taken if the merit falls by half.
  bool relaxed_step() {
    const Jacobian& J = evaluator_.jacobian();
    if (options_.function != nonsmooth::detail::BoxFunction::Minimum || places_ == places_before_ || !J.by_cholesky() ||
        is_thin(J))
      return false;
    trial_ = x_ + step_;
    clamp(problem_, trial_);
    J.relax(problem_, x_, f_, relaxing_sweeps, trial_);
    if (!trial_.allFinite() || !evaluator_.value(trial_, trial_f_)) return false;
    return merit(trial_, trial_f_) <= 0.5 * merit_ && accept();
  }

  /// Newton on the natural map: where the places stand it is exact at the bounds. Taken if it pays.
  bool places_step() {
    for (Index i = 0; i < n_; ++i) {
      const int place = places_[static_cast<std::size_t>(i)];
      const double bound = place < 0 ? problem_.lower[i] : problem_.upper[i];
      scratch_[i] = place != 0 ? s_[i] : 0.0;
      places_w_[i] = place != 0 ? 0.0 : 1.0;
      step_[i] = place != 0 ? s_[i] * (bound - x_[i]) : -f_[i];
    }
    if (!evaluator_.jacobian().factorize(scratch_, places_w_)) return false;
    evaluator_.jacobian().solve(step_);
    trial_ = x_ + step_;
    clamp(problem_, trial_);
    for (Index i = 0; i < n_; ++i) {
      if (places_[static_cast<std::size_t>(i)] != 0)
        trial_[i] = places_[static_cast<std::size_t>(i)] < 0 ? problem_.lower[i] : problem_.upper[i];
    }
    if (!trial_.allFinite() || !evaluator_.value(trial_, trial_f_)) return false;
    return natural(trial_, trial_f_) <= 0.25 * natural(x_, f_) && accept();
  }

  /// trial := P(x + t step), where F is finite and which is not x.
  bool ask(double t) {
    trial_ = x_ + t * step_;
    clamp(problem_, trial_);
    return trial_ != x_ && trial_.allFinite() && !deadline_.passed() && evaluator_.value(trial_, trial_f_);
  }

  /// Takes the trial if J is finite there too.
  bool accept() {
    if (!evaluator_.jacobian_at(trial_, trial_f_)) {
      static_cast<void>(evaluator_.jacobian_at(x_, f_));  // as it was
      return false;
    }
    x_ = trial_;
    f_ = trial_f_;
    return true;
  }

  /// The slope of the merit along Newton's direction is -2 merit.
  bool search_newton() {
    const double reference = *std::max_element(merits_.begin(), merits_.end());
    const int most = options_.quick ? 3 : 24;
    double t = 1.0;
    for (int halving = 0; halving < most; ++halving, t *= 0.5) {
      if (ask(t) && merit(trial_, trial_f_) <= reference - 2.0 * options_.decrease * t * merit_ && accept())
        return true;
    }
    return false;
  }

  /// Along the projected path, on which the slope is that of the step taken.
  bool search_gradient() {
    double t = 1.0;
    for (int halving = 0; halving < 60; ++halving, t *= 0.5) {
      if (ask(t) && merit(trial_, trial_f_) <= merit_ + options_.decrease * gradient_.dot(trial_ - x_) && accept())
        return true;
    }
    return false;
  }

  const Problem& problem_;
  const DescentOptions& options_;
  const double data_scale_;
  const nonsmooth::detail::Deadline& deadline_;
  Evaluator& evaluator_;
  Eigen::VectorXd& x_;
  Eigen::VectorXd& f_;
  Result& result_;
  const Index n_;
  nonsmooth::detail::BoxMeasure measure_;
  const nonsmooth::detail::BoxMeasure natural_{.function = nonsmooth::detail::BoxFunction::Minimum};
  Certificate certificate_;
  Eigen::VectorXd s_{n_}, h_{n_}, by_x_{n_}, by_w_{n_}, gradient_{n_};
  Eigen::VectorXd step_{n_}, trial_{n_}, trial_f_{n_}, scratch_{n_}, places_w_{n_};
  std::vector<int> places_ = std::vector<int>(static_cast<std::size_t>(n_), 2), places_before_ = places_;
  std::deque<double> merits_;
  double merit_ = 0.0, best_merit_ = infinity;
  Index waited_ = 0;
  MMatrixSteps m_matrix_steps_;
};

}  // namespace

void descend(const Problem& problem, const DescentOptions& options, double data_scale,
             const nonsmooth::detail::Deadline& deadline, Evaluator& evaluator, Eigen::VectorXd& x, Eigen::VectorXd& f,
             Result& result) {
  Descent(problem, options, data_scale, deadline, evaluator, x, f, result).run();
}

}  // namespace nonsmooth::mcp::detail
