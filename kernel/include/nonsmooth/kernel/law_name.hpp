// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// NonSmoothLaw::name() of the law that an interaction obeys, by its slot (Layout::Interaction).
[[nodiscard]] std::string law_name(const NonSmoothDynamicalSystem& model, std::uint32_t slot);

}  // namespace nonsmooth
