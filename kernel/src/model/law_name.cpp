// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/law_name.hpp>

#include "prepared_law.hpp"

namespace nonsmooth {

std::string law_name(const NonSmoothDynamicalSystem& model, std::uint32_t slot) {
  return model.interactions()[slot].law->law->name();
}

}  // namespace nonsmooth
