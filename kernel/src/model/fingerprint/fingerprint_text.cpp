// SPDX-License-Identifier: Apache-2.0
#include "fingerprint_text.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace nonsmooth::fingerprint {
namespace {

void append(std::string& text, double number) {
  if (std::isnan(number)) {
    text += "nan";  // whatever its sign
    return;
  }
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  text.append(buffer.data(), end.ptr);
}

std::string shape(Index rows, Index columns) { return std::to_string(rows) + " x " + std::to_string(columns); }

bool is_diagonal(const ConstMatrixRef& matrix) {
  if (matrix.rows() != matrix.cols() || matrix.rows() < 2) return false;
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      if (i != j && matrix(i, j) != 0.0) return false;  // a NaN is no zero
    }
  }
  return true;
}

}  // namespace

void Hash::add(double number) noexcept {
  add(std::isnan(number) ? std::uint64_t{0x7ff8000000000000} : std::bit_cast<std::uint64_t>(number));
}

void Hash::add(const ConstMatrixRef& numbers) {
  add(static_cast<std::uint64_t>(numbers.rows()));
  add(static_cast<std::uint64_t>(numbers.cols()));
  for (Index j = 0; j < numbers.cols(); ++j) {
    for (Index i = 0; i < numbers.rows(); ++i) add(numbers(i, j));
  }
}

std::string Hash::text() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t k = 0; k < 16; ++k) text[15 - k] = digits[(value_ >> (4 * k)) & 15];
  return text;
}

std::string text(double number) {
  std::string result;
  append(result, number);
  return result;
}

std::string text(const ConstVectorRef& numbers) {
  if (numbers.size() > kMostNumbers) {
    Hash hash;
    hash.add(numbers);
    return std::to_string(numbers.size()) + " numbers of hash " + hash.text();
  }
  std::string result = "[";
  for (Index i = 0; i < numbers.size(); ++i) {
    if (i > 0) result += ' ';
    append(result, numbers[i]);
  }
  return result += ']';
}

std::string matrix_text(const ConstMatrixRef& matrix) {
  if (is_diagonal(matrix)) return "diagonal " + text(Eigen::VectorXd(matrix.diagonal()));
  if (matrix.size() > kMostNumbers) {
    Hash hash;
    hash.add(matrix);
    return shape(matrix.rows(), matrix.cols()) + " of hash " + hash.text();
  }
  std::string result = "[";
  for (Index i = 0; i < matrix.rows(); ++i) {
    if (i > 0) result += " | ";
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (j > 0) result += ' ';
      append(result, matrix(i, j));
    }
  }
  return result += ']';
}

std::string text(const Eigen::SparseMatrix<double>& matrix) {
  Hash hash;
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
      hash.add(static_cast<std::uint64_t>(entry.row()));
      hash.add(static_cast<std::uint64_t>(entry.col()));
      hash.add(entry.value());
    }
  }
  return "sparse " + shape(matrix.rows(), matrix.cols()) + ", " + std::to_string(matrix.nonZeros()) +
         " entries of hash " + hash.text();
}

std::string text(const MatrixData& data, Index rows, Index columns) {
  if (data.empty()) return "none";
  if (const auto* diagonal = data.diagonal()) return "diagonal " + text(*diagonal);
  if (const auto* sparse = data.sparse()) return text(*sparse);
  if (const auto* dense = data.dense()) return matrix_text(*dense);
  return "a function, at t = 0 " + asked([&] {
           Eigen::MatrixXd value = Eigen::MatrixXd::Zero(rows, columns);
           (*data.function())(0.0, value);
           return matrix_text(value);
         });
}

std::string text(const VectorData& data, Index size) {
  if (data.empty()) return "none";
  if (const auto* constant = data.constant()) return text(*constant);
  return "a function, at t = 0 " + asked([&] {
           Eigen::VectorXd value = Eigen::VectorXd::Zero(size);
           (*data.function())(0.0, value);
           return text(value);
         });
}

Line& Line::add(std::string_view name, std::string_view value) {
  text_ += empty_ ? ": " : "; ";
  empty_ = false;
  text_ += name;
  text_ += " = ";
  text_ += value;
  return *this;
}

std::string Line::take() {
  for (char& one : text_) {
    if (static_cast<unsigned char>(one) < 0x20) one = ' ';  // of names and of what functions throw
  }
  return std::move(text_);
}

}  // namespace nonsmooth::fingerprint
