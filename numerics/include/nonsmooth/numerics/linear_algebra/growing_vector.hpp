// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A vector of doubles that keeps its memory when it shrinks: Eigen's own reallocates at every change of size, which a
/// step whose number of contacts varies cannot afford. Behaves as an Eigen vector expression (it is a Map of its own
/// storage) and binds to VectorRef and ConstVectorRef without a copy.
class GrowingVector : public Eigen::Map<Eigen::VectorXd> {
  using Base = Eigen::Map<Eigen::VectorXd>;

 public:
  GrowingVector() : Base(nullptr, 0) {}
  template <class Derived>
  GrowingVector(const Eigen::MatrixBase<Derived>& value) : GrowingVector() {  // NOLINT: as Eigen's own vectors convert
    *this = value;
  }
  GrowingVector(const GrowingVector& other) : Base(nullptr, 0), storage_(other.begin(), other.end()) {
    seat(other.size());
  }
  GrowingVector(GrowingVector&& other) noexcept : Base(nullptr, 0), storage_(std::move(other.storage_)) {
    seat(other.size());
    other.seat(0);
  }
  GrowingVector& operator=(const GrowingVector& other) {
    if (this != &other) {
      resize(other.size());
      std::copy(other.begin(), other.end(), begin());
    }
    return *this;
  }
  /// Takes the other's memory where that is no smaller, else copies: what was grown once stays.
  GrowingVector& operator=(GrowingVector&& other) noexcept {
    if (other.storage_.size() < storage_.size()) {
      seat(other.size());
      std::copy(other.begin(), other.end(), begin());
    } else if (this != &other) {
      storage_.swap(other.storage_);
      const Index size = this->size();
      seat(other.size());
      other.seat(size);
    }
    return *this;
  }
  template <class Derived>
  GrowingVector& operator=(const Eigen::MatrixBase<Derived>& value) {
    if (static_cast<std::size_t>(value.size()) <= storage_.size()) {
      seat(value.size());  // expressions hold maps by value: one that looks at the old entries still finds them
      Base::operator=(value);
    } else {
      const Eigen::VectorXd copy = value;  // growing moves the entries the expression may look at
      resize(copy.size());
      Base::operator=(copy);
    }
    return *this;
  }

  /// Values are unspecified after a change of size. Allocates only beyond the largest size so far.
  void resize(Index size) {
    if (storage_.size() < static_cast<std::size_t>(size)) storage_.resize(static_cast<std::size_t>(size));
    seat(size);
  }
  using Base::setZero;
  GrowingVector& setZero(Index size) {
    resize(size);
    Base::setZero();
    return *this;
  }

 private:
  void seat(Index size) noexcept { new (static_cast<Base*>(this)) Base(storage_.data(), size); }

  std::vector<double> storage_;
};

}  // namespace nonsmooth
