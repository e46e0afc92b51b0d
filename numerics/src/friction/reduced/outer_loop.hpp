// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the fixed points x = G(x) around inner problems share: Tresca, Haslinger, Panagiotopoulos, ConeRelaxation.

#include <algorithm>
#include <limits>

#include "convex_inner.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction::internal {

/// How exactly inner problems are solved: to a tenth of the error of the iterate that they start from, more does not
/// pay at first; ten times more exactly where the error has found no new least value in twenty outer iterations, and
/// each time that an inner solver found nothing to do, there until it does.
class InnerAccuracy {
 public:
  /// The absolute tolerance [unit of q].
  [[nodiscard]] double tolerance(Monitor& monitor, const Eigen::VectorXd& r, const Eigen::VectorXd& u) const {
    return share_ * monitor.certificate_residual(r, u) * monitor.scale();
  }
  /// False where inner problems cannot be solved more exactly.
  [[nodiscard]] bool learn(const Monitor& monitor, Index inner_iterations, bool ok) {
    if (monitor.best() < 0.9 * best_) {
      best_ = monitor.best();
      since_ = 0;
    } else if (++since_ == 20) {
      usual_ = std::max(0.1 * usual_, 1e-6);
      since_ = 0;
    }
    share_ = inner_iterations > 0 ? std::min(10.0 * share_, usual_) : 0.1 * share_;
    return inner_iterations > 0 || (ok && share_ > 1e-12);
  }

 private:
  double usual_ = 0.1, share_ = 0.1, best_ = std::numeric_limits<double>::infinity();
  Index since_ = 0;
};

/// Chooses the next x: `accelerate(x, f)` where the last step did not double |f|, f = G(x) - x, else the plain step
/// from the best x.
class Safeguard {
 public:
  /// `restart` is called where the history of the acceleration is dropped.
  template <class Accelerate, class Restart>
  [[nodiscard]] Eigen::VectorXd next(const Eigen::VectorXd& x, const Eigen::VectorXd& f, Accelerate accelerate,
                                     Restart restart) {
    const double size = f.norm();
    if (accelerated_ && !(size <= 2.0 * size_)) {
      accelerated_ = false;
      restart();
      return x_ + f_;
    }
    if (!accelerated_ || size < size_) {
      x_ = x;
      f_ = f;
      size_ = size;
    }
    accelerated_ = true;
    return accelerate(x, f);
  }

 private:
  Eigen::VectorXd x_, f_;
  double size_ = 0.0;
  bool accelerated_ = false;
};

}  // namespace nonsmooth::friction::internal
