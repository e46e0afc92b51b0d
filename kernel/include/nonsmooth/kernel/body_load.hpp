// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

struct LinearDrag;

/// What acts on a body in space: what those of loads/ are, and what a user derives from for a new one. Immutable:
/// bodies share it, and several threads may call it at once. It works in fixed sizes; several loads add to one sum.
/// What it throws while a step is taken fails the step, with the text.
class BodyLoad {
 public:
  using Position = Eigen::Matrix<double, 7, 1>;  ///< q as RigidBody has it
  using Velocity = Eigen::Matrix<double, 6, 1>;  ///< v as RigidBody has it
  using Force = Eigen::Matrix<double, 6, 1>;     ///< in space [N]; moment about the centre of mass, body axes [N m]
  using Jacobian = Eigen::Matrix<double, 6, 6>;

  /// Where the body is and how it moves.
  struct Motion {
    double t;
    Position q;
    Velocity v;
    Eigen::Matrix3d R;  ///< of body coordinates into those of space
  };

  virtual ~BodyLoad() = default;
  BodyLoad() = default;
  BodyLoad(const BodyLoad&) = default;
  BodyLoad& operator=(const BodyLoad&) = default;

  /// @throws InvalidArgument for a parameter out of range, `load` naming the load. Asked when a body is made.
  virtual void validate(const std::string& /*load*/) const {}
  virtual void add(const Motion& at, Force& F) const = 0;  ///< F += what acts
  /// J += its derivative along a move in space and a turn w in the body's axes, Q exp(w / 2): dR = R [w]x.
  virtual void add_dq(const Motion& at, Jacobian& J) const = 0;
  virtual void add_dv(const Motion& at, Jacobian& J) const = 0;                        ///< J += its derivative by v
  [[nodiscard]] virtual double potential(const Position& /*q*/) const { return 0.0; }  ///< [J]; 0: it has none
  /// The drag whose Jacobians are those of the load (a constant force in space: a drag of zero), which a faster path
  /// reads: translation and rotation then do not hang together. nullptr: others.
  [[nodiscard]] virtual const LinearDrag* drag() const { return nullptr; }
};

/// Any load: what make_load() of a description gives, as for all of loads/, or a user's own by shared pointer.
/// It is checked when a body is made.
class AnyBodyLoad {
 public:
  template <class Description>
  requires requires(Description description) {
    { make_load(std::move(description)) } -> std::convertible_to<std::shared_ptr<const BodyLoad>>;
  }
  AnyBodyLoad(Description description) : load_(make_load(std::move(description))) {}
  template <class Derived>
  requires std::convertible_to<const Derived*, const BodyLoad*> AnyBodyLoad(std::shared_ptr<Derived> load)
      : load_(std::move(load)) {}

  [[nodiscard]] const std::shared_ptr<const BodyLoad>& pointer() const noexcept { return load_; }  ///< may be null

 private:
  std::shared_ptr<const BodyLoad> load_;
};

}  // namespace nonsmooth
