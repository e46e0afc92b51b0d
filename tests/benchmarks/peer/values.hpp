// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>

#include <SiconosKernel.hpp>

namespace peer {

inline SP::SiconosVector vector_of(std::initializer_list<double> values) {
  auto v = std::make_shared<SiconosVector>(static_cast<unsigned>(values.size()));
  unsigned i = 0;
  for (const double value : values) v->setValue(i++, value);
  return v;
}

}  // namespace peer
