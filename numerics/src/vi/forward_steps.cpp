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

/// The iterate, what a step makes of it, and the memory of the acceleration.
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
        y_(run.size()),
        w_y_(run.size()),
        plain_(run.size()),
        proposal_(run.size()) {}

  [[nodiscard]] Result run() {
    for (Index k = 0;; ++k) {
      Predicted predicted = predict();
      if (predicted != Predicted::Accepted && proposed_) {  // a bad proposal never ends the solve
        t_ = kept_t_;
        proposed_ = false;
        go_back();
        predicted = predict();
      }
      switch (predicted) {
        case Predicted::Accepted:
          break;
        case Predicted::Failed:
          return run_.fail(k);
        case Predicted::NoStep:
          return run_.finish(Status::Stalled, "no step is short enough for how F varies there", k);
      }
      if (run_.observe(x_, w_, y_, t_)) return run_.finish(Status::Solved, {}, k);
      if (run_.late()) return run_.finish(Status::TimeLimit, "time_limit reached", k);
      if (k == o_.max_iterations) return run_.finish(Status::IterationLimit, "max_iterations reached", k);
      if (run_.stalled()) return run_.finish(Status::Stalled, stalled_reason, k);
      if (refused()) {
        go_back();
        continue;
      }
      if (!advance()) return run_.fail(k);
    }
  }

 private:
  enum class Predicted : unsigned char { Accepted, Failed, NoStep };

  /// y = P_K(x - t F(x)) and F(y), with a t that the rule accepts.
  [[nodiscard]] Predicted predict() {
    for (int tries = 0; tries < 200; ++tries) {
      if (!run_.project(x_ - t_ * w_, y_)) return Predicted::Failed;
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

  /// To the plain image in place of the proposal, to the y before it where F is not finite there; the acceleration
  /// rests for twice as long as the last time.
  void go_back() {
    anderson_.clear();
    rest_ = wait_;
    wait_ = std::min<Index>(2 * wait_, 1024);
    x_ = plain_;
    if (run_.evaluate(x_, w_)) return;
    x_ = kept_y_;
    w_ = kept_w_y_;
  }

  /// x and F(x) for the next iteration.
  [[nodiscard]] bool advance() {
    bool is_y = correction_ == Correction::None;
    switch (correction_) {
      case Correction::None:
        plain_ = y_;
        break;
      case Correction::Extragradient:
        if (!run_.project(x_ - t_ * w_y_, plain_)) return false;
        break;
      case Correction::Tseng:
        plain_ = y_ - t_ * (w_y_ - w_);
        break;
    }
    const bool lengthen = ratio_ < o_.growth;
    const bool proposes = anderson_.propose(x_, plain_, proposal_) && rest_ == 0;
    if (rest_ > 0) --rest_;
    if (lengthen && ratio_ > 0.0) {
      t_ /= o_.reduction;
      anderson_.clear();
    }
    if (proposes && propose()) return true;
    if (!is_y && !run_.evaluate(plain_, w_)) is_y = true;  // outside of F's domain: y is inside
    x_ = is_y ? y_ : plain_;
    if (is_y) w_ = w_y_;
    return true;
  }

  [[nodiscard]] bool propose() {
    Eigen::VectorXd inside = proposal_;
    if (correction_ != Correction::Tseng && !run_.project(proposal_, inside)) return false;
    if (!run_.evaluate(inside, proposal_)) return false;
    kept_y_ = y_;
    kept_w_y_ = w_y_;
    kept_t_ = t_;
    x_ = inside;
    w_ = proposal_;
    proposed_ = true;
    return true;
  }

  Run& run_;
  const ForwardOptions& o_;
  Correction correction_;
  Anderson anderson_;
  double t_, ratio_ = 0.0;
  double least_ = infinity;
  Index wait_ = 1, rest_ = 0;  // iterations without proposals: after the next refusal, left of the last
  bool proposed_ = false;
  Eigen::VectorXd x_, w_, y_, w_y_, plain_, proposal_;
  Eigen::VectorXd kept_y_, kept_w_y_;  // of the iteration that proposed
  double kept_t_ = 0.0;
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
