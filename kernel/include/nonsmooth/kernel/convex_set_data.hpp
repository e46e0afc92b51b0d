// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

#include <nonsmooth/kernel/data.hpp>
#include <nonsmooth/numerics/vi/convex_set.hpp>

namespace nonsmooth {

/// A closed convex set that is constant or a function of time: `vi::Ball{center, 1.0}`, any other set of vi, or
/// `[](double t) { return vi::ConvexSet(vi::Ball{{t, 0.0}, 1.0}); }`. Empty stands for none.
class ConvexSetData {
 public:
  using Function = std::function<vi::ConvexSet(double t)>;

  ConvexSetData() = default;
  template <class Set>
  requires std::is_convertible_v<Set, vi::ConvexSet> ConvexSetData(const Set& set)  // NOLINT: conversion is the purpose
      : data_(vi::ConvexSet(set)) {}
  template <CallableWith<double> F>
  requires std::is_convertible_v<std::invoke_result_t<F&, double>, vi::ConvexSet> ConvexSetData(F function)  // NOLINT
      : data_(Function(std::move(function))) {}

  [[nodiscard]] bool empty() const noexcept { return data_.index() == 0; }
  [[nodiscard]] const vi::ConvexSet* constant() const noexcept { return std::get_if<vi::ConvexSet>(&data_); }
  [[nodiscard]] const Function* function() const noexcept { return std::get_if<Function>(&data_); }

 private:
  std::variant<std::monostate, vi::ConvexSet, Function> data_;
};

}  // namespace nonsmooth
