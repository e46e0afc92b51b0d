// SPDX-License-Identifier: Apache-2.0
#include "process_batch.hpp"

#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {

bool ProcessBatch::takes(const SystemCandidate& candidate) const { return candidate.record.with_law != nullptr; }

void ProcessBatch::prepare(const DiscretisedSystem& given) {
  list_.push_back({given.system, given.record.with_law->stepper(given.place().name)});
}

void ProcessBatch::free_state(const StepView& step, Eigen::VectorXd& z_free) {
  solved_ = {};
  for (const SteppedProcess& s : list_) {
    const auto& place = step.system(s.system);
    auto x = z_free.segment(place.z, place.n);
    x = step.state.unknowns.segment(place.z, place.n);
    solved_.failed = true;  // should it throw
    const OwnProblem one = s.stepper->step(step.state.t, step.t_next, step.h(), x);
    solved_.failed = false;
    if (one.rows == 0) continue;
    if (solved_.rows == 0 || one.certificate.residual > solved_.certificate.residual) {
      solved_.certificate = one.certificate;
      solved_.at_round_off = one.at_round_off;
    }
    solved_.rows += one.rows;
    solved_.iterations += one.iterations;
  }
}

}  // namespace nonsmooth
