// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include <nonsmooth/kernel/integrators/adams_bashforth2.hpp>
#include <nonsmooth/kernel/integrators/bdf2.hpp>
#include <nonsmooth/kernel/integrators/d1_minus_linear.hpp>
#include <nonsmooth/kernel/integrators/euler_moreau.hpp>
#include <nonsmooth/kernel/integrators/exact_linear.hpp>
#include <nonsmooth/kernel/integrators/explicit_euler.hpp>
#include <nonsmooth/kernel/integrators/generalised_alpha.hpp>
#include <nonsmooth/kernel/integrators/higher_order_moreau.hpp>
#include <nonsmooth/kernel/integrators/implicit_radau.hpp>
#include <nonsmooth/kernel/integrators/moreau_jean.hpp>
#include <nonsmooth/kernel/integrators/runge_kutta4.hpp>
#include <nonsmooth/kernel/integrators/schatzman_paoli.hpp>
#include <nonsmooth/kernel/integrators/stewart_trinkle.hpp>
#include <nonsmooth/kernel/integrators/zero_order_hold.hpp>

namespace nonsmooth {

/// Any scheme: what make_integrator() of a description gives, as for all of integrators/, or a user's own by shared
/// pointer: options share schemes and compare those of users by address, so that one has to stay what it is once it was
/// handed over. Parameters are checked when a simulation is made.
class Integrator {
 public:
  Integrator() : Integrator(MoreauJean{}) {}
  template <class Description>
  requires requires(const Description& description) {
    { make_integrator(description) } -> std::same_as<std::shared_ptr<const OneStepIntegrator>>;
  }
  Integrator(const Description& description) : integrator_(make_integrator(description)) {}
  template <class Derived>
  requires std::convertible_to<const Derived*, const OneStepIntegrator*> Integrator(std::shared_ptr<Derived> integrator)
      : integrator_(std::move(integrator)) {}

  [[nodiscard]] const std::shared_ptr<const OneStepIntegrator>& pointer() const noexcept { return integrator_; }
  const OneStepIntegrator* operator->() const noexcept { return integrator_.get(); }  ///< may be null

  friend bool operator==(const Integrator& a, const Integrator& b) {
    return a.integrator_ == b.integrator_ || (a.integrator_ && b.integrator_ && a->is_same(*b.integrator_));
  }

 private:
  std::shared_ptr<const OneStepIntegrator> integrator_;
};

}  // namespace nonsmooth
