// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/io/run_writer.hpp>
#include <nonsmooth/kernel/drawn_shape.hpp>
#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth::runs {

/// Systems, interactions, sizes of a state's arrays, columns of a step and the scene of the model's present revision;
/// `shapes` are drawn beside those of its sources, as far as it has their bodies.
[[nodiscard]] RunDescription describe_model(const NonSmoothDynamicalSystem& model,
                                            const std::vector<DrawnShape>& shapes, const State& state);

}  // namespace nonsmooth::runs
