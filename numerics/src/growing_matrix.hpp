// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A matrix that keeps its memory when it shrinks, as GrowingVector does. An expression that is assigned may look at it
/// only where it has the same size.
template <int Rows = Eigen::Dynamic>
class GrowingMatrix : public Eigen::Map<Eigen::Matrix<double, Rows, Eigen::Dynamic>> {
  using Base = Eigen::Map<Eigen::Matrix<double, Rows, Eigen::Dynamic>>;

 public:
  GrowingMatrix() : Base(nullptr, Rows == Eigen::Dynamic ? 0 : Rows, 0) {}
  GrowingMatrix(const GrowingMatrix&) = delete;
  GrowingMatrix(GrowingMatrix&& other) noexcept
      : Base(nullptr, Rows == Eigen::Dynamic ? 0 : Rows, 0), storage_(std::move(other.storage_)) {
    new (static_cast<Base*>(this)) Base(storage_.data(), other.rows(), other.cols());
    new (static_cast<Base*>(&other)) Base(nullptr, Rows == Eigen::Dynamic ? 0 : Rows, 0);
  }
  GrowingMatrix& operator=(const GrowingMatrix& other) { return *this = static_cast<const Base&>(other); }
  template <class Derived>
  GrowingMatrix& operator=(const Eigen::MatrixBase<Derived>& value) {
    resize(value.rows(), value.cols());
    Base::operator=(value);
    return *this;
  }

  /// Values are unspecified after a change. Allocates only beyond the most entries so far.
  void resize(Index rows, Index columns) {
    const auto entries = static_cast<std::size_t>(rows * columns);
    if (storage_.size() < entries) storage_.resize(entries);
    new (static_cast<Base*>(this)) Base(storage_.data(), rows, columns);
  }
  void resize(Index columns) requires(Rows != Eigen::Dynamic) { resize(Rows, columns); }

 private:
  std::vector<double> storage_;
};

}  // namespace nonsmooth
