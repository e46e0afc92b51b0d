// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>

#if defined(__GNUC__)
#include <cxxabi.h>
#endif

namespace nonsmooth {

/// "nonsmooth::RigidBodySystem": a class as the compiler calls it.
[[nodiscard]] inline std::string class_name(const std::type_info& type) {
#if defined(__GNUC__)
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                    std::free);
  if (name) return name.get();
#endif
  return type.name();
}

}  // namespace nonsmooth
