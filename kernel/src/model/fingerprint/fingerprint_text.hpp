// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include <internal/class_name.hpp>
#include <nonsmooth/kernel/data.hpp>
#include <nonsmooth/kernel/sparse_pattern.hpp>

/// Words and numbers of fingerprints.
namespace nonsmooth::fingerprint {

/// FNV-1a, word by word.
class Hash {
 public:
  void add(std::uint64_t word) noexcept { value_ = (value_ ^ word) * 1099511628211ull; }
  void add(double number) noexcept;
  void add(const ConstMatrixRef& numbers);
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t value_ = 14695981039346656037ull;
};

inline constexpr Index kMostNumbers = 64;  ///< that are written out

[[nodiscard]] std::string text(double number);
[[nodiscard]] std::string text(const ConstVectorRef& numbers);
[[nodiscard]] std::string matrix_text(const ConstMatrixRef& matrix);
[[nodiscard]] std::string text(const Eigen::SparseMatrix<double>& matrix);
/// Of rows x columns where it is a function, which is asked at t = 0.
[[nodiscard]] std::string text(const MatrixData& data, Index rows, Index columns);
[[nodiscard]] std::string text(const VectorData& data, Index size);

/// What `call` returns, or what it throws.
template <class Call>
[[nodiscard]] std::string asked(Call&& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    return std::string("throws: ") + error.what();
  } catch (...) {
    return "throws what is no std::exception";
  }
}

/// "head: name = value; name = value", in one line.
class Line {
 public:
  explicit Line(std::string head) : text_(std::move(head)) {}
  Line& add(std::string_view name, std::string_view value);
  Line& add(std::string_view name, Index value) { return add(name, std::to_string(value)); }
  [[nodiscard]] std::string take();

 private:
  std::string text_;
  bool empty_ = true;
};

}  // namespace nonsmooth::fingerprint
