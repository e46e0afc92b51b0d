// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/decompositions.hpp>

namespace nonsmooth {

template <class T>
void Hidden<T>::make() {
  value_ = new T;
}
template <class T>
Hidden<T>::Hidden(const Hidden& other) : value_(other.value_ == nullptr ? nullptr : new T(*other.value_)) {}
template <class T>
Hidden<T>::~Hidden() {
  delete value_;
}

}  // namespace nonsmooth
