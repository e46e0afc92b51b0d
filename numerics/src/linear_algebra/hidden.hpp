// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/decompositions.hpp>

namespace nonsmooth {

template <class T>
Hidden<T>::Hidden() : value_(new T) {}
template <class T>
Hidden<T>::Hidden(const Hidden& other) : value_(new T(*other.value_)) {}
template <class T>
Hidden<T>::~Hidden() {
  delete value_;
}

}  // namespace nonsmooth
