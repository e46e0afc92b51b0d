// SPDX-License-Identifier: Apache-2.0
#include "forward_steps.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "anderson.hpp"
#include "numbers.hpp"
#include "run.hpp"

namespace nonsmooth::vi::detail {
namespace {

constexpr Index first_few = 5;  // iterations before `rate` counts: the acceleration has seen nothing yet

/// The iterate, what a step makes of it, and the memory of the acceleration. A step of the projection method is taken
/// in z, of which x = P_K(z) is the iterate and x - t F(x) the next: z varies more smoothly than x where rows become
/// active, and an accelerated step asks F once.
class ForwardSteps {
 public:
  ForwardSteps(Run& run, const ForwardOptions& options, Correction correction)
      : run_(run),
        o_(options),
        correction_(correction),
        anderson_(run.size(), options.memory),
        t_(options.step > 0.0 ? options.step : run.rho()),
        x_(run.start()),
        w_(run.start_w()),
        z_(x_),
        y_(run.size()),
        w_y_(run.size()),
        plain_(run.size()),
        proposal_(run.size()),
        inside_(run.size()) {
    kept_.x.resize(run.size());
    kept_.w.resize(run.size());
  }

  [[nodiscard]] Result run() {
    double least_to_be = infinity;
    for (Index k = 0;; ++k) {
      Predicted predicted = needs_y_alone() ? predict_alone() : predict();
      if (predicted != Predicted::Accepted && proposed_) {  // a bad proposal never ends the solve
        t_ = kept_.t;
        proposed_ = false;
        go_back();
        predicted = predict();
      }
      if (predicted != Predicted::Accepted) return end(predicted, k);
      if (run_.observe(x_, w_, y_, t_)) return run_.finish(Status::Solved, {}, k);
      if (run_.late()) return run_.finish(Status::TimeLimit, "time_limit reached", k);
      if (k == o_.max_iterations) return run_.finish(Status::IterationLimit, "max_iterations reached", k);
      if (run_.stalled()) return run_.finish(Status::Stalled, stalled_reason, k);
      least_to_be = k == 0 ? run_.estimate() : k > first_few ? o_.rate * least_to_be : least_to_be;
      if (o_.rate < 1.0 && run_.best() > least_to_be) return run_.finish(Status::Stalled, "too slow to go on", k);
      if (refused()) {
        go_back();
        continue;
      }
      predicted = advance();
      if (predicted != Predicted::Accepted) return end(predicted, k);
    }
  }

 private:
  enum class Predicted : unsigned char { Accepted, Failed, NoStep };

  [[nodiscard]] Result end(Predicted how, Index k) {
    if (how == Predicted::NoStep)
      return run_.finish(Status::Stalled, "no step is short enough for how F varies there", k);
    return run_.fail(k);
  }

  /// y = P_K(x - t F(x)) and F(y), with a t that the rule accepts.
  [[nodiscard]] Predicted predict() {
    knows_w_y_ = true;
    for (int tries = 0; tries < 200; ++tries) {
      if (!project_step()) return Predicted::Failed;
      const double moved = norm_of(x_ - y_);
      const bool finite = run_.evaluate(y_, w_y_);
      ratio_ = 0.0;
      if (finite && moved <= 8.0 * eps * norm_of(x_)) return Predicted::Accepted;  // differences are rounding
      if (finite) {
        ratio_ = t_ * norm_of(w_ - w_y_) / moved;
        if (ratio_ <= o_.acceptance) return Predicted::Accepted;
      }
      t_ *= o_.reduction * (finite ? std::min(1.0, o_.acceptance / ratio_) : 1.0);
      anderson_.clear();
      if (!(t_ > 0.0)) break;
    }
    return run_.evaluate(y_, w_y_) ? Predicted::NoStep : Predicted::Failed;
  }

  /// The residual decides about a proposal; and where the projection method goes on to the next one, nobody asks for
  /// F(y). The step t has been tried where the memory began.
  [[nodiscard]] bool needs_y_alone() const {
    return correction_ == Correction::None && (proposed_ || (anderson_.begun() && rest_ == 0));
  }
  [[nodiscard]] Predicted predict_alone() {
    knows_w_y_ = false;
    ratio_ = 0.0;
    return project_step() ? Predicted::Accepted : Predicted::Failed;
  }

  /// y = P_K(x - t F(x))
  [[nodiscard]] bool project_step() {
    step_ = x_ - t_ * w_;
    return run_.project(step_, y_);
  }

  /// Whether x was proposed by the acceleration and is not as good as it must be.
  [[nodiscard]] bool refused() {
    if (!proposed_) {
      least_ = std::min(least_, run_.estimate());
      return false;
    }
    proposed_ = false;
    if (run_.estimate() <= o_.decrease * least_) {
      least_ = run_.estimate();
      wait_ = 1;
      return false;
    }
    return true;
  }

  /// To the plain image in place of the proposal, or where F is not known there to a point before it, from which
  /// predict() goes on; the acceleration rests for twice as long as the last time.
  void go_back() {
    anderson_.clear();
    rest_ = wait_;
    wait_ = std::min<Index>(2 * wait_, 1024);
    if (correction_ != Correction::None) {
      x_ = plain_;
      if (run_.evaluate(x_, w_)) return;
    }
    x_ = kept_.knows_w_y ? kept_.y : kept_.x;
    w_ = kept_.knows_w_y ? kept_.w_y : kept_.w;
    z_ = x_;
  }

  /// x and F(x) for the next iteration.
  [[nodiscard]] Predicted advance() {
    bool is_y = correction_ == Correction::None;
    switch (correction_) {
      case Correction::None:
        plain_ = step_;
        break;
      case Correction::Extragradient:
        if (!run_.project(x_ - t_ * w_y_, plain_)) return Predicted::Failed;
        break;
      case Correction::Tseng:
        plain_ = y_ - t_ * (w_y_ - w_);
        break;
    }
    const bool lengthen = ratio_ < o_.growth;
    const bool proposes = anderson_.propose(is_y ? z_ : x_, plain_, proposal_) && rest_ == 0;
    if (rest_ > 0) --rest_;
    if (lengthen && ratio_ > 0.0) {
      t_ /= o_.reduction;
      anderson_.clear();
    }
    if (proposes && propose()) return Predicted::Accepted;
    if (!knows_w_y_) {
      const Predicted predicted = predict();
      if (predicted != Predicted::Accepted) return predicted;
      plain_ = step_;
    }
    if (!is_y && !run_.evaluate(plain_, w_)) is_y = true;  // outside of F's domain: y is inside
    z_ = plain_;
    x_ = is_y ? y_ : plain_;
    if (is_y) w_ = w_y_;
    return Predicted::Accepted;
  }

  [[nodiscard]] bool propose() {
    if (correction_ == Correction::Tseng) {
      inside_ = proposal_;
    } else if (!run_.project(proposal_, inside_)) {
      return false;
    }
    if (!run_.evaluate(inside_, kept_.w)) return false;
    kept_.w.swap(w_);
    kept_.x.swap(x_);
    kept_.y = y_;
    if (knows_w_y_) kept_.w_y = w_y_;
    kept_.knows_w_y = knows_w_y_;
    kept_.t = t_;
    x_.swap(inside_);
    z_.swap(proposal_);
    proposed_ = true;
    return true;
  }

  /// Of the iteration that proposed.
  struct Kept {
    Eigen::VectorXd x, w, y, w_y;
    bool knows_w_y = true;
    double t = 0.0;
  };

  Run& run_;
  const ForwardOptions& o_;
  Correction correction_;
  Anderson anderson_;
  double t_, ratio_ = 0.0;
  double least_ = infinity;
  Index wait_ = 1, rest_ = 0;  // iterations without proposals: after the next refusal, left of the last
  bool proposed_ = false, knows_w_y_ = false;
  Eigen::VectorXd x_, w_, z_, step_, y_, w_y_, plain_, proposal_, inside_;
  Kept kept_;
};

}  // namespace

Result forward_steps(const Problem& problem, const ForwardOptions& options, Correction correction,
                     const char* start_argument, std::string_view solver) {
  Run run(problem, options.tolerance, options.time_limit, options.start, start_argument, solver);
  if (!run.ready()) return run.fail(0);
  run.show(options.on_iterate);
  return ForwardSteps(run, options, correction).run();
}

}  // namespace nonsmooth::vi::detail
