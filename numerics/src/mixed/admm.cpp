// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/admm.hpp>

#include <cmath>
#include <string>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "admm_method.hpp"
#include "canonical.hpp"
#include "internal.hpp"
#include "newton_system.hpp"

namespace nonsmooth::mixed {
namespace {

/// Keeps the best iterate by its certificate, and ends where that allows it, at round-off and at the deadline.
class Watch {
 public:
  Watch(const Problem& problem, const Admm& options, Result& result)
      : problem_(problem), options_(options), result_(result), deadline_(options.time_limit) {
    scratch_.resize(problem.W.rows());
  }

  [[nodiscard]] bool observe(ConstVectorRef z, ConstVectorRef) {
    if (!z.allFinite()) return false;
    const Certificate certificate = certify(problem_, z, scratch_);
    last_ = certificate.residual;
    if (last_ < result_.certificate.residual || std::isnan(result_.certificate.residual)) {
      result_.r = z;
      result_.u = scratch_;
      result_.certificate = certificate;
    }
    if (result_.certificate.residual <= options_.tolerance) {
      status_ = Status::Solved;
    } else if (result_.certificate.error <= result_.certificate.round_off && ++at_round_off_ > 10) {
      status_ = Status::Stalled;
      reason_ = "at round-off";
    } else if (deadline_.passed()) {
      status_ = Status::TimeLimit;
      reason_ = "time_limit reached";
    }
    return status_ != Status::NotRun;
  }
  [[nodiscard]] double last() const noexcept { return last_; }

  void finish(Status otherwise, std::string_view reason) {
    const bool ended = status_ != Status::NotRun;
    internal::conclude(problem_, options_.tolerance, result_, ended ? status_ : otherwise, ended ? reason_ : reason);
  }

 private:
  const Problem& problem_;
  const Admm& options_;
  Result& result_;
  detail::Deadline deadline_;
  Eigen::VectorXd scratch_;
  double last_ = 0.0;
  Index at_round_off_ = 0;
  Status status_ = Status::NotRun;
  std::string_view reason_;
};

}  // namespace

void Admm::validate() const {
  check::positive("mixed::Admm::tolerance", tolerance);
  check::at_least("mixed::Admm::max_iterations", max_iterations, 1);
  check::positive("mixed::Admm::penalty", penalty);
  if (!(relaxation > 0.0 && relaxation < 2.0))
    throw InvalidArgument("mixed::Admm::relaxation", std::to_string(relaxation), "a number in (0, 2)");
  check::at_least("mixed::Admm::max_refactorizations", max_refactorizations, 0);
  check::within("mixed::Admm::memory", memory, 0, check::most_iterates);
  detail::check_time_limit("mixed::Admm::time_limit", time_limit);
}

Result solve(const Problem& problem, const Admm& options) {
  problem.validate();
  options.validate();
  if (!problem.K.is_canonical()) return internal::solve_canonical(problem, options);
  Result result;
  internal::begin(problem, "admm", result);
  internal::set_start(problem, "mixed::Admm::start", options.start, result);
  Watch watch(problem, options, result);
  internal::AdmmMemory memory;
  internal::AdmmMethod<Watch>(problem, options, memory, watch, result).run();
  internal::note_round_off(problem, result);
  return result;
}

}  // namespace nonsmooth::mixed
