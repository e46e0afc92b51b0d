// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/qp/admm.hpp>

#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "polish.hpp"
#include "scaled.hpp"

namespace nonsmooth::qp {
namespace {

constexpr double relaxation = 1.6;
constexpr double proximal = 1e-6;     // sigma, of the scaled program
constexpr double stiffer = 1e3;       // rho of equations over that of the others
constexpr Index look_every = 20;      // iterations between two looks at the certificate
constexpr double least_change = 5.0;  // of rho, that is worth new factors
constexpr Index most_polishes = 30;   // refinements of sets that turned out wrong

/// Copies within bounds, their multipliers (of the sign of y: pushing up) and weights.
struct Copies {
  Eigen::VectorXd low, high, value, multiplier, rho, change;

  void resize(Index size) {
    for (Eigen::VectorXd* part : {&low, &high, &value, &multiplier, &rho, &change}) part->setZero(size);
  }
  void weigh(double base) {
    for (Index k = 0; k < low.size(); ++k) {
      const bool free = low[k] == -detail::infinity && high[k] == detail::infinity;
      rho[k] = free ? 0.0 : base * (low[k] == high[k] ? stiffer : 1.0);
    }
  }
  /// The copy and its multiplier after `now`, what the copy should equal.
  void update(const Eigen::VectorXd& now) {
    for (Index k = 0; k < low.size(); ++k) {
      if (rho[k] == 0.0) {
        value[k] = now[k];
        continue;
      }
      const double relaxed = relaxation * now[k] + (1.0 - relaxation) * value[k];
      const double moved = detail::clamp(relaxed - multiplier[k] / rho[k], low[k], high[k]);
      change[k] = rho[k] * (moved - relaxed);
      value[k] = moved;
      multiplier[k] += change[k];
    }
  }
};

template <class P>
class AdmmMethod {
 public:
  AdmmMethod(const P& problem, const Admm& options, const nonsmooth::detail::Deadline& deadline, Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(deadline),
        scaled_(problem),
        own_(scaled_.own),
        system_(own_),
        n_(problem.num_unknowns()),
        m_(problem.num_rows()) {}

  void run() {
    prepare();
    Status end = Status::IterationLimit;
    std::string_view reason = "max_iterations reached";
    while (true) {
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      if (result_.iterations == options_.max_iterations) break;
      if (stale_ && !factorize()) {
        end = Status::NumericalFailure;
        reason = "the factors of the system broke down";
        break;
      }
      iterate();
      ++result_.iterations;
      if (result_.iterations % look_every != 0 && result_.iterations != options_.max_iterations) continue;
      if (!x_.allFinite() || !t_.multiplier.allFinite()) {
        end = Status::NumericalFailure;
        reason = "numbers overflowed";
        break;
      }
      look();
      if (result_.certificate.residual <= options_.tolerance) break;
      if (result_.iterations == options_.max_iterations) break;
      refine();
      if (result_.certificate.residual <= options_.tolerance) break;
      if (prove()) return;
      adapt();
    }
    detail::conclude(options_.tolerance, end, reason, result_);
  }

 private:
  void prepare() {
    detail::certify_start(problem_, scratch_, result_);
    t_.resize(m_);
    w_.resize(n_);
    for (Index i = 0; i < m_; ++i) {
      t_.low[i] = detail::row_lower(own_, i);
      t_.high[i] = detail::row_upper(own_, i);
      t_.value[i] = detail::clamp(0.0, t_.low[i], t_.high[i]);
    }
    for (Index j = 0; j < n_; ++j) {
      w_.low[j] = detail::lower(own_, j);
      w_.high[j] = detail::upper(own_, j);
      w_.value[j] = detail::clamp(0.0, w_.low[j], w_.high[j]);
    }
    x_ = w_.value;
    step_.setZero(n_);
  }

  bool factorize() {
    t_.weigh(rho_);
    w_.weigh(rho_);
    stale_ = false;
    return system_.factorize(Eigen::VectorXd(w_.rho.array() + proximal), t_.rho.cwiseInverse());
  }

  void iterate() {
    Eigen::VectorXd f = proximal * x_ - own_.c + w_.rho.cwiseProduct(w_.value) + w_.multiplier;
    Eigen::VectorXd g(m_);
    for (Index i = 0; i < m_; ++i) g[i] = t_.rho[i] > 0.0 ? t_.value[i] + t_.multiplier[i] / t_.rho[i] : 0.0;
    system_.solve(f, g);
    // Row i of the system: (A x)_i = t_i + (y_i - y'_i) / rho_i, with y' = -g.
    Eigen::VectorXd Ax(m_);
    if (m_ > 0) Ax.noalias() = own_.A * f;
    t_.update(Ax);
    w_.update(f);
    step_ = relaxation * (f - x_);
    x_ += step_;
  }

  void look() {
    Eigen::VectorXd x = scaled_.x(w_.value), s(n_);
    for (Index j = 0; j < n_; ++j) x[j] = detail::clamp(x[j], detail::lower(problem_, j), detail::upper(problem_, j));
    now_y_ = scaled_.y(t_.multiplier);
    now_x_ = x;
    detail::keep_better(problem_, now_x_, now_y_, s, scratch_, result_);
  }

  /// The active set, if it is that of the last look and was not refined before.
  void refine() {
    std::vector<signed char> set(at(n_ + m_));
    for (Index i = 0; i < m_; ++i) set[at(i)] = sign(t_, i);
    for (Index j = 0; j < n_; ++j) set[at(m_ + j)] = sign(w_, j);
    const bool stands = set == last_set_;
    last_set_ = set;
    if (!stands || set == refined_set_ || polishes_ == most_polishes) return;
    refined_set_ = set;
    ++polishes_;
    for (Index i = 0; i < m_; ++i) {
      if (set[at(i)] == 0) now_y_[i] = 0.0;
    }
    for (Index j = 0; j < n_; ++j) {
      if (set[at(m_ + j)] == 0) continue;
      now_x_[j] = set[at(m_ + j)] > 0 ? detail::lower(problem_, j) : detail::upper(problem_, j);
    }
    detail::polish(problem_, now_x_, now_y_, scratch_, result_);
  }

  /// 1 at the lower bound, -1 at the upper one, with a multiplier that weighs; else 0.
  [[nodiscard]] static signed char sign(const Copies& copies, Index k) {
    const double push = copies.multiplier[k];
    if (copies.low[k] == copies.high[k]) return push < 0.0 ? -1 : 1;
    if (copies.value[k] == copies.low[k] && push > 0.0) return 1;
    return copies.value[k] == copies.high[k] && push < 0.0 ? -1 : 0;
  }

  bool prove() {
    if (result_.certificate.residual < 0.5 * best_) {
      best_ = result_.certificate.residual;
      waits_ = 0;
      return false;
    }
    // Later and later, as a look for a proof costs factors.
    if (++waits_ != next_proof_) return false;
    next_proof_ *= 2;
    for (const Eigen::VectorXd& candidate : {t_.change, t_.multiplier}) {
      Eigen::VectorXd proof = scaled_.y(candidate);
      if (!detail::prove_infeasible(problem_, proof, deadline_)) continue;
      nonsmooth::detail::end_infeasible("the direction in which y grows proves that no x is feasible", proof, result_);
      return true;
    }
    for (const Eigen::VectorXd& candidate : {step_, x_}) {
      Eigen::VectorXd d = scaled_.x(candidate);
      if (!detail::prove_unbounded(problem_, d, deadline_)) continue;
      detail::end_unbounded(std::move(d), result_);
      return true;
    }
    return false;
  }

  /// rho by what is behind: the primal or the dual residual, each over its own terms.
  void adapt() {
    const auto size = [](const Eigen::VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; };
    Eigen::VectorXd Ax(m_), Ay = Eigen::VectorXd::Zero(n_);
    const Eigen::VectorXd Qx = own_.Q * x_;
    if (m_ > 0) {
      Ax.noalias() = own_.A * x_;
      Ay.noalias() = own_.A.transpose() * t_.multiplier;
    }
    const double primal =
        std::max(size(Ax - t_.value), size(x_ - w_.value)) / std::max({size(Ax), size(t_.value), size(x_), 1e-12});
    const double dual = size(Qx + own_.c - Ay - w_.multiplier) /
                        std::max({size(Qx), size(own_.c), size(Ay), size(w_.multiplier), 1e-12});
    const double wanted = detail::clamp(rho_ * std::sqrt(std::max(primal, 1e-15) / std::max(dual, 1e-15)), 1e-6, 1e6);
    if (wanted < least_change * rho_ && wanted * least_change > rho_) return;
    rho_ = wanted;
    stale_ = true;
  }

  const P& problem_;
  const Admm& options_;
  Result& result_;
  const nonsmooth::detail::Deadline& deadline_;
  detail::Scaled<P> scaled_;
  const P& own_;
  detail::Quasidefinite<P> system_;
  Index n_, m_, polishes_ = 0, waits_ = 0, next_proof_ = 2;
  Copies t_, w_;
  Eigen::VectorXd x_, step_, now_x_, now_y_;
  double rho_ = 0.1, best_ = detail::infinity;
  bool stale_ = true;
  std::vector<signed char> last_set_, refined_set_;
  nonsmooth::detail::Buffer scratch_;
};

template <class P>
Result run(const P& problem, const Admm& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  result.solver = "admm";
  AdmmMethod<P>(problem, options, deadline, result).run();
  return result;
}

}  // namespace

void Admm::validate() const {
  check::positive("qp::Admm::tolerance", tolerance);
  check::at_least("qp::Admm::max_iterations", max_iterations, 1);
  nonsmooth::detail::check_time_limit("qp::Admm::time_limit", time_limit);
}

Result solve(const Problem& problem, const Admm& options) { return run(problem, options); }
Result solve(const SparseProblem& problem, const Admm& options) { return run(problem, options); }

}  // namespace nonsmooth::qp
