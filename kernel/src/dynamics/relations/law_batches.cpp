// SPDX-License-Identifier: Apache-2.0
// Laws that are asked while a step is taken: one virtual call a class and stage.
#include "law_batches.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <typeinfo>

namespace nonsmooth {

LawBatch::LawBatch(const Stage& stage) : stage_(&stage), asked_(0) {}

Index LawBatch::size() const noexcept { return static_cast<Index>(stage_->places.size()); }

const LawPlace& LawBatch::place(Index i) const {
  asked_ = i;
  return stage_->places[static_cast<std::size_t>(i)];
}

const NonSmoothLaw& LawBatch::law(Index i) const { return *place(i).law->law; }

LawContext LawBatch::context(Index i) const {
  const LawPlace& at = place(i);
  using Entries = Eigen::Map<const Eigen::VectorXd>;
  const auto rows = [&at](const double* values) { return Entries(values + at.row, at.law->size); };
  return {.use = at.law->use,
          .h = stage_->h,
          .t = stage_->t,
          .last_step = stage_->last_step,
          .forecast = at.forecast,
          .theta = at.theta,
          .position = at.position,
          .relation_weight = at.relation_weight,
          .multiplier_weight = at.multiplier_weight,
          .y = rows(stage_->y),
          .u = rows(stage_->u),
          .multiplier = rows(stage_->multiplier),
          .memory = Entries(stage_->memory + at.memory, at.law->memory),
          .first = stage_->first,
          .iterate = rows(stage_->iterate),
          .multiplier_scale = stage_->scale != nullptr ? rows(stage_->scale) : Entries(nullptr, 0)};
}

LawBlock& LawBatch::block(Index i) const { return *place(i).block; }

VectorRef LawBatch::shift(Index i) const {
  const LawPlace& at = place(i);
  return Eigen::Map<Eigen::VectorXd>(stage_->shifts + at.row, at.law->size);
}

VectorRef LawBatch::memory(Index i) const {
  const LawPlace& at = place(i);
  return Eigen::Map<Eigen::VectorXd>(stage_->committed + at.memory, at.law->memory);
}

void NonSmoothLaw::blocks(const LawBatch& batch) const {
  for (Index i = 0; i < batch.size(); ++i) batch.law(i).block(batch.context(i), batch.block(i));
}

void NonSmoothLaw::activities(const LawBatch& batch, std::span<Activity> activities) const {
  for (Index i = 0; i < batch.size(); ++i)
    activities[static_cast<std::size_t>(i)] = batch.law(i).activity(batch.context(i));
}

void NonSmoothLaw::shifts(const LawBatch& batch) const {
  for (Index i = 0; i < batch.size(); ++i) batch.law(i).shift(batch.context(i), batch.shift(i));
}

void NonSmoothLaw::commits(const LawBatch& batch) const {
  for (Index i = 0; i < batch.size(); ++i) batch.law(i).commit(batch.context(i), batch.memory(i));
}

void NonSmoothLaw::newton_errors(double tolerance, const LawBatch& batch, std::span<double> errors) const {
  for (Index i = 0; i < batch.size(); ++i)
    errors[static_cast<std::size_t>(i)] = batch.law(i).newton_error(tolerance, batch.context(i), batch.block(i));
}

namespace stages {
namespace {

/// What a state knows of blocks.
LawBatch::Stage stage_of(std::span<const LawPlace> places, const State& state, double h,
                         const Eigen::VectorXd& iterate) {
  return {.places = places,
          .h = h,
          .t = state.t,
          .last_step = state.last_step,
          .y = state.outputs.data(),
          .u = state.velocities.data(),
          .multiplier = state.multipliers.data(),
          .memory = state.law_memory.data(),
          .iterate = iterate.data()};
}

const PreparedLaw& law_of(const LawGroup& group, const RelationCaches& relations) {
  return *relations.law_places[static_cast<std::size_t>(group.begin)].law;
}

template <class Values>
auto part_of(const LawGroup& group, Values& values) {
  return std::span(values).subspan(static_cast<std::size_t>(group.begin),
                                   static_cast<std::size_t>(group.end - group.begin));
}

std::string who(const LawPlace& place, const RelationCaches* relations) {
  return (place.interaction < 0 ? "a detected contact" : relations->interaction(place.interaction).name) + " (" +
         place.law->law->name() + ")";
}

}  // namespace

void require_finite_numbers(const LawPlace& place, const RelationCaches* relations, const char* what,
                            const double* values, Index count) {
  for (Index i = 0; i < count; ++i) {
    if (!std::isfinite(values[i]))
      throw CallableFailure{std::string(what) + " of " + who(place, relations) + " is not finite"};
  }
}

void check_law_block(const LawPlace& place, const RelationCaches* relations) {
  const PreparedLaw& law = *place.law;
  const LawBlock& block = *place.block;
  const bool fits = block.coupling.rows() == law.coupling.rows() && block.coupling.cols() == law.coupling.cols() &&
                    block.offset.size() == law.offset.size() &&
                    std::equal(block.parts.begin(), block.parts.end(), law.parts.begin(), law.parts.end(),
                               [](const auto& one, const auto& other) { return one.size == other.size; });
  if (!fits)
    throw CallableFailure{"the law's block of " + who(place, relations) + " has other sizes than when it was linked"};
  require_finite_numbers(place, relations, "the coupling of the law", block.coupling.data(), block.coupling.size());
  require_finite_numbers(place, relations, "the offset of the law", block.offset.data(), block.offset.size());
}

bool asked_alike(const PreparedLaw& one, const PreparedLaw& other) {
  const NonSmoothLaw &left = *one.law, &right = *other.law;
  return typeid(left) == typeid(right) && one.varies == other.varies && one.decides == other.decides &&
         one.shifts == other.shifts && (one.memory > 0) == (other.memory > 0);
}

void group_laws(RelationCaches& relations) {
  relations.law_places.clear();
  relations.law_groups.clear();
  relations.laws_vary = relations.laws_decide = relations.laws_shift = relations.any_memory = false;
  std::vector<InteractionPlan*> open;
  for (InteractionPlan& interaction : relations.interactions) {
    const PreparedLaw& law = *interaction.law;
    interaction.law_place = -1;
    relations.laws_vary = relations.laws_vary || law.varies != LawVaries::Never;
    relations.laws_decide = relations.laws_decide || law.decides;
    relations.laws_shift = relations.laws_shift || law.shifts;
    relations.any_memory = relations.any_memory || law.memory > 0;
    if (law.varies != LawVaries::Never || law.decides || law.shifts || law.memory > 0) open.push_back(&interaction);
  }
  while (!open.empty()) {
    const PreparedLaw& first = *open.front()->law;
    const auto others = std::stable_partition(
        open.begin(), open.end(), [&first](const InteractionPlan* other) { return asked_alike(first, *other->law); });
    LawGroup group{.begin = static_cast<Index>(relations.law_places.size())};
    for (auto each = open.begin(); each != others; ++each) {
      InteractionPlan& interaction = **each;
      interaction.law_place = static_cast<Index>(relations.law_places.size());
      const PreparedLaw& law = *interaction.law;
      for (Index b = 0; b < interaction.rows / law.size; ++b) {
        relations.law_places.push_back(
            {.law = &law,
             .block = interaction.law_blocks.empty() ? nullptr : &interaction.law_blocks[static_cast<std::size_t>(b)],
             .row = interaction.row + b * law.size,
             .memory = interaction.memory + b * law.memory,
             .forecast = interaction.scheme.forecast,
             .theta = interaction.scheme.theta,
             .position = interaction.scheme.position,
             .relation_weight = interaction.scheme.relation_weight,
             .multiplier_weight = interaction.scheme.multiplier_weight,
             .interaction = &interaction - relations.interactions.data()});
      }
    }
    group.end = static_cast<Index>(relations.law_places.size());
    relations.law_groups.push_back(group);
    open.erase(open.begin(), others);
  }
  const std::size_t count = relations.law_places.size();
  relations.law_activities.assign(count, Activity::WhereClosed);
  relations.law_errors.assign(count, 0.0);
  relations.law_acts.assign(count, 0);
  relations.law_shifts.assign(relations.w.size(), 0.0);
  relations.shifting.reserve(relations.laws_shift ? count : 0);
}

void evaluate_law_blocks(const StepView& step, const Iterate& iterate, RelationCaches& relations) {
  for (const LawGroup& group : relations.law_groups) {
    const LawVaries varies = law_of(group, relations).varies;
    const bool iterates = varies == LawVaries::Iterate;
    if (varies == LawVaries::Never || !(iterates || iterate.first)) continue;
    const auto places = part_of(group, relations.law_places);
    LawBatch::Stage stage = stage_of(places, step.state, step.h(), iterates ? iterate.lambda : step.state.multipliers);
    stage.first = iterate.first;
    ask_batch(stage, &relations, "the law's block",
              [](const NonSmoothLaw& law, const LawBatch& batch) { law.blocks(batch); });
    for (const LawPlace& place : places) check_law_block(place, &relations);
  }
  for (BlockPlan& block : relations.blocks) {
    const InteractionPlan& interaction = relations.interaction_of(block);
    const LawVaries varies = interaction.law->varies;
    if (varies == LawVaries::Iterate || (varies != LawVaries::Never && iterate.first))
      block.set = set_in_impulses(step.h(), block, interaction);
  }
}

void evaluate_law_activities(const StepView& step, RelationCaches& relations) {
  for (const LawGroup& group : relations.law_groups) {
    if (!law_of(group, relations).decides) continue;
    ask_batch(stage_of(part_of(group, relations.law_places), step.state, step.h(), step.state.multipliers), &relations,
              "the law's activity", [&](const NonSmoothLaw& law, const LawBatch& batch) {
                law.activities(batch, part_of(group, relations.law_activities));
              });
  }
}

void evaluate_law_shifts(const StepView& step, RelationCaches& relations) {
  std::fill(relations.law_shifts.begin(), relations.law_shifts.end(), 0.0);
  for (const LawGroup& group : relations.law_groups) {
    if (!law_of(group, relations).shifts) continue;
    relations.shifting.clear();
    for (Index i = group.begin; i < group.end; ++i) {
      const auto number = static_cast<std::size_t>(i);
      if (relations.law_acts[number] != 0) relations.shifting.push_back(relations.law_places[number]);
    }
    LawBatch::Stage stage = stage_of(relations.shifting, step.state, step.h(), step.state.multipliers);
    stage.shifts = relations.law_shifts.data();
    ask_batch(stage, &relations, "the law's shift",
              [](const NonSmoothLaw& law, const LawBatch& batch) { law.shifts(batch); });
    for (const LawPlace& place : relations.shifting)
      require_finite_numbers(place, &relations, "the law's shift", stage.shifts + place.row, place.law->size);
  }
}

void evaluate_law_errors(double tolerance, const StepView& step, const Iterate& iterate,
                         const Eigen::VectorXd& multipliers, const Eigen::VectorXd& scale, RelationCaches& relations) {
  for (const LawGroup& group : relations.law_groups) {
    if (law_of(group, relations).varies != LawVaries::Iterate) continue;
    const auto errors = part_of(group, relations.law_errors);
    LawBatch::Stage stage = stage_of(part_of(group, relations.law_places), step.state, step.h(), multipliers);
    stage.first = iterate.first;
    stage.scale = scale.data();
    ask_batch(stage, &relations, "the law's error",
              [&](const NonSmoothLaw& law, const LawBatch& batch) { law.newton_errors(tolerance, batch, errors); });
    for (std::size_t i = 0; i < errors.size(); ++i) {
      require_finite_numbers(stage.places[i], &relations, "the law's error", &errors[i], 1);
      if (errors[i] < 0.0)
        throw CallableFailure{"the law's error of " + who(stage.places[i], &relations) + " is negative"};
    }
  }
}

void update_law_memory(const Eigen::VectorXd& before, const RelationCaches& relations, State& state) {
  if (!relations.any_memory) return;
  if (&before != &state.law_memory) state.law_memory = before;
  for (const LawGroup& group : relations.law_groups) {
    if (law_of(group, relations).memory == 0) continue;
    LawBatch::Stage stage = stage_of(part_of(group, relations.law_places), state, state.last_step, state.multipliers);
    stage.committed = state.law_memory.data();
    ask_batch(stage, &relations, "what the law remembers",
              [](const NonSmoothLaw& law, const LawBatch& batch) { law.commits(batch); });
    for (const LawPlace& place : stage.places)
      require_finite_numbers(place, &relations, "what the law remembers", stage.committed + place.memory,
                             place.law->memory);
  }
}

}  // namespace stages
}  // namespace nonsmooth
