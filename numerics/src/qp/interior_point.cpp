// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/qp/interior_point.hpp>

#include <type_traits>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "exchange_sets.hpp"
#include "polish.hpp"
#include "portfolio.hpp"
#include "scaled.hpp"

namespace nonsmooth::qp {
namespace {

using Vector = Eigen::VectorXd;

// rho and delta of the scaled program: sqrt(eps), so that factors keep half; and, where it stalls, one for rows so
// nearly dependent that the first hides them: n second differences in a row have squared singular values from 1 / n^4.
constexpr double newton_regularisation = 1e-8, least_newton_regularisation = 1e-13;
constexpr double to_the_border = 0.995;  // of the step that would meet a bound
constexpr Index patience = 15;           // steps without a better answer or nearer to one
constexpr Index long_patience = 60;      // of the least regularisation: multipliers of 1e4 grow by some 15% a step
// So many short steps in a row, in each of which the multipliers grow, tell that these have decades to grow, by some
// 15% a step. From above they fall by decades a step: from 1e10 on, for a few steps, with the least regularisation.
constexpr Index short_steps = 3, heavy_steps = 25;
constexpr double short_step = 0.3, heavy = 1e10;
constexpr Index most_exchanges = 12;  // of active sets before the first step
constexpr Index proof_every = 4;      // steps between two looks for a proof, while answers get no better

/// Bounds that no interior point is between, in doubles: equal, or so near that a quarter of their distance rounds
/// away.
bool have_no_inside(double low, double high) {
  const double quarter = 0.25 * (high - low);
  return low == high || low + quarter == low || high - quarter == high;
}

/// Values v between bounds, their distances to these and the multipliers of these; without a finite bound: 0 forever.
struct Between {
  Vector low, high, v, to_low, to_high, z_low, z_high;
  Vector dv, dz_low, dz_high, target_low, target_high;  // of a step; targets of z_low to_low, less what is there

  void resize(Index size) {
    for (Vector* part :
         {&low, &high, &v, &to_low, &to_high, &z_low, &z_high, &dv, &dz_low, &dz_high, &target_low, &target_high})
      part->setZero(size);
  }
  [[nodiscard]] bool has_low(Index k) const { return std::isfinite(low[k]); }
  [[nodiscard]] bool has_high(Index k) const { return std::isfinite(high[k]); }

  /// v at the nearest point that is `margin`, or a quarter of the width, inside; multipliers `z`.
  void start(double margin, double z) {
    for (Index k = 0; k < v.size(); ++k) {
      const double inside = std::min(margin, 0.25 * (high[k] - low[k]));
      v[k] = detail::clamp(v[k], low[k] + inside, high[k] - inside);
      if (has_low(k)) {
        to_low[k] = v[k] - low[k];
        z_low[k] = z;
      }
      if (has_high(k)) {
        to_high[k] = high[k] - v[k];
        z_high[k] = z;
      }
    }
  }
  [[nodiscard]] double theta(Index k) const {
    return (has_low(k) ? z_low[k] / to_low[k] : 0.0) + (has_high(k) ? z_high[k] / to_high[k] : 0.0);
  }
  [[nodiscard]] double push(Index k) const {  // what the targets add to the right-hand side of dv
    return (has_low(k) ? target_low[k] / to_low[k] : 0.0) - (has_high(k) ? target_high[k] / to_high[k] : 0.0);
  }
  [[nodiscard]] double products() const { return z_low.dot(to_low) + z_high.dot(to_high); }
  [[nodiscard]] Index count() const {
    Index pairs = 0;
    for (Index k = 0; k < v.size(); ++k) pairs += Index(has_low(k)) + Index(has_high(k));
    return pairs;
  }
  /// Targets mu - z d, of the corrector less what the last step's dz dv leave.
  void aim(double mu, bool correct) {
    for (Index k = 0; k < v.size(); ++k) {
      if (has_low(k)) target_low[k] = mu - z_low[k] * to_low[k] - (correct ? dz_low[k] * dv[k] : 0.0);
      if (has_high(k)) target_high[k] = mu - z_high[k] * to_high[k] + (correct ? dz_high[k] * dv[k] : 0.0);
    }
  }
  void multiplier_steps() {
    for (Index k = 0; k < v.size(); ++k) {
      if (has_low(k)) dz_low[k] = (target_low[k] - z_low[k] * dv[k]) / to_low[k];
      if (has_high(k)) dz_high[k] = (target_high[k] + z_high[k] * dv[k]) / to_high[k];
    }
  }
  /// The longest step that keeps all distances, or all multipliers, from being negative.
  [[nodiscard]] double longest(bool of_values) const {
    double t = detail::infinity;
    const auto look = [&t](double value, double change) {
      if (change < 0.0) t = std::min(t, -value / change);
    };
    for (Index k = 0; k < v.size(); ++k) {
      if (has_low(k)) of_values ? look(to_low[k], dv[k]) : look(z_low[k], dz_low[k]);
      if (has_high(k)) of_values ? look(to_high[k], -dv[k]) : look(z_high[k], dz_high[k]);
    }
    return t;
  }
  [[nodiscard]] double products_after(double t, double u) const {
    double sum = 0.0;
    for (Index k = 0; k < v.size(); ++k) {
      if (has_low(k)) sum += (to_low[k] + t * dv[k]) * (z_low[k] + u * dz_low[k]);
      if (has_high(k)) sum += (to_high[k] - t * dv[k]) * (z_high[k] + u * dz_high[k]);
    }
    return sum;
  }
  void move(double t, double u) {
    v += t * dv;
    for (Index k = 0; k < v.size(); ++k) {
      if (has_low(k)) {
        to_low[k] += t * dv[k];
        z_low[k] += u * dz_low[k];
      }
      if (has_high(k)) {
        to_high[k] -= t * dv[k];
        z_high[k] += u * dz_high[k];
      }
    }
  }
};

template <class P>
class Method {
 public:
  Method(const P& problem, const InteriorPoint& options, const nonsmooth::detail::Deadline& deadline, Result& result,
         double unit = 1.0, double regularisation = newton_regularisation)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(deadline),
        scaled_(problem, {}, unit),
        own_(scaled_.own),
        system_(own_),
        regularisation_(regularisation),
        n_(problem.num_unknowns()),
        m_(problem.num_rows()),
        most_(options.max_steps) {}

  [[nodiscard]] double large_unit() const { return scaled_.large_unit(); }

  /// The first attempt, up to where its steps are short.
  void begin() {
    prepare();
    detail::certify_start(problem_, scratch_, result_);
    if (exchange()) {
      detail::conclude(options_.tolerance, Status::Stalled, {}, result_);
      return;
    }
    pauses_ = true;
    iterate(start());
    pauses_ = false;
  }

  /// From multipliers of this size on, for so many steps at most.
  void run(double multiplier, Index most) {
    most_ = std::min(most, options_.max_steps - result_.iterations) + result_.iterations;
    prepare();
    detail::certify_start(problem_, scratch_, result_);
    iterate(start(multiplier));
  }

  [[nodiscard]] bool paused() const noexcept { return paused_; }
  void go_on() {
    paused_ = false;
    iterate(true);
  }

 private:
  void iterate(bool started) {
    Status end = Status::IterationLimit;
    std::string_view reason = "max_steps reached";
    if (!started) {
      end = Status::NumericalFailure;
      reason = "the factors of the first system broke down";
    }
    while (end == Status::IterationLimit) {
      if (look(end, reason)) break;
      if (result_.iterations >= most_) break;
      if (pauses_ && short_ == short_steps) {
        paused_ = true;
        return;
      }
      if (!step()) {
        end = Status::Stalled;
        reason = "the Newton system broke down";
        break;
      }
      ++result_.iterations;
    }
    if (ended_) return;
    if (end == Status::Stalled && prove()) return;
    if (end == Status::Stalled && snapped_x_.size() == n_)
      detail::polish(problem_, snapped_x_, snapped_y_, scratch_, result_);
    detail::conclude(options_.tolerance, end, reason, result_);
  }

  void prepare() {
    x_.resize(n_);
    t_.resize(m_);
    fixed_.setZero(n_);
    equation_.setZero(m_);
    free_row_.setZero(m_);
    y_.setZero(m_);
    for (Index j = 0; j < n_; ++j) {
      x_.low[j] = detail::lower(own_, j);
      x_.high[j] = detail::upper(own_, j);
      if (!have_no_inside(x_.low[j], x_.high[j])) continue;
      fixed_[j] = 1.0;
      has_fixed_ = true;
      x_.v[j] = x_.low[j];
      x_.low[j] = -detail::infinity;
      x_.high[j] = detail::infinity;
    }
    Vector entries = Vector::Zero(m_);
    for (Index j = 0; j < n_; ++j)
      detail::column(own_.A, j, [&](Index i, double value) { entries[i] = std::max(entries[i], std::abs(value)); });
    for (Index i = 0; i < m_; ++i) {
      t_.low[i] = detail::row_lower(own_, i);
      t_.high[i] = detail::row_upper(own_, i);
      if (entries[i] == 0.0 && t_.low[i] <= 0.0 && t_.high[i] >= 0.0) {  // holds whatever x is: no multiplier
        t_.low[i] = -detail::infinity;
        t_.high[i] = detail::infinity;
      }
      free_row_[i] = t_.low[i] == -detail::infinity && t_.high[i] == detail::infinity;
      if (!have_no_inside(t_.low[i], t_.high[i])) continue;
      equation_[i] = 1.0;
      t_.v[i] = t_.low[i];
      t_.low[i] = -detail::infinity;
      t_.high[i] = detail::infinity;
    }
    pairs_ = x_.count() + t_.count();
  }

  /// Whether large steps from one active set to the next arrive; of sparse programs.
  bool exchange() {
    if constexpr (std::is_same_v<P, SparseProblem>) {
      const Index most = std::min(most_exchanges, options_.max_steps);
      return detail::exchange_sets(problem_, scaled_, system_, options_.tolerance, most, deadline_, scratch_, result_);
    }
    return false;
  }

  /// x and y from one linear system, t = A x, all moved inside their bounds.
  bool start(double multiplier = 1.0) {
    Vector p = Vector::Ones(n_), r = Vector::Ones(m_);
    for (Index j = 0; j < n_; ++j) {
      if (fixed_[j] != 0.0) p[j] = detail::infinity;
    }
    for (Index i = 0; i < m_; ++i)
      r[i] = free_row_[i] != 0.0 ? detail::infinity : equation_[i] != 0.0 ? regularisation_ : 1.0;
    if (!system_.factorize(p, r)) return false;
    Vector f = -own_.c, g(m_);
    if (has_fixed_) f -= own_.Q * x_.v;
    for (Index i = 0; i < m_; ++i) g[i] = equation_[i] != 0.0 ? t_.v[i] : detail::clamp(0.0, t_.low[i], t_.high[i]);
    if (m_ > 0 && has_fixed_) g -= own_.A * x_.v;
    system_.solve(f, g);
    x_.v += f;
    y_ = -g;
    const double size = std::max(1.0, 0.1 * x_.v.cwiseAbs().maxCoeff());
    x_.start(size, multiplier);
    if (m_ == 0) return x_.v.allFinite();
    const Vector Ax = own_.A * x_.v;
    for (Index i = 0; i < m_; ++i) {
      if (equation_[i] == 0.0) t_.v[i] = Ax[i];
    }
    t_.start(size, multiplier);
    for (Index i = 0; i < m_; ++i) {
      if (equation_[i] == 0.0) y_[i] = t_.z_low[i] - t_.z_high[i];
    }
    return x_.v.allFinite() && y_.allFinite();
  }

  /// Certifies the iterate; true if the method ends here.
  bool look(Status& end, std::string_view& reason) {
    Vector y = y_;
    for (Index i = 0; i < m_; ++i) {
      if (equation_[i] == 0.0) y[i] = t_.z_low[i] - t_.z_high[i];
    }
    Vector x = scaled_.x(x_.v);
    for (Index j = 0; j < n_; ++j) x[j] = detail::clamp(x[j], detail::lower(problem_, j), detail::upper(problem_, j));
    y = scaled_.y(y);
    if (!x.allFinite() || !y.allFinite()) {
      end = Status::Stalled;
      reason = "the iterates leave the range of double";
      return true;
    }
    Vector s(n_);
    detail::keep_better(problem_, x, y, s, scratch_, result_);
    snap(x, y);
    snapped_x_ = x;
    snapped_y_ = y;
    detail::keep_better(problem_, x, y, s, scratch_, result_);
    if (result_.certificate.residual <= options_.tolerance) return true;
    if (deadline_.passed()) {
      end = Status::TimeLimit;
      reason = "time_limit reached";
      return true;
    }
    const bool better = result_.certificate.residual < 0.9 * best_, nearer = merit_ < 0.9 * best_merit_;
    if (better) best_ = result_.certificate.residual;
    if (nearer) best_merit_ = merit_;
    if (better || nearer) last_better_ = result_.iterations;
    const Index idle = result_.iterations - last_better_;
    if (idle > 0 && idle % proof_every == 0 && prove()) {
      ended_ = true;
      return true;
    }
    const bool patient = regularisation_ < newton_regularisation;
    if (idle < (patient ? long_patience : patience)) return false;
    end = Status::Stalled;
    reason = patient ? "no better answer in 60 steps" : "no better answer in 15 steps";
    return true;
  }

  /// x at its bound, y 0, where the other of the pair is larger: in units of the scaled program.
  void snap(Vector& x, Vector& y) const {
    for (Index j = 0; j < n_; ++j) {
      if (x_.has_low(j) && x_.z_low[j] > x_.to_low[j]) x[j] = problem_.lower[j];
      if (x_.has_high(j) && x_.z_high[j] > x_.to_high[j]) x[j] = problem_.upper[j];
    }
    for (Index i = 0; i < m_; ++i) {
      const bool low = t_.has_low(i) && t_.z_low[i] > t_.to_low[i],
                 high = t_.has_high(i) && t_.z_high[i] > t_.to_high[i];
      if (equation_[i] == 0.0 && !low && !high) y[i] = 0.0;
    }
  }

  /// False where the factors break down, at proximal points much nearer too.
  bool factorize() {
    Vector p(n_), r(m_);
    for (const double shift : {regularisation_, 1e2 * regularisation_, 1e4 * regularisation_}) {
      for (Index j = 0; j < n_; ++j) p[j] = fixed_[j] != 0.0 ? detail::infinity : x_.theta(j) + shift;
      for (Index i = 0; i < m_; ++i) {
        r[i] = free_row_[i] != 0.0 ? detail::infinity : equation_[i] != 0.0 ? shift : 1.0 / t_.theta(i) + shift;
      }
      if (system_.factorize(p, r)) return true;
    }
    return false;
  }

  bool step() {
    if (!factorize()) return false;
    slope_ = own_.Q * x_.v + own_.c - x_.z_low + x_.z_high;
    if (m_ > 0) {
      slope_.noalias() -= own_.A.transpose() * y_;
      off_ = own_.A * x_.v - t_.v;
    } else {
      off_.resize(0);
    }
    const double mu = pairs_ > 0 ? (x_.products() + t_.products()) / double(pairs_) : 0.0;
    merit_ = mu + (fixed_.array() == 0.0).select(slope_, 0.0).lpNorm<Eigen::Infinity>() +
             (m_ > 0 ? off_.lpNorm<Eigen::Infinity>() : 0.0);
    direction(0.0, false);
    if (pairs_ > 0) {
      const auto [t, u] = lengths(1.0);
      const double after = (x_.products_after(t, u) + t_.products_after(t, u)) / double(pairs_);
      const double part = after > 0.0 && mu > 0.0 ? std::min(1.0, std::pow(after / mu, 3)) : 0.0;
      direction(part * mu, true);
    }
    const auto [t, u] = lengths(to_the_border);
    if (!x_.dv.allFinite() || !dy_.allFinite()) return false;
    x_.move(t, u);
    t_.move(t, u);
    const double size = m_ > 0 ? y_.cwiseAbs().maxCoeff() : 0.0;
    y_ += u * dy_;
    short_ = m_ > 0 && t < short_step && y_.cwiseAbs().maxCoeff() > size ? short_ + 1 : 0;
    dx_ = x_.dv;
    return true;
  }

  /// Newton's step towards products of mu.
  void direction(double mu, bool correct) {
    x_.aim(mu, correct);
    t_.aim(mu, correct);
    Vector f = -slope_, g = -off_, of_t = Vector::Zero(m_);
    for (Index j = 0; j < n_; ++j) f[j] += x_.push(j);
    for (Index i = 0; i < m_; ++i) {
      if (equation_[i] != 0.0 || free_row_[i] != 0.0) continue;
      of_t[i] = -(y_[i] - t_.z_low[i] + t_.z_high[i]) + t_.push(i);
      g[i] += of_t[i] / t_.theta(i);
    }
    system_.solve(f, g);
    x_.dv = f;
    dy_ = -g;
    for (Index i = 0; i < m_; ++i) {
      const bool inequality = equation_[i] == 0.0 && free_row_[i] == 0.0;
      t_.dv[i] = inequality ? (of_t[i] - dy_[i]) / t_.theta(i) : 0.0;
    }
    x_.multiplier_steps();
    t_.multiplier_steps();
  }

  /// Of x and t, and of multipliers: the same where Q is there, as both are in the slope.
  [[nodiscard]] std::pair<double, double> lengths(double part) const {
    const double t = std::min(1.0, part * std::min(x_.longest(true), t_.longest(true)));
    const double u = std::min(1.0, part * std::min(x_.longest(false), t_.longest(false)));
    if (own_.Q.nonZeros() == 0 || detail::largest_diagonal(own_) == 0.0) return {t, u};
    return {std::min(t, u), std::min(t, u)};
  }

  bool prove() {
    Vector y = y_;
    for (Index i = 0; i < m_; ++i) {
      if (equation_[i] == 0.0) y[i] = t_.z_low[i] - t_.z_high[i];
    }
    Vector proof = scaled_.y(y);
    if (detail::prove_infeasible(problem_, proof, deadline_)) {
      nonsmooth::detail::end_infeasible("the direction in which y grows proves that no x is feasible", proof, result_);
      return true;
    }
    for (const Vector& candidate : {dx_, x_.v}) {
      if (candidate.size() != n_) continue;
      Vector d = scaled_.x(candidate);
      if (!detail::prove_unbounded(problem_, d, deadline_)) continue;
      detail::end_unbounded(std::move(d), result_);
      return true;
    }
    return false;
  }

  const P& problem_;
  const InteriorPoint& options_;
  Result& result_;
  const nonsmooth::detail::Deadline& deadline_;
  detail::Scaled<P> scaled_;
  const P& own_;
  detail::Quasidefinite<P> system_;
  double regularisation_;
  Index n_, m_, most_, pairs_ = 0, last_better_ = 0;
  Index short_ = 0;  // steps in a row, in which y grew
  bool pauses_ = false, paused_ = false;
  Between x_, t_;
  Vector snapped_x_, snapped_y_;  // the last iterate's active set
  Vector y_, dy_, dx_, slope_, off_, fixed_, equation_, free_row_;
  double best_ = detail::infinity;
  // Of the scaled program, before the last step: products, slopes and rows. While it falls the certificate may rest, as
  // where multipliers have far to grow.
  double merit_ = detail::infinity, best_merit_ = detail::infinity;
  bool ended_ = false, has_fixed_ = false;
  nonsmooth::detail::Buffer scratch_;
};

template <class P>
Result run(const P& problem, const InteriorPoint& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  result.solver = "interior point";
  Method<P> method(problem, options, deadline, result);
  method.begin();
  const auto again = [&](double unit, double regularisation, double multiplier, Index most) {
    Result other;
    other.solver = result.solver;
    other.iterations = result.iterations;
    Method<P>(problem, options, deadline, other, unit, regularisation).run(multiplier, most);
    const Index iterations = other.iterations;
    if (other.ok() || other.status == Status::Infeasible ||
        nonsmooth::detail::is_better(other.certificate.residual, result.certificate.residual))
      result = std::move(other);
    result.iterations = iterations;
  };
  if (method.paused()) {
    again(1.0, least_newton_regularisation, heavy, heavy_steps);
    if (result.ok() || result.status == Status::Infeasible) return result;
    method.go_on();
  }
  const auto is_open = [&] {
    const bool open = result.status == Status::Stalled || result.status == Status::NumericalFailure;
    return open && result.iterations < options.max_steps && !deadline.passed();
  };
  const double unit = method.large_unit();
  if (unit != 1.0 && is_open()) again(unit, newton_regularisation, 1.0, options.max_steps);
  if (!result.at_round_off && is_open()) again(1.0, least_newton_regularisation, 1.0, options.max_steps);
  return result;
}

}  // namespace

void InteriorPoint::validate() const {
  check::positive("qp::InteriorPoint::tolerance", tolerance);
  check::at_least("qp::InteriorPoint::max_steps", max_steps, 1);
  nonsmooth::detail::check_time_limit("qp::InteriorPoint::time_limit", time_limit);
}

Result solve(const Problem& problem, const InteriorPoint& options) { return run(problem, options); }
Result solve(const SparseProblem& problem, const InteriorPoint& options) { return run(problem, options); }

}  // namespace nonsmooth::qp
