// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/semismooth_newton.hpp>

#include <algorithm>
#include <deque>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "box_function.hpp"
#include "internal.hpp"
#include "sparse_entries.hpp"
#include "sparse_partition.hpp"

namespace nonsmooth::relay {
namespace {

using Reformulation = SemismoothNewton::Reformulation;

/// The Newton system (diag(by_w) M + diag(by_z)) step = right, of either storage.
struct DenseSystem {
  using Partition = detail::Partition;
  Eigen::MatrixXd jacobian;
  nonsmooth::detail::DenseLu lu;

  void assemble(const View& problem, const Eigen::VectorXd& by_z, const Eigen::VectorXd& by_w) {
    jacobian = by_w.asDiagonal() * problem.M;
    jacobian.diagonal() += by_z;
  }
  void add_to_diagonal(const Eigen::VectorXd& d) { jacobian.diagonal() += d; }
  bool factorize() { return lu.factorize(jacobian); }
};

struct SparseSystem {
  using Partition = detail::SparsePartition;
  Eigen::SparseMatrix<double> jacobian;
  SparseLuFactors lu;

  void assemble(const SparseProblem& problem, const Eigen::VectorXd& by_z, const Eigen::VectorXd& by_w) {
    jacobian = by_w.asDiagonal() * problem.M;
    add_to_diagonal(by_z);
  }
  void add_to_diagonal(const Eigen::VectorXd& d) {
    Eigen::SparseMatrix<double> diagonal(d.size(), d.size());
    diagonal.setIdentity();
    diagonal.diagonal() = d;
    jacobian += diagonal;
  }
  bool factorize() { return lu.compute(jacobian); }
};

/// One run: the iterate (z, w), the rows H of the reformulation there and the memory that steps work in.
template <class P, class System>
class SemismoothIteration {
 public:
  SemismoothIteration(const P& problem, const SemismoothNewton& options, Result& result)
      : problem_(problem), options_(options), result_(result) {
    result.solver = options.reformulation == Reformulation::Minimum ? "semismooth newton on min" : "semismooth newton";
    detail::row_scales(problem, s_);
    z_.setZero();
    detail::clamp(problem, z_);
    update_w();
  }

  void run() {
    Status end = Status::IterationLimit;
    std::string_view reason = "max_steps reached";
    for (result_.iterations = 0;; ++result_.iterations) {
      if (keep(z_) || solve_places()) break;
      if (result_.iterations >= options_.max_steps) break;
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      linearise();
      if (!move()) {
        end = Status::Stalled;
        reason = "no descent: a stationary point of the merit function, or round-off";
        break;
      }
      z_ = trial_;
      update_w();
    }
    detail::conclude(problem_, options_.tolerance, result_, end, reason);
  }

 private:
  void update_w() {
    w_ = problem_.q;
    w_.noalias() += problem_.M * z_;
  }

  /// The better of result.z and the candidate, put within its bounds; true once it is within the tolerance.
  bool keep(const Eigen::VectorXd& candidate) {
    trial_ = candidate;
    detail::clamp(problem_, trial_);
    detail::keep_better(problem_, trial_, scratch_, result_);
    return result_.certificate.residual <= options_.tolerance;
  }

  /// Where z - w/s lies in the same places twice: their solution. True once that is within the tolerance.
  bool solve_places() {
    for (Index i = 0; i < n_; ++i) {
      const double target = z_[i] - w_[i] / s_[i];
      places_[static_cast<std::size_t>(i)] = target <= problem_.lower[i]   ? detail::Place::Lower
                                             : target >= problem_.upper[i] ? detail::Place::Upper
                                                                           : detail::Place::Between;
    }
    if (places_ == places_before_ && partition_.solve(places_, trial_w_, scratch_) && keep(trial_w_)) return true;
    places_before_ = places_;
    return false;
  }

  [[nodiscard]] nonsmooth::detail::BoxRow row(Index i, double z, double w) const {
    return nonsmooth::detail::box_row(measure_, s_[i], z, w, problem_.lower[i], problem_.upper[i]);
  }

  /// H, its derivatives by z and w, and the gradient of the merit function.
  void linearise() {
    for (Index i = 0; i < n_; ++i) {
      const nonsmooth::detail::BoxRow at = row(i, z_[i], w_[i]);
      h_[i] = at.value;
      by_z_[i] = at.by_z * s_[i];
      by_w_[i] = at.by_w;
    }
    scratch_ = by_w_.cwiseProduct(h_);
    gradient_.noalias() = problem_.M.transpose() * scratch_;
    gradient_ += by_z_.cwiseProduct(h_);
    merits_.push_back(0.5 * h_.squaredNorm());
    if (static_cast<Index>(merits_.size()) > options_.memory) merits_.pop_front();
  }

  /// To a trial point that passes the line search: along Newton's step where that descends, else down the gradient.
  bool move() {
    if (newton_direction() && search_along_step()) return true;
    step_ = -gradient_.cwiseQuotient(s_.cwiseProduct(s_));
    return search_along_step();
  }

  bool newton_direction() {
    system_.assemble(problem_, by_z_, by_w_);
    bool regular = system_.factorize();
    if (!regular) {  // singular: sqrt(eps) more of the diagonal
      system_.add_to_diagonal(1e-8 * s_);
      regular = system_.factorize();
    }
    if (!regular) return false;
    step_ = -h_;
    system_.lu.solve_in_place(step_);
    return step_.allFinite() && gradient_.dot(step_) <= -1e-12 * gradient_.norm() * step_.norm();
  }

  bool search_along_step() {
    const double reference = *std::max_element(merits_.begin(), merits_.end());
    const double slope = gradient_.dot(step_);
    product_.noalias() = problem_.M * step_;
    double t = 1.0;
    for (int halving = 0; halving < 50; ++halving, t *= 0.5) {
      trial_ = z_ + t * step_;
      trial_w_ = w_ + t * product_;
      if (merit(trial_, trial_w_) <= reference + options_.decrease * t * slope && trial_ != z_) return true;
    }
    return false;
  }

  [[nodiscard]] double merit(const Eigen::VectorXd& z, const Eigen::VectorXd& w) const {
    double sum = 0.0;
    for (Index i = 0; i < n_; ++i) {
      const double value = row(i, z[i], w[i]).value;
      sum += value * value;
    }
    return 0.5 * sum;
  }

  const P& problem_;
  const SemismoothNewton& options_;
  Result& result_;
  const nonsmooth::detail::BoxMeasure measure_{options_.reformulation == Reformulation::Minimum
                                                   ? nonsmooth::detail::BoxFunction::Minimum
                                                   : nonsmooth::detail::BoxFunction::FischerBurmeister};
  const Index n_ = problem_.q.size();
  const nonsmooth::detail::Deadline deadline_{options_.time_limit};
  typename System::Partition partition_{problem_};
  System system_;
  Eigen::VectorXd s_{n_}, z_{n_}, w_{n_};
  Eigen::VectorXd h_{n_}, by_z_{n_}, by_w_{n_}, gradient_{n_};
  Eigen::VectorXd step_{n_}, product_{n_}, trial_{n_}, trial_w_{n_}, scratch_{n_};
  detail::Places places_ = detail::Places(static_cast<std::size_t>(n_)), places_before_;
  std::deque<double> merits_;
};

void run(const View& problem, const SemismoothNewton& options, Result& result) {
  SemismoothIteration<View, DenseSystem>(problem, options, result).run();
}

}  // namespace

void SemismoothNewton::validate() const {
  check::positive("relay::SemismoothNewton::tolerance", tolerance);
  check::at_least("relay::SemismoothNewton::max_steps", max_steps, 1);
  check::positive("relay::SemismoothNewton::decrease", decrease);
  check::range("relay::SemismoothNewton::decrease", decrease, 0.0, 0.5);
  check::at_least("relay::SemismoothNewton::memory", memory, 1);
  nonsmooth::detail::check_time_limit("relay::SemismoothNewton::time_limit", time_limit);
  if (reformulation != Reformulation::FischerBurmeister && reformulation != Reformulation::Minimum) {
    throw InvalidArgument("relay::SemismoothNewton::reformulation", "an unknown value", "one of the enumeration");
  }
}

void detail::semismooth_newton(const View& problem, double tolerance, Index max_steps, double time_limit,
                               Result& result) {
  result = Result();
  SemismoothNewton options;
  options.tolerance = tolerance;
  if (max_steps > 0) options.max_steps = max_steps;
  options.time_limit = time_limit;
  run(problem, options, result);
}

Result solve(const Problem& problem, const SemismoothNewton& options) {
  problem.validate();
  options.validate();
  Result result;
  run(detail::view(problem), options, result);
  return result;
}

Result solve(const SparseProblem& problem, const SemismoothNewton& options) {
  problem.validate();
  options.validate();
  Result result;
  SemismoothIteration<SparseProblem, SparseSystem>(problem, options, result).run();
  return result;
}

}  // namespace nonsmooth::relay
