// SPDX-License-Identifier: Apache-2.0
// The problems of an instant as they are shown: of the mode that goes on, and of a jump.
#include <algorithm>
#include <cmath>

#include "first_order_part.hpp"
#include "impact/contact_problem.hpp"

namespace nonsmooth::events {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

BlockSet interval(double lower, double upper) {
  BlockSet set{.kind = SetKind::Free};
  if (lower == 0.0 && upper == kUnbounded) {
    set.kind = SetKind::Orthant;
  } else if (lower != -kUnbounded || upper != kUnbounded) {
    set = {.kind = SetKind::Box, .lower = lower, .upper = upper};
  }
  return set;
}

}  // namespace

void FirstOrderData::list_origins(OneStepNSProblem& problem) const {
  problem.layout = layout_;
  problem.blocks.clear();
  problem.systems.clear();
  const auto add_rows_of = [&](Index row, Index count, Index interaction, Index systems) {
    const Index first = static_cast<Index>(problem.systems.size()) - systems;
    for (Index local = 0; local < count; ++local) {
      problem.blocks.push_back(
          {.row = row + local, .interaction = interaction, .local = local, .first_system = first, .systems = systems});
    }
  };
  for (const Interaction& interaction : interactions) {
    for (const LinkedSystem& linked : interaction.systems) problem.systems.push_back(linked.system);
    add_rows_of(interaction.row, interaction.extended, layout_->interaction_of_slot[interaction.handle.slot],
                static_cast<Index>(interaction.systems.size()));
  }
  for (const System& system : systems_) {
    if (!system.form || system.form->R.rows() == 0) continue;
    problem.systems.push_back(system.place);
    add_rows_of(system.first_row, system.form->R.rows(), -1, 1);
  }
}

const OneStepNSProblem& FirstOrderPart::mode_problem() const {
  Shown& shown = mode_shown_;
  if (!shown.solved || shown.written) return shown.problem;
  const Eigen::VectorXd unit = step_.scale.cwiseInverse();
  ProductSet sets;
  for (const FirstOrderRow& row : data_.rows) sets.push_back(interval(row.lower, row.upper), 1);
  shown.problem.level = OneStepNSProblem::Level::Mode;
  impacts::write_problem(unit.asDiagonal() * step_.problem.M * unit.asDiagonal(), unit.cwiseProduct(step_.problem.q),
                         sets, shown.problem.reduced);
  impacts::write_result(step_.status, step_.solver, last_lambda_, shown.problem);
  data_.list_origins(shown.problem);
  shown.written = true;
  return shown.problem;
}

void FirstOrderPart::keep_jump(double t, const Eigen::VectorXd& x) {
  values(*mode_, t, x);  // later it would ask users' functions again
  jump_.lambda = s_.head(data_.m);
  jump_.e = data_.e;
  jump_.impulse = total_impulse_;
  jump_shown_.renew();
}

const OneStepNSProblem& FirstOrderPart::jump_problem() const {
  Shown& shown = jump_shown_;
  if (!shown.solved || shown.written) return shown.problem;
  ProductSet sets;  // no impulse has a bounded multiplier
  for (const FirstOrderRow& row : data_.rows) {
    sets.push_back(interval(std::isfinite(row.lower) ? 0.0 : -kUnbounded, std::isfinite(row.upper) ? 0.0 : kUnbounded),
                   1);
  }
  const auto& [C, D, P, stamp] = snapshots_[snapshot_].values;  // of the last instant
  Eigen::VectorXd q = jump_.e;
  q.noalias() += C * jump_.x;
  q.noalias() += D * jump_.lambda;
  shown.problem.level = OneStepNSProblem::Level::Jump;
  impacts::write_problem(C * P, q, sets, shown.problem.reduced);
  impacts::write_result(Status::Solved, "FirstOrderMode", jump_.impulse, shown.problem);
  // The mode took for zero what is within its thresholds of the terms that y is the sum of, which may cancel in q.
  const Eigen::VectorXd sizes = jump_.x.cwiseAbs() + P.cwiseAbs() * jump_.impulse.cwiseAbs();
  const Eigen::VectorXd terms = C.cwiseAbs() * sizes + D.cwiseAbs() * jump_.lambda.cwiseAbs() + jump_.e.cwiseAbs();
  const double zero = std::max(thresholds_.position, thresholds_.acceleration) * terms.lpNorm<Eigen::Infinity>();
  mixed::Result& result = shown.problem.result;
  if (!impacts::is_solved(result.certificate) && !(result.certificate.error <= zero)) result.status = Status::Stalled;
  data_.list_origins(shown.problem);
  shown.written = true;
  return shown.problem;
}

}  // namespace nonsmooth::events
