// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/joined_systems.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "filippov.hpp"
#include "hybrid_automaton.hpp"
#include "model/equations/differences.hpp"
#include "model/equations/first_order.hpp"
#include "switching_function.hpp"

namespace nonsmooth {
namespace {

void require_none(bool present, const std::string& who, const char* what, const char* instead) {
  if (present) throw InvalidArgument("JoinedSystems: systems", who + " with " + what, instead);
}

void require_contact(const JoinedContact& contact) {
  if (!contact.gap) throw InvalidArgument("JoinedContact::gap", "no function", "g(q)");
  check::range("JoinedContact::restitution", contact.restitution, 0.0, 1.0);
  check::positive("JoinedContact::rest_velocity", contact.rest_velocity);
}

std::string name_of_joined(const DynamicalSystem& system, Index k) {
  const std::string name = system.name();
  return name.empty() ? "system " + std::to_string(k) : name;
}

}  // namespace

/// One of the systems, with its place.
class JoinedSystems::Part {
 public:
  Part(std::shared_ptr<const DynamicalSystem> system, Index k, Index state, Index input)
      : system_(std::move(system)),
        mechanics_(dynamic_cast<const MechanicalSystem*>(system_.get())),
        process_(dynamic_cast<const FirstOrderDynamicalSystem*>(system_.get())),
        name_(name_of_joined(*system_, k)),
        state_(state),
        input_(input),
        n_(system_->initial_unknowns().size()) {
    require_none(dynamic_cast<const FilippovProcess*>(process_) || dynamic_cast<const AutomatonProcess*>(process_),
                 name_, "fields of its own that switch", "all that switches in the system that is joined");
    if (!mechanics_ && !process_)
      throw InvalidArgument("JoinedSystems: systems", name_ + ", which is neither mechanical nor of first order",
                            "systems with a smooth right-hand side");
    require_none(static_cast<bool>(system_->feedback()), name_, "a sampled feedback",
                 "none: the fields that are joined act at all times");
    if (mechanics_) {
      take_mechanics();
    } else {
      take_process();
    }
  }

  [[nodiscard]] bool mechanical() const noexcept { return mechanics_ != nullptr; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Index state() const noexcept { return state_; }
  [[nodiscard]] Index input() const noexcept { return input_; }
  [[nodiscard]] Index num_inputs() const noexcept { return n_; }
  [[nodiscard]] Index num_states() const noexcept { return mechanics_ ? 2 * n_ : n_; }

  void initial(Eigen::VectorXd& x) const {
    if (mechanics_) x.segment(state_, n_) = mechanics_->initial_position();
    x.segment(state_ + num_states() - n_, n_) = system_->initial_unknowns();
  }

  /// Its entries of x', from u.
  void rates(double t, ConstVectorRef x, ConstVectorRef u, VectorRef xdot) const {
    if (!mechanics_) {
      thread_local Eigen::MatrixXd A;
      auto own = xdot.segment(state_, n_);
      FirstOrderSystemEvaluator{name_, process_->linear(), process_}.f(t, x.segment(state_, n_), own, A);
      own += u.segment(input_, n_);
      if (has_mass_) solve(mass_, own);
      return;
    }
    const auto q = x.segment(state_, n_), v = x.segment(state_ + n_, n_);
    auto qdot = xdot.segment(state_, n_), vdot = xdot.segment(state_ + n_, n_);
    qdot.setZero();
    vdot.setZero();
    guarded(name_, "the rates of positions", [&] { mechanics_->position_rates(q, v, qdot); });
    guarded(name_, "the force", [&] { mechanics_->force(t, q, v, vdot); });
    vdot += u.segment(input_, n_);
    solve_mass(q, vdot);
  }

  /// v := M(q)^-1 v of a mechanical system.
  void solve_mass(ConstVectorRef q, VectorRef v) const {
    if (mechanics_->has_constant_mass()) {
      if (has_mass_) solve(mass_, v);
      return;
    }
    differences::Scratch scratch(n_ * n_);
    auto memory = scratch.vector(n_ * n_);
    Eigen::Map<Eigen::MatrixXd> M(memory.data(), n_, n_);
    M.setZero();
    guarded(name_, "the mass matrix", [&] { mechanics_->mass(q, M); });
    Eigen::Ref<Eigen::MatrixXd> factor(M);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> cholesky(factor);
    if (cholesky.info() != Eigen::Success) {
      throw CallableFailure{"the mass matrix of " + name_ + " is not positive definite"};
    }
    cholesky.matrixL().solveInPlace(v);
    cholesky.matrixU().solveInPlace(v);
  }

 private:
  using Factors = Eigen::PartialPivLU<Eigen::MatrixXd>;

  template <class Vector>
  static void solve(const Factors& factors, Vector& x) {
    factors.permutationP().applyThisOnTheLeft(x);
    factors.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
    factors.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
  }

  void take_mechanics() {
    const Eigen::VectorXd q = mechanics_->initial_position();
    require_none(q.size() != n_, name_, "positions on a manifold (nq != nv)", "as many positions as velocities");
    require_none(!mechanics_->prescribed().empty(), name_, "prescribed velocities",
                 "none: a velocity that is given is a function of t in the fields");
    require_none(!mechanics_->impulses().empty(), name_, "impulses", "none: a reset of an automaton is one");
    if (!mechanics_->has_constant_mass()) return;
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n_, n_);
    mechanics_->mass(q, M);
    take_mass(M);
  }

  void take_process() {
    const MatrixData& mass = process_->mass();
    if (mass.empty()) return;
    require_none(mass.function() != nullptr, name_, "a mass that is a function of time", "a constant one");
    take_mass(mass.to_dense(n_, true));
  }

  void take_mass(const Eigen::MatrixXd& M) {
    if (M.isIdentity(0.0)) return;
    has_mass_ = true;
    mass_.compute(M);
    require_none(!(mass_.rcond() > std::numeric_limits<double>::epsilon()), name_, "a singular mass",
                 "a regular one: x' has to follow from x");
  }

  std::shared_ptr<const DynamicalSystem> system_;
  const MechanicalSystem* mechanics_;
  const FirstOrderDynamicalSystem* process_;
  std::string name_;
  Index state_, input_, n_;  ///< n_: unknowns, as many as inputs
  bool has_mass_ = false;    ///< constant, and not the identity
  Factors mass_;
};

/// A contact of one of them, at states of all.
class JoinedSystems::Touch {
 public:
  Touch(std::shared_ptr<const Part> part, JoinedContact contact)
      : part_(std::move(part)), contact_(std::move(contact)), n_(part_->num_inputs()), q_(part_->state()) {}

  [[nodiscard]] double gap(ConstVectorRef x) const { return contact_.gap(x.segment(q_, n_)); }
  /// A motion cannot begin within the obstacle: the contact would close there, however deep.
  void require_apart(ConstVectorRef x0) const {
    constexpr double kOverlap = 1e-9;  // of 1 and |q|: places that were solved for
    double g = 0.0;
    switching::ask("JoinedContact::gap", [&] { g = gap(x0); });
    if (g >= -kOverlap * std::max(1.0, x0.segment(q_, n_).norm()) && std::isfinite(g)) return;
    throw InvalidArgument("JoinedContact::gap of " + contact_.name, check::text(g) + " at x0", "a gap >= 0");
  }
  void normal(ConstVectorRef q, VectorRef n) const {
    n.setZero();
    if (contact_.gradient) return contact_.gradient(q, n);
    differences::Scratch scratch(n_);
    auto at = scratch.vector(n_);
    at = q;
    for (Index k = 0; k < n_; ++k) {
      const double h = kCentral * std::max(1.0, std::abs(q[k]));
      at[k] = q[k] + h;
      const double after = contact_.gap(at);
      at[k] = q[k] - h;
      n[k] = (after - contact_.gap(at)) / (2.0 * h);
      at[k] = q[k];
    }
  }
  void gap_gradient(ConstVectorRef x, double times, VectorRef gradient) const {
    auto n = gradient.segment(q_, n_);
    normal(x.segment(q_, n_), n);
    n *= times;
  }
  /// n^T M^-1 n, with M^-1 n in `by_force`.
  double mobility(ConstVectorRef x, VectorRef n, VectorRef by_force) const {
    normal(x.segment(q_, n_), n);
    by_force = n;
    part_->solve_mass(x.segment(q_, n_), by_force);
    return n.dot(by_force);
  }
  /// -g'' along the motion whose rates are xdot.
  [[nodiscard]] double presses(ConstVectorRef x, ConstVectorRef xdot) const {
    differences::Scratch scratch(n_);
    auto n = scratch.vector(n_);
    normal(x.segment(q_, n_), n);
    return -n.dot(xdot.segment(q_ + n_, n_)) - bend(x);
  }
  /// The part of v' that keeps the contact closed.
  void hold(ConstVectorRef x, VectorRef xdot) const {
    differences::Scratch scratch(2 * n_);
    auto n = scratch.vector(n_), by_force = scratch.vector(n_);
    const double mobility_here = mobility(x, n, by_force);
    xdot.segment(q_ + n_, n_) += presses(x, xdot) / mobility_here * by_force;
  }
  /// Positive where the contact closes.
  [[nodiscard]] double closes(ConstVectorRef x, ConstVectorRef xdot) const {
    differences::Scratch scratch(n_);
    auto n = scratch.vector(n_);
    normal(x.segment(q_, n_), n);
    const double w = n.dot(x.segment(q_ + n_, n_)), pressing = presses(x, xdot), rest = contact_.rest_velocity;
    return std::min(pressing, rest * rest - w * w - 2.0 * gap(x) * pressing);
  }
  void hit(VectorRef x) const {
    differences::Scratch scratch(2 * n_);
    auto n = scratch.vector(n_), by_force = scratch.vector(n_);
    const double mobility_here = mobility(x, n, by_force), w = n.dot(x.segment(q_ + n_, n_));
    if (!(w < 0.0)) return;
    const double rebound = -contact_.restitution * w;
    x.segment(q_ + n_, n_) += ((rebound < contact_.rest_velocity ? 0.0 : rebound) - w) / mobility_here * by_force;
  }
  /// g = 0 and w = 0, by the shortest ways in the metric of M.
  void close(VectorRef x) const {
    constexpr int kMostMoves = 4;  // Newton's, from next to the floor
    differences::Scratch scratch(2 * n_);
    auto n = scratch.vector(n_), by_force = scratch.vector(n_);
    for (int k = 0; k < kMostMoves; ++k) {
      const double g = gap(x), mobility_here = mobility(x, n, by_force);
      if (std::abs(g) <= std::numeric_limits<double>::epsilon() * n.cwiseAbs().dot(x.segment(q_, n_).cwiseAbs())) break;
      x.segment(q_, n_) -= g / mobility_here * by_force;
    }
    const double mobility_here = mobility(x, n, by_force);
    x.segment(q_ + n_, n_) -= n.dot(x.segment(q_ + n_, n_)) / mobility_here * by_force;
  }

 private:
  /// v . (d2g/dq2) v: how n turns along v, or the second difference of g.
  [[nodiscard]] double bend(ConstVectorRef x) const {
    differences::Scratch scratch(3 * n_);
    auto at = scratch.vector(n_), ahead = scratch.vector(n_), behind = scratch.vector(n_);
    const auto q = x.segment(q_, n_), v = x.segment(q_ + n_, n_);
    const double way = contact_.gradient ? kCentral : std::sqrt(std::sqrt(std::numeric_limits<double>::epsilon()));
    const double h = way * std::max(1.0, q.norm()) / std::max(1.0, v.norm());
    at = q + h * v;
    if (!contact_.gradient) {
      const double after = contact_.gap(at);
      at = q - h * v;
      return (after - 2.0 * contact_.gap(q) + contact_.gap(at)) / (h * h);
    }
    normal(at, ahead);
    at = q - h * v;
    normal(at, behind);
    return (ahead.dot(v) - behind.dot(v)) / (2.0 * h);
  }

  static inline const double kCentral = std::cbrt(std::numeric_limits<double>::epsilon());
  std::shared_ptr<const Part> part_;
  JoinedContact contact_;
  Index n_, q_;
};

JoinedSystems::JoinedSystems(std::vector<std::shared_ptr<const DynamicalSystem>> systems) {
  check::at_least("JoinedSystems: systems: number", static_cast<Index>(systems.size()), 1);
  for (std::size_t k = 0; k < systems.size(); ++k) {
    if (!systems[k]) throw InvalidArgument("JoinedSystems: systems", "none at place " + std::to_string(k), "a system");
    parts_.push_back(
        std::make_shared<const Part>(std::move(systems[k]), static_cast<Index>(k), num_states_, num_inputs_));
    num_states_ += parts_.back()->num_states();
    num_inputs_ += parts_.back()->num_inputs();
  }
}

const JoinedSystems::Part& JoinedSystems::part(Index k) const {
  check::within("JoinedSystems: number of a system", k, 0, static_cast<Index>(parts_.size()) - 1);
  return *parts_[static_cast<std::size_t>(k)];
}

Index JoinedSystems::state(Index k) const { return part(k).state(); }

Index JoinedSystems::velocity(Index k) const {
  const Part& own = part(k);
  if (!own.mechanical())
    throw InvalidArgument("JoinedSystems::velocity: system", own.name() + ", of first order", "a mechanical one");
  return own.state() + own.num_inputs();
}

Index JoinedSystems::input(Index k) const { return part(k).input(); }

ConstantVector JoinedSystems::initial(const ConstantVector& own) const {
  Eigen::VectorXd x(num_states_ + own.size());
  for (const auto& one : parts_) one->initial(x);
  x.tail(own.size()) = own.value();
  return x;
}

/// `own` is a region or a mode.
template <class Field>
Field JoinedSystems::joined(Field own, Index num_own) const {
  if (own.f_dx)
    throw InvalidArgument("JoinedSystems::join: f_dx", "a Jacobian of " + (own.name.empty() ? "a field" : own.name),
                          "none: the Jacobians of joined systems are differences");
  own.f = [parts = parts_, f = std::move(own.f), inputs = num_inputs_, num_own](double t, ConstVectorRef x,
                                                                                VectorRef xdot) {
    differences::Scratch scratch(inputs + num_own);
    auto u = scratch.vector(inputs + num_own);
    u.setZero();
    if (f) f(t, x, u);
    for (const auto& one : parts) one->rates(t, x, u, xdot);
    xdot.tail(num_own) = u.tail(num_own);
  };
  return own;
}

FilippovSystem JoinedSystems::join(FilippovSystem own) const {
  const Index num_own = own.x0.size();
  for (FilippovRegion& region : own.regions) region = joined(std::move(region), num_own);
  own.x0 = initial(own.x0);
  return own;
}

HybridAutomaton JoinedSystems::join(HybridAutomaton own) const {
  const Index num_own = own.x0.size();
  for (AutomatonMode& mode : own.modes) mode = joined(std::move(mode), num_own);
  own.x0 = initial(own.x0);
  return own;
}

HybridAutomaton JoinedSystems::join(HybridAutomaton own, JoinedContact contact) const {
  const Part& moved = part(contact.system);
  if (!moved.mechanical())
    throw InvalidArgument("JoinedContact::system", moved.name() + ", of first order", "a mechanical one");
  require_contact(contact);
  const std::string name = contact.name, closed = ", " + name;
  const auto touch =
      std::make_shared<const Touch>(parts_[static_cast<std::size_t>(contact.system)], std::move(contact));
  HybridAutomaton all = join(std::move(own));
  touch->require_apart(all.x0.value());
  const std::vector<AutomatonMode> modes = all.modes;
  const std::vector<AutomatonTransition> transitions = all.transitions;
  for (const AutomatonMode& mode : modes) {
    AutomatonMode held = mode;
    held.name += closed;
    held.f = [touch, f = mode.f](double t, ConstVectorRef x, VectorRef xdot) {
      f(t, x, xdot);
      touch->hold(x, xdot);
    };
    // Of the free motion of a mode, in which the contact is asked whether it presses.
    const auto free = [touch, f = mode.f](double t, ConstVectorRef x, auto&& ask) {
      differences::Scratch scratch(x.size());
      auto xdot = scratch.vector(x.size());
      xdot.setZero();
      f(t, x, xdot);
      return ask(*touch, ConstVectorRef(xdot));
    };
    const auto closes = [free](double t, ConstVectorRef x) {
      return free(t, x, [&](const Touch& there, ConstVectorRef xdot) { return there.closes(x, xdot); });
    };
    // Not where it closes. Next to it the gradient is that of -g: differences would see the other side.
    const SwitchingFunction hits{
        .value = [touch, closes](double t, ConstVectorRef x) { return std::min(-touch->gap(x), -closes(t, x)); },
        .gradient = [touch](double, ConstVectorRef x, VectorRef gradient) { touch->gap_gradient(x, -1.0, gradient); },
        .rate = [](double, ConstVectorRef) { return 0.0; }};
    const auto opens = [free](double t, ConstVectorRef x) {
      return free(t, x, [&](const Touch& there, ConstVectorRef xdot) { return -there.presses(x, xdot); });
    };
    const auto hit = [touch](double, VectorRef x) { touch->hit(x); };
    const auto close = [touch](double, VectorRef x) { touch->close(x); };
    for (AutomatonTransition one : {AutomatonTransition{name + " hits", mode.name, mode.name, hits, hit},
                                    {name + " closes", mode.name, held.name, {.value = closes}, close},
                                    {name + " opens", held.name, mode.name, {.value = opens}}})
      all.transitions.push_back(std::move(one));
    const Eigen::VectorXd x0 = all.x0.value();
    const bool starts = all.start.empty() ? mode.name == modes.front().name : mode.name == all.start;
    if (starts && closes(0.0, x0) > 0.0) all.start = held.name;
    all.modes.push_back(std::move(held));
  }
  for (AutomatonTransition one : transitions) {
    one.from += closed;
    if (!one.reset) one.to += closed;
    all.transitions.push_back(std::move(one));
  }
  return all;
}

HybridAutomaton JoinedSystems::join(FilippovSystem own, JoinedContact contact) const {
  const FilippovFields fields(join(own));  // checked, and each region's part of the patterns known
  if (fields.num_surfaces() != 1) {
    throw InvalidArgument("JoinedSystems::join: switching functions beside a contact",
                          std::to_string(fields.num_surfaces()), "one");
  }
  const SwitchingFunction up = own.switches.front();
  SwitchingFunction down{.value = [c = up.value](double t, ConstVectorRef x) { return -c(t, x); }};
  if (up.gradient) {
    down.gradient = [c = up.gradient](double t, ConstVectorRef x, VectorRef gradient) {
      c(t, x, gradient);
      gradient *= -1.0;
    };
  }
  if (up.rate) down.rate = [c = up.rate](double t, ConstVectorRef x) { return -c(t, x); };
  const auto mode = [&](Index pattern, const char* name) {
    const FilippovRegion& region = own.regions[static_cast<std::size_t>(fields.region_of(pattern))];
    return AutomatonMode{.name = region.name.empty() || fields.num_regions() < 2 ? name : region.name, .f = region.f};
  };
  HybridAutomaton automaton{.x0 = own.x0, .modes = {mode(0, "below"), mode(1, "above")}, .name = own.name};
  const std::string below = automaton.modes[0].name, above = automaton.modes[1].name;
  automaton.transitions = {{.name = "rises", .from = below, .to = above, .guard = up},
                           {.name = "falls", .from = above, .to = below, .guard = down}};
  automaton.sliding_interval = 1.0;  // any: the band has no width
  if (fields.value(0, 0.0, fields.system().x0.value()) > 0.0) automaton.start = above;
  return join(std::move(automaton), std::move(contact));
}

}  // namespace nonsmooth
