// SPDX-License-Identifier: Apache-2.0
// Laws that are asked while a step is taken: one virtual call a class and stage.
#include "law_batches.hpp"

#include <algorithm>
#include <typeinfo>

#include "model/guarded.hpp"

namespace nonsmooth {

LawBatch::LawBatch(const Stage& stage) : stage_(&stage), asked_(stage.begin) {}

Index LawBatch::size() const noexcept { return stage_->end - stage_->begin; }

const LawPlace& LawBatch::place(Index i) const {
  asked_ = stage_->begin + i;
  return stage_->places[static_cast<std::size_t>(asked_)];
}

const NonSmoothLaw& LawBatch::law(Index i) const { return *place(i).interaction->law->law; }

LawContext LawBatch::context(Index i) const {
  const LawPlace& at = place(i);
  LawContext context = stages::law_context(*at.interaction, at.number, stage_->state, stage_->h, stage_->iterate);
  context.first = stage_->first;
  return context;
}

LawBlock& LawBatch::block(Index i) const {
  const LawPlace& at = place(i);
  return at.interaction->law_blocks[static_cast<std::size_t>(at.number)];
}

VectorRef LawBatch::shift(Index i) const {
  const LawPlace& at = place(i);
  const Index size = at.interaction->law->size;
  return Eigen::Map<Eigen::VectorXd>(stage_->shifts + at.interaction->row + at.number * size, size);
}

VectorRef LawBatch::memory(Index i) const {
  const LawPlace& at = place(i);
  const Index size = at.interaction->law->memory;
  return stage_->memory->segment(at.interaction->memory + at.number * size, size);
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

/// Two laws are asked together where they are of one class and are asked for the same.
bool asked_alike(const PreparedLaw& one, const PreparedLaw& other) {
  const NonSmoothLaw &left = *one.law, &right = *other.law;
  return typeid(left) == typeid(right) && one.varies == other.varies && one.decides == other.decides &&
         one.shifts == other.shifts && (one.memory > 0) == (other.memory > 0);
}

/// Calls ask(law, batch) once for the blocks of a stage; a failure is told with the interaction that was being asked.
template <class Ask>
void ask_batch(const LawBatch::Stage& stage, const char* what, Ask ask) {
  if (stage.begin == stage.end) return;
  const LawBatch batch(stage);
  const auto first = static_cast<std::size_t>(stage.begin);
  try {
    ask(*stage.places[first].interaction->law->law, batch);
  } catch (...) {
    const LawPlace& failed = stage.places[static_cast<std::size_t>(batch.asked())];
    guarded(failed.interaction->name, what, [] { throw; });
  }
}

const PreparedLaw& law_of(const LawGroup& group, const RelationCaches& relations) {
  return *relations.law_places[static_cast<std::size_t>(group.begin)].interaction->law;
}

template <class Values>
auto part_of(const LawGroup& group, Values& values) {
  return std::span(values).subspan(static_cast<std::size_t>(group.begin),
                                   static_cast<std::size_t>(group.end - group.begin));
}

/// What a law gave fits what it gave when it was linked.
void check_law_block(const InteractionPlan& interaction, const LawBlock& block) {
  const PreparedLaw& law = *interaction.law;
  if (block.parts.size() != law.parts.size() || block.coupling.size() != law.coupling.size() ||
      block.offset.size() != law.offset.size())
    throw CallableFailure{"the law's block of " + interaction.name + " has other sizes than when it was linked"};
  require_finite(interaction.name, "the coupling of the law", block.coupling);
  require_finite(interaction.name, "the offset of the law", block.offset);
}

}  // namespace

void group_laws(RelationCaches& relations) {
  relations.law_places.clear();
  relations.law_groups.clear();
  relations.laws_vary = relations.laws_shift = relations.any_memory = false;
  std::vector<InteractionPlan*> open;
  for (InteractionPlan& interaction : relations.interactions) {
    const PreparedLaw& law = *interaction.law;
    interaction.law_place = -1;
    relations.laws_vary = relations.laws_vary || law.varies != LawVaries::Never;
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
      for (Index b = 0; b < interaction.rows / interaction.law->size; ++b)
        relations.law_places.push_back({&interaction, b});
    }
    group.end = static_cast<Index>(relations.law_places.size());
    relations.law_groups.push_back(group);
    open.erase(open.begin(), others);
  }
  const std::size_t count = relations.law_places.size();
  relations.law_activities.assign(count, Activity::WhereClosed);
  relations.law_errors.assign(count, 0.0);
  relations.law_acts.assign(count, 0);
  relations.law_shifts.assign(relations.laws_shift ? relations.w.size() : 0, 0.0);
  relations.shifting.reserve(relations.laws_shift ? count : 0);
}

void evaluate_law_blocks(const StepView& step, const Iterate& iterate, RelationCaches& relations) {
  for (const LawGroup& group : relations.law_groups) {
    const LawVaries varies = law_of(group, relations).varies;
    const bool iterates = varies == LawVaries::Iterate;
    if (varies == LawVaries::Never || !(iterates || iterate.first)) continue;
    ask_batch({.places = relations.law_places,
               .begin = group.begin,
               .end = group.end,
               .state = step.state,
               .h = step.h(),
               .iterate = iterates ? iterate.lambda : step.state.multipliers,
               .first = iterate.first},
              "the law's block", [](const NonSmoothLaw& law, const LawBatch& batch) { law.blocks(batch); });
    for (const LawPlace& place : part_of(group, relations.law_places))
      check_law_block(*place.interaction, place.interaction->law_blocks[static_cast<std::size_t>(place.number)]);
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
    ask_batch({.places = relations.law_places,
               .begin = group.begin,
               .end = group.end,
               .state = step.state,
               .h = step.h(),
               .iterate = step.state.multipliers},
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
    ask_batch({.places = relations.shifting,
               .begin = 0,
               .end = static_cast<Index>(relations.shifting.size()),
               .state = step.state,
               .h = step.h(),
               .iterate = step.state.multipliers,
               .shifts = relations.law_shifts.data()},
              "the law's shift", [](const NonSmoothLaw& law, const LawBatch& batch) { law.shifts(batch); });
  }
}

void evaluate_law_errors(double tolerance, const StepView& step, const Eigen::VectorXd& multipliers,
                         RelationCaches& relations) {
  for (const LawGroup& group : relations.law_groups) {
    if (law_of(group, relations).varies != LawVaries::Iterate) continue;
    ask_batch({.places = relations.law_places,
               .begin = group.begin,
               .end = group.end,
               .state = step.state,
               .h = step.h(),
               .iterate = multipliers},
              "the law's error", [&](const NonSmoothLaw& law, const LawBatch& batch) {
                law.newton_errors(tolerance, batch, part_of(group, relations.law_errors));
              });
  }
}

void update_law_memory(const Eigen::VectorXd& before, const RelationCaches& relations, State& state) {
  if (!relations.any_memory) return;
  if (&before != &state.law_memory) state.law_memory = before;
  for (const LawGroup& group : relations.law_groups) {
    if (law_of(group, relations).memory == 0) continue;
    ask_batch({.places = relations.law_places,
               .begin = group.begin,
               .end = group.end,
               .state = state,
               .h = state.last_step,
               .iterate = state.multipliers,
               .memory = &state.law_memory},
              "what the law remembers", [](const NonSmoothLaw& law, const LawBatch& batch) { law.commits(batch); });
  }
}

}  // namespace stages
}  // namespace nonsmooth
