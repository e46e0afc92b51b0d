// SPDX-License-Identifier: Apache-2.0
#include "nested_cones.hpp"

#include <cmath>

#include "fixed_law.hpp"

namespace nonsmooth {

Index NestedConesLaw::acting(ConstVectorRef y, ConstVectorRef memory, double h) const {
  const Index r = data_->form.degree;
  Index level = 0;
  for (; level < r - 1; ++level) {
    double size = 0.0, power = 1.0;
    for (Index j = level; j < r; ++j, power *= h) size = std::max(size, power * std::max(memory[j], std::abs(y[j])));
    if (!(y[level] <= data_->options.closed * size)) break;
  }
  return level + 1;
}

LawShape NestedConesLaw::shape(LawUse use) const {
  if (!use.first_order)
    throw InvalidArgument("law", "nested cones on a mechanical relation", "what link_higher_order() links");
  LawShape shape;
  shape.size = shape.memory = data_->form.degree;
  shape.varies = LawVaries::Step;
  return shape;
}

void NestedConesLaw::block(const LawContext& context, LawBlock& block) const {
  const Index r = data_->form.degree, number = acting(context.y, context.memory, context.h);
  if (block.parts.empty()) block.parts.assign(static_cast<std::size_t>(r), {laws::box(0.0, laws::unbounded), 1});
  for (Index i = 0; i < r; ++i) block.parts[static_cast<std::size_t>(i)].set.upper = i < number ? laws::unbounded : 0.0;
}

void NestedConesLaw::commit(const LawContext& context, VectorRef memory) const {
  const Index r = data_->form.degree;
  for (Index i = 0; i < r; ++i) {
    const double gain = i + 1 < r ? 1.0 : gain_;
    memory[i] = std::max({memory[i], std::abs(context.y[i]), gain * context.h * std::abs(context.multiplier[i])});
  }
}

const NestedConesLaw* nested_cones(const NonSmoothLaw& law) { return dynamic_cast<const NestedConesLaw*>(&law); }

}  // namespace nonsmooth
