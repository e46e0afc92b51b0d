// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/types.hpp>

/// What objects remember, as numbers of a State. A class lists its members once,
///
///     template <class Memory> void remember(Memory& memory) { memory(a_, b_); }
///
/// and a Writer takes their values, a Reader gives them back: numbers, enumerations, dense vectors and matrices,
/// std::vector of these and of classes that remember.
namespace nonsmooth::memory {

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends to `numbers`, which keeps its capacity.
class Writer {
 public:
  static constexpr bool reads = false;
  explicit Writer(std::vector<double>& numbers) : numbers_(numbers) { numbers_.clear(); }
  template <class... Values>
  void operator()(Values&... values) {
    (number_by_number(*this, values), ...);
  }
  template <Number T>
  void number(T& value) {
    numbers_.push_back(static_cast<double>(value));
  }

 private:
  std::vector<double>& numbers_;
};

/// @throws InvalidArgument where the numbers are fewer than are asked for.
class Reader {
 public:
  static constexpr bool reads = true;
  explicit Reader(const std::vector<double>& numbers) : numbers_(numbers) {}
  template <class... Values>
  void operator()(Values&... values) {
    (number_by_number(*this, values), ...);
  }
  template <Number T>
  void number(T& value) {
    if (next_ == numbers_.size())
      throw InvalidArgument("State::events", "fewer numbers than the model has", "what a simulation wrote");
    value = static_cast<T>(numbers_[next_++]);
  }

 private:
  const std::vector<double>& numbers_;
  std::size_t next_ = 0;
};

template <class Memory, class T>
void number_by_number(Memory& memory, T& value) {
  if constexpr (Number<T>) {
    memory.number(value);
  } else if constexpr (requires { value.remember(memory); }) {
    value.remember(memory);
  } else if constexpr (requires { value.derived(); }) {
    Index rows = value.rows(), columns = value.cols();
    memory.number(rows), memory.number(columns);
    if constexpr (Memory::reads) value.resize(rows, columns);
    for (Index k = 0; k < value.size(); ++k) memory.number(value.data()[k]);
  } else {
    std::size_t size = value.size();
    memory.number(size);
    if constexpr (Memory::reads) value.resize(size);
    for (auto& entry : value) number_by_number(memory, entry);
  }
}

}  // namespace nonsmooth::memory
