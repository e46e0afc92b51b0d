// SPDX-License-Identifier: Apache-2.0
#include "sweeping_batch.hpp"

#include <nonsmooth/kernel/state.hpp>

#include "model/guarded.hpp"

namespace nonsmooth {

bool SweepingBatch::takes(const SystemCandidate& candidate) const { return candidate.record.sweeping != nullptr; }

void SweepingBatch::prepare(const DiscretisedSystem& given) {
  list_.push_back({given.system, given.record.sweeping, Eigen::VectorXd::Zero(given.place().n)});
}

void SweepingBatch::free_state(const StepView& step, Eigen::VectorXd& z_free) {
  for (SweepingSystem& s : list_) {
    const auto& place = step.system(s.system);
    auto x = z_free.segment(place.z, place.n);
    x = step.state.unknowns.segment(place.z, place.n);
    if (s.description->f) {
      s.f.setZero();
      guarded(place.name, "f(t, x)", [&] { s.description->f(step.state.t, x, s.f); });
      require_finite(place.name, "f(t, x)", s.f);
      x += step.h() * s.f;
    }
    guarded(place.name, "project(t, x)", [&] { s.description->project(step.t_next, x); });
    require_finite(place.name, "project(t, x)", x);
  }
}

}  // namespace nonsmooth
