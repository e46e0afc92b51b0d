// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/joined_systems.hpp>

#include <stdexcept>
#include <string>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "differences.hpp"
#include "filippov.hpp"
#include "first_order.hpp"
#include "hybrid_automaton.hpp"

namespace nonsmooth {
namespace {

void require_none(bool present, const std::string& who, const char* what, const char* instead) {
  if (present) throw InvalidArgument("JoinedSystems: systems", who + " with " + what, instead);
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
    if (mechanics_->has_constant_mass()) {
      if (has_mass_) solve(mass_, vdot);
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
    cholesky.matrixL().solveInPlace(vdot);
    cholesky.matrixU().solveInPlace(vdot);
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

}  // namespace nonsmooth
