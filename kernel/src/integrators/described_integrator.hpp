// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <internal/check.hpp>
#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// What the built-in schemes share: they are the same where their descriptions are.
template <class Description>
class DescribedIntegrator : public OneStepIntegrator {
 public:
  explicit DescribedIntegrator(const Description& description) : description_(description) {}
  [[nodiscard]] bool is_same(const OneStepIntegrator& other) const override {
    const auto* same = dynamic_cast<const DescribedIntegrator*>(&other);
    return same != nullptr && same->description_ == description_;
  }

 protected:
  Description description_;
};

}  // namespace nonsmooth
