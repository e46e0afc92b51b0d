// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/check.hpp>
#include <nonsmooth/kernel/staged_integrator.hpp>

namespace nonsmooth {

/// What the built-in schemes of several stages share: descriptions that say whether changes of mode are located.
template <class Description>
class DescribedStages : public StagedIntegrator {
 public:
  explicit DescribedStages(const Description& description) : description_(description) {}
  [[nodiscard]] bool is_same(const OneStepIntegrator& other) const override {
    const auto* same = dynamic_cast<const DescribedStages*>(&other);
    return same != nullptr && same->description_ == description_;
  }
  [[nodiscard]] bool locates() const override { return description_.locate; }
  [[nodiscard]] Index looks() const override { return description_.looks; }
  void validate() const override { check::within((this->name() + "::looks").c_str(), description_.looks, 0, 1000); }

 protected:
  Description description_;
};

}  // namespace nonsmooth
