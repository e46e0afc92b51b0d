// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth::laws {

/// What a built-in law that is asked while a step is taken derives from: it writes its functions for one block, and the
/// loops over a batch call them directly.
template <class Derived>
class BatchedLaw : public NonSmoothLaw {
 public:
  void blocks(const LawBatch& batch) const final {
    for (Index i = 0; i < batch.size(); ++i) at(batch, i).Derived::block(batch.context(i), batch.block(i));
  }
  void activities(const LawBatch& batch, std::span<Activity> activities) const final {
    for (Index i = 0; i < batch.size(); ++i)
      activities[static_cast<std::size_t>(i)] = at(batch, i).Derived::activity(batch.context(i));
  }
  void shifts(const LawBatch& batch) const final {
    for (Index i = 0; i < batch.size(); ++i) at(batch, i).Derived::shift(batch.context(i), batch.shift(i));
  }
  void commits(const LawBatch& batch) const final {
    for (Index i = 0; i < batch.size(); ++i) at(batch, i).Derived::commit(batch.context(i), batch.memory(i));
  }
  void newton_errors(double tolerance, const LawBatch& batch, std::span<double> errors) const final {
    for (Index i = 0; i < batch.size(); ++i)
      errors[static_cast<std::size_t>(i)] =
          at(batch, i).Derived::newton_error(tolerance, batch.context(i), batch.block(i));
  }

 private:
  [[nodiscard]] static const Derived& at(const LawBatch& batch, Index i) {
    return static_cast<const Derived&>(batch.law(i));
  }
};

}  // namespace nonsmooth::laws
