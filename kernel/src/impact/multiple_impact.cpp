// SPDX-License-Identifier: Apache-2.0
#include "multiple_impact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <internal/round_off.hpp>

namespace nonsmooth::impacts {
namespace {

constexpr Index most_steps = 1'000'000;
constexpr double local_errors[] = {1e-12, 1e-13, 1e-14};  // of the problem's scales: the next where energy is lost
constexpr double energy_tolerance = 1e-9;
// Of the terms of velocities, of the scales of indentations: what round-off may do to them.
constexpr double band = 64.0 * eps;
// Margins in bands: a contact that is left alone, where its change is located, one that changes along with another.
constexpr double stays = -1.0, changes_at = -0.5, located_to = 0.125, changes_along = -0.25;

/// What both ways of marching share.
struct Contacts {
  explicit Contacts(const ImpactProblem& problem)
      : n(problem.u_minus.size()), stiffness(n), exponent(n), restitution(n), W(n, n), v(n) {
    rows.resize(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      const ImpactContact& contact = problem.contacts[static_cast<std::size_t>(i)];
      rows[static_cast<std::size_t>(i)] = contact.first;
      stiffness[i] = contact.stiffness;
      exponent[i] = contact.exponent;
      restitution[i] = contact.restitution;
    }
    W = problem.W(rows, rows);
    v = problem.u_minus(rows);
    if ((exponent.array() == exponent[0]).all()) stiffness /= stiffness.maxCoeff();
    speed = v.cwiseAbs().maxCoeff();
    const double inverse_mass = W.diagonal().maxCoeff();
    mass = inverse_mass > 0.0 ? 1.0 / inverse_mass : 1.0;
    energy = 0.5 * mass * speed * speed;
  }

  /// Everything in the order of the problem's rows.
  void finish(const ImpactProblem& problem, const Eigen::VectorXd& p, ImpactResult& result) const {
    result.p.setZero(n);
    result.p(rows) = p;
    result.u_plus = problem.u_minus + problem.W * result.p;
    result.energy_change = 0.5 * result.p.dot(result.u_plus + problem.u_minus);
  }

  Index n;
  Eigen::VectorXd stiffness, exponent, restitution;
  Eigen::MatrixXd W;
  Eigen::VectorXd v;
  std::vector<Index> rows;
  double speed = 0.0, mass = 1.0, energy = 0.0;
};

/// Explicit steps in the impulse of the primary contact.
ImpactResult march(const ImpactProblem& problem) {
  const Contacts c(problem);
  const Index n = c.n;
  const double eta = c.exponent[0], dp = problem.impulse_step;
  const double no_energy = eps, no_speed = eps;  // [J], [m/s]: the published scheme has no scale here
  Eigen::VectorXd v = c.v, next(n), E = Eigen::VectorXd::Zero(n), p = Eigen::VectorXd::Zero(n), share(n);
  Eigen::VectorXd roots(n);  // of the stiffnesses over that of the contact `rooted`
  Index rooted = -1;
  ImpactResult result;
  result.status = Status::IterationLimit;
  for (Index step = 0; step <= most_steps; ++step) {
    Index primary = 0, fastest = 0;
    const double most = E.maxCoeff(&primary), least = v.minCoeff(&fastest);
    if (most <= no_energy && least >= -no_speed) {
      result.status = Status::Solved;
      break;
    }
    const bool by_energy = most > no_energy;
    if (!by_energy) primary = fastest;
    if (primary != rooted) {
      for (Index i = 0; i < n; ++i) roots[i] = std::pow(c.stiffness[i] / c.stiffness[primary], 1.0 / (eta + 1.0));
      rooted = primary;
    }
    for (Index i = 0; i < n; ++i) {
      const double ratio = c.stiffness[i] / c.stiffness[primary];
      share[i] = 0.0;
      if (by_energy && E[i] > no_energy) {
        share[i] = i == primary ? 1.0 : roots[i] * std::pow(E[i] / E[primary], eta / (eta + 1.0));
      } else if (v[i] < 0.0) {
        share[i] = by_energy ? ratio * std::pow(std::abs(v[i]) * dp, eta) / std::pow(E[primary], eta)
                             : ratio * std::pow(std::abs(v[i] / v[primary]), eta);
      }
    }
    share *= dp;
    next = v;
    for (Index j = 0; j < n; ++j) {
      if (share[j] != 0.0) next += share[j] * c.W.col(j);
    }
    for (Index i = 0; i < n; ++i) {
      const double mean = 0.5 * (v[i] + next[i]), e = c.restitution[i];
      if (mean <= 0.0) {
        E[i] -= mean * share[i];
      } else {
        E[i] = e > 0.0 ? std::max(0.0, E[i] - mean * share[i] / (e * e)) : 0.0;
      }
    }
    v = next;
    p += share;
    result.stored_energy = std::max(result.stored_energy, E.sum());
  }
  c.finish(problem, p, result);
  if (result.status != Status::Solved) {
    result.detail = "contacts still hold energy after 1e6 steps: impulse_step is too small, or energy grows";
  }
  return result;
}

/// The same in time, with steps chosen by their errors. y = (d; p; energy taken so far), 3 n entries.
///
/// The rates of d are continuous in v where a loading and an unloading meet, so a contact may be late by a band of
/// round-off in v or d. It changes there alone: contacts that by symmetry change together, or that neighbours hold in
/// one place, do so once, whatever the last digits of their velocities.
class Flow {
 public:
  Flow(const ImpactProblem& problem, double local_error)
      : problem_(problem), c_(problem), n_(c_.n), local_error_(local_error) {
    unit_.resize(3 * n_);
    double time = 0.0;
    for (Index i = 0; i < n_; ++i) {
      unit_[i] = std::pow(c_.mass * c_.speed * c_.speed / c_.stiffness[i], 1.0 / (c_.exponent[i] + 1.0));
      time = time == 0.0 ? unit_[i] : std::min(time, unit_[i]);
    }
    unit_.segment(n_, n_).setConstant(c_.mass * c_.speed);
    unit_.tail(n_).setConstant(c_.mass * c_.speed * c_.speed);
    h_ = 1e-3 * time / c_.speed;
    y_.setZero(3 * n_);
    next_ = trial_ = y_;
    for (auto& k : k_) k.setZero(3 * n_);
    v_ = v_next_ = a_ = a_next_ = v_band_ = c_.v;
    sizes_ = c_.W.cwiseAbs();
    find_bands();
    phase_.assign(static_cast<std::size_t>(n_), Phase::Empty);
    for (Index i = 0; i < n_; ++i) {
      if (margin(i, y_, c_.v) < stays) at(i) = Phase::Loading;
    }
  }

  ImpactResult run() {
    ImpactResult result;
    result.status = Status::IterationLimit;
    while (attempts_ < most_steps) {
      velocity(y_, v_);
      find_bands();
      result.stored_energy = std::max(result.stored_energy, stored());
      if (done()) {
        result.status = Status::Solved;
        break;
      }
      double error = attempt(h_);
      if (!(error <= 1.0)) {
        h_ *= std::max(0.2, 0.9 * std::pow(error, -0.2));
        continue;
      }
      const double factor = std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 5.0);
      Index contact = -1;
      const double part = first_change(h_, contact);
      if (contact < 0) {
        y_.swap(next_);
        h_ *= factor;
        continue;
      }
      if (part > 0.0) {
        (void)attempt(part);
        y_.swap(next_);
      }
      velocity(y_, v_);
      for (Index i = 0; i < n_; ++i) {
        if (i == contact || margin(i, y_, v_) < changes_along) change(i);
      }
    }
    c_.finish(problem_, y_.segment(n_, n_), result);
    judge(result);
    return result;
  }

 private:
  enum class Phase : unsigned char { Empty, Loading, Unloading };
  Phase& at(Index i) { return phase_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Phase at(Index i) const { return phase_[static_cast<std::size_t>(i)]; }

  void velocity(const Eigen::VectorXd& y, Eigen::VectorXd& v) const {
    v = c_.v;
    v.noalias() += c_.W * y.segment(n_, n_);
  }

  /// The round-off of each velocity at y_: of the terms it is a sum of.
  void find_bands() {
    v_band_.noalias() = sizes_ * y_.segment(n_, n_);
    v_band_ = band * (v_band_ + c_.v.cwiseAbs()).cwiseMax(c_.speed);
  }

  void rates(const Eigen::VectorXd& y, Eigen::VectorXd& dy) {
    velocity(y, v_next_);
    for (Index i = 0; i < n_; ++i) {
      const double d = std::max(0.0, y[i]), e = c_.restitution[i];
      const double force = at(i) == Phase::Empty ? 0.0 : c_.stiffness[i] * std::pow(d, c_.exponent[i]);
      dy[n_ + i] = force;
      dy[i] = at(i) == Phase::Empty ? 0.0 : at(i) == Phase::Loading ? -v_next_[i] : -v_next_[i] / (e * e);
      dy[2 * n_ + i] = at(i) == Phase::Loading ? -v_next_[i] * force : 0.0;
    }
  }

  /// One step of length h from y_ to next_; its error over the one allowed.
  double attempt(double h) {
    ++attempts_;
    static constexpr double a[6][6] = {
        {1.0 / 5.0},
        {3.0 / 40.0, 9.0 / 40.0},
        {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
        {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
        {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
        {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
    static constexpr double difference[7] = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                             -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
    rates(y_, k_[0]);
    for (std::size_t s = 0; s < 6; ++s) {
      next_ = y_;
      for (std::size_t j = 0; j <= s; ++j) next_ += h * a[s][j] * k_[j];
      rates(next_, k_[s + 1]);
    }
    trial_.setZero();
    for (std::size_t j = 0; j < 7; ++j) trial_ += h * difference[j] * k_[j];
    return trial_.cwiseQuotient(unit_).cwiseAbs().maxCoeff() / local_error_;
  }

  /// Not negative while contact i is in its phase: -v, v or the indentation, in bands of round-off.
  [[nodiscard]] double margin(Index i, const Eigen::VectorXd& y, const Eigen::VectorXd& v) const {
    const double opening = v[i] / v_band_[i];
    if (at(i) == Phase::Unloading) return std::min(opening, y[i] / (band * unit_[i]));
    return at(i) == Phase::Loading ? -opening : opening;
  }

  /// The length after which the first contact leaves its phase in the step of length h; contact = -1: none does.
  double first_change(double h, Index& contact) {
    contact = -1;
    double length = h;
    while (true) {
      velocity(next_, v_next_);
      a_.noalias() = c_.W * k_[0].segment(n_, n_);
      a_next_.noalias() = c_.W * k_[6].segment(n_, n_);
      Index worst = -1;
      for (Index i = 0; i < n_ && worst < 0; ++i) {
        if (margin(i, next_, v_next_) < stays) worst = i;
      }
      if (worst < 0 && contact < 0) {
        const double inside = turning_back(length, worst);
        if (worst < 0) return h;
        (void)attempt(inside);
        velocity(next_, v_next_);
        if (margin(worst, next_, v_next_) >= stays) {
          (void)attempt(h);
          return h;
        }
        length = inside;
      }
      if (worst < 0) return length;
      contact = worst;
      length = locate(worst, length);
      if (length <= 0.0) return 0.0;
      (void)attempt(length);
    }
  }

  /// Where the cubic through v and its rates at both ends leaves the phase in between; contact < 0: nowhere.
  double turning_back(double h, Index& contact) const {
    for (Index i = 0; i < n_; ++i) {
      const double sign = at(i) == Phase::Loading ? -1.0 : 1.0;
      const double v0 = sign * v_[i], v1 = sign * v_next_[i], a0 = sign * a_[i] * h, a1 = sign * a_next_[i] * h;
      if (a0 >= 0.0 || a1 <= 0.0) continue;
      // v(x) = v0 + a0 x + b x^2 + c x^3; its rate has one zero in (0, 1), of the rising kind.
      const double c = 2.0 * (v0 - v1) + a0 + a1, b = 3.0 * (v1 - v0) - 2.0 * a0 - a1;
      const double root = std::sqrt(std::max(0.0, b * b - 3.0 * a0 * c));
      const double x = b >= 0.0 ? -a0 / (b + root) : (root - b) / (3.0 * c);
      if (!(x > 0.0 && x < 1.0) || v0 + x * (a0 + x * (b + x * c)) >= stays * v_band_[i]) continue;
      contact = i;
      return x * h;
    }
    return h;
  }

  /// The length in [0, h] at which the margin of contact i, below `stays` at h, falls through `changes_at`: regula
  /// falsi with halved ends.
  double locate(Index i, double h) {
    const auto value = [&](double length) {
      (void)attempt(length);
      velocity(next_, v_next_);
      return margin(i, next_, v_next_) - changes_at;
    };
    double low = 0.0, f_low = margin(i, y_, v_) - changes_at;
    if (f_low <= 0.0) return 0.0;
    double high = h, f_high = value(h), left = f_low;
    int side = 0;
    // By units in the last place at least, so that an end next to the change does not leave the other far off.
    for (int k = 0; k < 100 && left > located_to && high - low > 4.0 * eps * high; ++k) {
      const double least = eps * high, secant = low + (high - low) * f_low / (f_low - f_high);
      const double x = k % 8 == 7 ? 0.5 * (low + high) : std::clamp(secant, low + least, high - least);
      const double f = value(x);
      if (f >= 0.0) {
        if (side == 1) f_high *= 0.5;
        side = 1;
        low = x;
        f_low = left = f;
      } else {
        if (side == -1) f_low *= 0.5;
        side = -1;
        high = x;
        f_high = f;
      }
    }
    return low;
  }

  /// Contact i into its next phase at y_, where its velocity is v_.
  void change(Index i) {
    const double opening = v_[i] / v_band_[i], left = y_[i] / (band * unit_[i]);
    if (at(i) == Phase::Loading) {
      at(i) = c_.restitution[i] > 0.0 && left > 1.0 ? Phase::Unloading : Phase::Empty;
    } else {
      at(i) = at(i) == Phase::Unloading && left <= opening ? Phase::Empty : Phase::Loading;
    }
    y_[i] = at(i) == Phase::Empty ? 0.0 : std::max(0.0, y_[i]);
  }

  [[nodiscard]] double stored() const {
    double sum = 0.0;
    for (Index i = 0; i < n_; ++i) {
      const double eta = c_.exponent[i];
      sum += c_.stiffness[i] * std::pow(std::max(0.0, y_[i]), eta + 1.0) / (eta + 1.0);
    }
    return sum;
  }

  [[nodiscard]] bool done() const {
    // Plastic contacts come to rest after ever smaller cycles: what is left moves nothing.
    if (v_.minCoeff() >= -left_by_multiple_impact * c_.speed &&
        stored() <= left_by_multiple_impact * left_by_multiple_impact * c_.energy)
      return true;
    return std::all_of(phase_.begin(), phase_.end(), [](Phase phase) { return phase == Phase::Empty; });
  }

  void judge(ImpactResult& result) const {
    if (result.status == Status::IterationLimit)
      result.detail = "contacts still move inwards after 1e6 steps: some press on and on";
    if (result.status != Status::Solved) return;
    double lost = 0.0;
    for (Index i = 0; i < n_; ++i) lost += (1.0 - c_.restitution[i] * c_.restitution[i]) * y_[2 * n_ + i];
    if (std::abs(result.energy_change + lost) > energy_tolerance * std::max(c_.energy, result.stored_energy)) {
      result.status = Status::NumericalFailure;
      result.detail = "energy is not balanced";
    }
  }

  const ImpactProblem& problem_;
  Contacts c_;
  Index n_, attempts_ = 0;
  double local_error_, h_ = 0.0;
  Eigen::VectorXd unit_, y_, next_, trial_, v_, v_next_, v_band_, a_, a_next_;
  Eigen::MatrixXd sizes_;
  std::array<Eigen::VectorXd, 7> k_;
  std::vector<Phase> phase_;
};

}  // namespace

ImpactResult solve_multiple_impact(const ImpactProblem& problem) {
  if (problem.u_minus.minCoeff() >= 0.0) {  // nothing closes: no impact
    ImpactResult result;
    result.status = Status::Solved;
    result.p.setZero(problem.u_minus.size());
    result.u_plus = problem.u_minus;
    return result;
  }
  if (problem.impulse_step > 0.0) return march(problem);
  ImpactResult result;
  for (const double local_error : local_errors) {
    result = Flow(problem, local_error).run();
    if (result.status != Status::NumericalFailure) break;
  }
  return result;
}

}  // namespace nonsmooth::impacts
