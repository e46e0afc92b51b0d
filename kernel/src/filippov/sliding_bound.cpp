// SPDX-License-Identifier: Apache-2.0
// What chattering about a surface tends to, and how far it is from it.
#include <nonsmooth/kernel/sliding_bound.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Eigenvalues>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/filippov.hpp"
#include "model/hybrid_automaton.hpp"
#include "model/switching_function.hpp"

namespace nonsmooth {
namespace {

constexpr double kSameGuards = 1e-6;  ///< of their terms: central differences are known to some 1e-10
constexpr double kOnSurface = 1e-6;   ///< of the terms of c
const double kStepOfDifferences = std::cbrt(std::numeric_limits<double>::epsilon());

/// The one transition between two modes.
const AutomatonTransition& only_transition(const AutomatonFields& fields, const std::string& from,
                                           const std::string& to) {
  const std::string what = "sliding_limit: transitions from " + from + " to " + to;
  const AutomatonTransition* found = nullptr;
  for (const AutomatonTransition& one : fields.automaton().transitions) {
    if (one.from != from || one.to != to) continue;
    if (found) throw InvalidArgument(what, "several", "one, whose guard is an end of the band");
    found = &one;
  }
  if (!found) throw InvalidArgument(what, "none", "one, whose guard is an end of the band");
  if (found->reset) throw InvalidArgument(what, "a reset", "none: x goes on where it is in sliding");
  return *found;
}

const AutomatonMode& mode_named(const AutomatonFields& fields, const char* argument, const std::string& name) {
  for (const AutomatonMode& mode : fields.automaton().modes)
    if (mode.name == name) return mode;
  throw InvalidArgument(std::string("sliding_limit: ") + argument, name + ", which is no mode", "a mode's name");
}

/// c = (up - down) / 2.
SwitchingFunction middle_of(const SwitchingFunction& up, const SwitchingFunction& down) {
  SwitchingFunction c;
  c.value = [up = up.value, down = down.value](double t, ConstVectorRef x) { return 0.5 * (up(t, x) - down(t, x)); };
  if (up.gradient && down.gradient) {
    c.gradient = [up = up.gradient, down = down.gradient](double t, ConstVectorRef x, VectorRef gradient) {
      Eigen::VectorXd other = Eigen::VectorXd::Zero(x.size());
      up(t, x, gradient);
      down(t, x, other);
      gradient = 0.5 * (gradient - other);
    };
  }
  if (up.rate && down.rate)
    c.rate = [up = up.rate, down = down.rate](double t, ConstVectorRef x) { return 0.5 * (up(t, x) - down(t, x)); };
  return c;
}

/// -(up + down) / 2, the same in all places that are looked at.
double half_width_of(const SwitchingFunction& up, const SwitchingFunction& down, const Eigen::VectorXd& x0) {
  const char* const argument = "sliding_limit: guards";
  double width = 0.0;
  Eigen::VectorXd x = x0;
  for (Index place = -1; place < x0.size(); ++place) {
    x = x0;
    if (place >= 0) x[place] += std::max(1.0, std::abs(x0[place]));
    for (const double t : {0.0, 1.0}) {
      double one = 0.0, other = 0.0;
      switching::ask(argument, [&] {
        one = up.value(t, x);
        other = down.value(t, x);
      });
      const double here = -0.5 * (one + other);
      if (place < 0 && t == 0.0) width = here;
      const double terms = std::abs(one) + std::abs(other) + std::abs(width);
      if (!(std::abs(here - width) <= kSameGuards * terms)) {
        throw InvalidArgument(
            argument, "a width that is " + check::text(2.0 * width) + " here, and there " + check::text(2.0 * here),
            "c - d_1 and -c - d_2 of one function c");
      }
    }
  }
  if (width < 0.0 && width > -kSameGuards * (std::abs(up.value(0.0, x0)) + std::abs(down.value(0.0, x0)))) width = 0.0;
  if (width < 0.0) {
    throw InvalidArgument(argument, "a width of " + check::text(2.0 * width),
                          "one that is not negative: both transitions are due at once");
  }
  return width;
}

/// The fields next to the one surface of a system, at one (t, x) after another.
class Chattering {
 public:
  Chattering(const FilippovFields& fields, const SwitchingLag& lag)
      : fields_(fields), lag_(lag), n_(fields.n()), below_(n_), above_(n_), normal_(n_) {}

  /// f_s, G, w at (t, x).
  void look(double t, const Eigen::VectorXd& x, Eigen::VectorXd& sliding, Eigen::VectorXd& G) {
    fields_.field(fields_.region_of(0), t, x, below_);
    fields_.field(fields_.region_of(1), t, x, above_);
    fields_.gradient(0, t, x, normal_);
    const double infinite = std::numeric_limits<double>::infinity();
    const double rate = fields_.rate(0, t, x, -infinite, infinite);
    w_below_ = normal_.dot(below_) + rate;
    w_above_ = normal_.dot(above_) + rate;
    G = (below_ - above_) / (w_below_ - w_above_);
    sliding = above_ - w_above_ * G;
  }
  [[nodiscard]] bool slides() const { return w_above_ < 0.0 && w_below_ > 0.0; }
  /// d at the last look().
  [[nodiscard]] double farthest() const { return lag_.band + lag_.delay * std::max(w_below_, -w_above_); }

  /// (x_s; |eta|)' at (x_s; |eta|); false where x does not slide.
  bool rates(double t, const Eigen::VectorXd& both, Eigen::VectorXd& value) {
    const Eigen::VectorXd x = both.head(n_);
    Eigen::VectorXd sliding(n_), G(n_), ahead(n_), behind(n_), G_ahead(n_), G_behind(n_);
    Eigen::MatrixXd A(n_, n_);
    Eigen::VectorXd at = x;
    for (Index k = 0; k < n_; ++k) {
      const double h = kStepOfDifferences * std::max(1.0, std::abs(x[k]));
      at[k] = x[k] + h;
      look(t, at, ahead, G);
      at[k] = x[k] - h;
      look(t, at, behind, G);
      at[k] = x[k];
      A.col(k) = (ahead - behind) / (2.0 * h);
    }
    look(t, x, sliding, G);
    if (!slides()) return false;
    const double d = farthest();
    const Eigen::VectorXd normal = normal_.normalized();
    const double h = kStepOfDifferences * std::max(1.0, x.norm()) / std::max(1.0, sliding.norm());
    look(t + h, x + h * sliding, ahead, G_ahead);
    look(t - h, x - h * sliding, behind, G_behind);
    Eigen::VectorXd B = A * G - (G_ahead - G_behind) / (2.0 * h);
    B -= normal.dot(B) * normal;  // of a surface that is curved what eta has along the normal is of second order
    value.resize(n_ + 1);
    value.head(n_) = sliding;
    value[n_] = (n_ > 1 ? growth(A, normal) * both[n_] : 0.0) + B.norm() * d;
    return true;
  }

  [[nodiscard]] Index n() const noexcept { return n_; }

 private:
  /// The largest eigenvalue of P sym(A) P on the tangent plane: the normal's is put below all others.
  [[nodiscard]] static double growth(const Eigen::MatrixXd& A, const Eigen::VectorXd& normal) {
    Eigen::MatrixXd S = 0.5 * (A + A.transpose());
    const double low = 2.0 * S.norm() + 1.0;
    const Eigen::MatrixXd P = Eigen::MatrixXd::Identity(A.rows(), A.cols()) - normal * normal.transpose();
    S = (P * S * P - low * normal * normal.transpose()).eval();
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(S, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
  }

  const FilippovFields& fields_;
  SwitchingLag lag_;
  Index n_;
  Eigen::VectorXd below_, above_, normal_;
  double w_below_ = 0.0, w_above_ = 0.0;
};

void check_of_bound(const FilippovFields& fields, const SwitchingLag& lag, double t, ConstVectorRef x, double T,
                    Index steps) {
  if (fields.num_surfaces() != 1)
    throw InvalidArgument("sliding_bound: sliding", std::to_string(fields.num_surfaces()) + " switching functions",
                          "one, about which the motion chatters");
  for (const auto& [name, value] : {std::pair{"band", lag.band}, std::pair{"delay", lag.delay}})
    check::range(std::string("sliding_bound: lag.") + name, value, 0.0, std::numeric_limits<double>::max());
  check::finite("sliding_bound: t", t);
  check::finite("sliding_bound: T", T);
  check::size("sliding_bound: x", x.size(), fields.n(), "the system's states");
  check::finite("sliding_bound: x", x);
  if (T < t) throw InvalidArgument("sliding_bound: T", check::text(T), "not before t = " + check::text(t));
  check::at_least("sliding_bound: steps", steps, 1);
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(x.size());
  fields.gradient(0, t, x, gradient);
  const double c = fields.value(0, t, x), terms = gradient.cwiseAbs().dot(x.cwiseAbs());
  if (!(std::abs(c) <= kOnSurface * std::max(terms, std::numeric_limits<double>::min())))
    throw InvalidArgument("sliding_bound: x", "a place where c is " + check::text(c), "one on the surface c = 0");
}

}  // namespace

SlidingLimit sliding_limit(const HybridAutomaton& automaton, const std::string& below, const std::string& above) {
  const AutomatonFields fields(automaton);
  const AutomatonMode& one = mode_named(fields, "below", below);
  const AutomatonMode& other = mode_named(fields, "above", above);
  const SwitchingFunction& up = only_transition(fields, below, above).guard;
  const SwitchingFunction& down = only_transition(fields, above, below).guard;
  SlidingLimit limit;
  limit.lag.band = half_width_of(up, down, automaton.x0.value());
  limit.sliding = {.x0 = automaton.x0,
                   .switches = {middle_of(up, down)},
                   .regions = {{.name = below, .signs = {-1}, .f = one.f, .f_dx = one.f_dx},
                               {.name = above, .signs = {1}, .f = other.f, .f_dx = other.f_dx}},
                   .name = automaton.name};
  return limit;
}

SlidingBound sliding_bound(const FilippovSystem& sliding, const SwitchingLag& lag, double t, ConstVectorRef x, double T,
                           Index steps) {
  const FilippovFields fields(sliding);
  check_of_bound(fields, lag, t, x, T, steps);
  Chattering chattering(fields, lag);
  const Index n = chattering.n();
  Eigen::VectorXd both(n + 1), k1, k2, k3, k4, G(n), field(n);
  both << x, 0.0;
  const double start = t, h = (T - t) / static_cast<double>(steps);
  SlidingBound bound{.t = t, .x = x, .slides = true};
  for (Index k = 0; k < steps && bound.slides && h > 0.0; ++k) {
    const double here = start + static_cast<double>(k) * h;
    bound.slides = chattering.rates(here, both, k1) && chattering.rates(here + 0.5 * h, both + 0.5 * h * k1, k2) &&
                   chattering.rates(here + 0.5 * h, both + 0.5 * h * k2, k3) &&
                   chattering.rates(here + h, both + h * k3, k4);
    if (!bound.slides) break;
    both += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    bound.t = k + 1 == steps ? T : here + h;
  }
  bound.x = both.head(n);
  chattering.look(bound.t, bound.x, field, G);
  bound.slides = bound.slides && chattering.slides();
  bound.distance = G.norm() * chattering.farthest() + both[n];
  return bound;
}

}  // namespace nonsmooth
