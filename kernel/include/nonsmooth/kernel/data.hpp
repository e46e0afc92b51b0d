// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <type_traits>
#include <variant>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A callable, and not an Eigen expression (whose operator() takes two arguments as well).
template <class F, class... Arguments>
concept CallableWith = !std::is_base_of_v<Eigen::EigenBase<F>, F> && std::is_invocable_v<F&, Arguments...>;

/// A constant vector that a description is filled with: `{1.0, 0.0}` or any Eigen vector expression.
class ConstantVector {
 public:
  ConstantVector() = default;
  ConstantVector(std::initializer_list<double> entries);
  template <class Derived>
  ConstantVector(const Eigen::MatrixBase<Derived>& value) : value_(value) {}  // NOLINT: conversion is the purpose

  [[nodiscard]] const Eigen::VectorXd& value() const noexcept { return value_; }
  [[nodiscard]] Index size() const noexcept { return value_.size(); }

 private:
  Eigen::VectorXd value_;
};

/// A vector that is constant or a function of time: `{-m * g}`, an Eigen expression, or
/// `[](double t, VectorRef f) { f[0] = std::sin(t); }` (f comes in zeroed). Empty stands for zero.
class VectorData {
 public:
  using Function = std::function<void(double t, VectorRef value)>;

  VectorData() = default;
  VectorData(std::initializer_list<double> entries) : data_(ConstantVector(entries).value()) {}
  template <class Derived>
  VectorData(const Eigen::MatrixBase<Derived>& value) : data_(Eigen::VectorXd(value)) {}  // NOLINT
  template <CallableWith<double, VectorRef> F>
  VectorData(F function) : data_(Function(std::move(function))) {}  // NOLINT

  [[nodiscard]] bool empty() const noexcept { return data_.index() == 0; }
  [[nodiscard]] const Eigen::VectorXd* constant() const noexcept { return std::get_if<Eigen::VectorXd>(&data_); }
  [[nodiscard]] const Function* function() const noexcept { return std::get_if<Function>(&data_); }

 private:
  std::variant<std::monostate, Eigen::VectorXd, Function> data_;
};

/// A matrix that is constant (dense, sparse or diagonal) or a dense function of time: `{{2, 1}, {1, 2}}`, an Eigen
/// dense or sparse expression, `v.asDiagonal()`, or `[](double t, MatrixRef A) {...}` (A comes in zeroed).
/// Empty stands for zero, and for the identity where it is a mass.
class MatrixData {
 public:
  using Function = std::function<void(double t, MatrixRef value)>;
  using Sparse = Eigen::SparseMatrix<double>;
  struct Diagonal {
    Eigen::VectorXd entries;
  };

  MatrixData() = default;
  MatrixData(std::initializer_list<std::initializer_list<double>> rows);
  template <class Derived>
  MatrixData(const Eigen::MatrixBase<Derived>& value) : data_(Eigen::MatrixXd(value)) {}  // NOLINT
  template <class Derived>
  MatrixData(const Eigen::DiagonalBase<Derived>& value)  // NOLINT
      : data_(Diagonal{Eigen::VectorXd(value.diagonal())}) {}
  template <class Derived>
  MatrixData(const Eigen::SparseMatrixBase<Derived>& value) : data_(Sparse(value)) {}  // NOLINT
  template <CallableWith<double, MatrixRef> F>
  MatrixData(F function) : data_(Function(std::move(function))) {}  // NOLINT

  [[nodiscard]] bool empty() const noexcept { return data_.index() == 0; }
  [[nodiscard]] const Eigen::MatrixXd* dense() const noexcept { return std::get_if<Eigen::MatrixXd>(&data_); }
  [[nodiscard]] const Sparse* sparse() const noexcept { return std::get_if<Sparse>(&data_); }
  [[nodiscard]] const Eigen::VectorXd* diagonal() const noexcept {
    const auto* d = std::get_if<Diagonal>(&data_);
    return d ? &d->entries : nullptr;
  }
  [[nodiscard]] const Function* function() const noexcept { return std::get_if<Function>(&data_); }

  [[nodiscard]] Index rows() const noexcept;  ///< 0 for a function or an empty one
  [[nodiscard]] Index cols() const noexcept;
  /// The constant as a dense matrix; zero of n x n (or the identity) where empty. Not for functions.
  [[nodiscard]] Eigen::MatrixXd to_dense(Index n, bool identity_if_empty = false) const;
  /// True for an empty or diagonal constant (dense and sparse ones are looked at).
  [[nodiscard]] bool is_diagonal() const;
  [[nodiscard]] bool all_finite() const;

 private:
  std::variant<std::monostate, Eigen::MatrixXd, Sparse, Diagonal, Function> data_;
};

}  // namespace nonsmooth
