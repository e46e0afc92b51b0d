// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "siconos_matrix.hpp"

namespace nonsmooth::problem_files {

/// The matrices of one file, by the word they start at: several layouts ask for the same.
class MatrixCache {
 public:
  /// The cursor goes past the matrix. @throws FormatError.
  std::shared_ptr<const StoredMatrix> read(Cursor& cursor, std::string_view what);
  /// The same, and it must have this shape.
  std::shared_ptr<const StoredMatrix> read(Cursor& cursor, std::string_view what, Index rows, Index columns);

 private:
  struct Entry {
    std::shared_ptr<const StoredMatrix> matrix;
    std::size_t end = 0;
  };
  std::map<std::size_t, Entry> entries_;
};

/// What one layout made of the words.
struct Reading {
  AnyProblem problem;
  std::string title{};
  bool names_class = false;  ///< the remark behind the numbers says this very class
};

/// When a layout is taken. Two layouts may fit one text, word for word; this settles which it is.
enum class Precedence : unsigned char {
  First,       ///< whenever it fits
  IfNoOther,   ///< where none of the first fits
  IfExpected,  ///< where its class is expected and nothing else fits as that class, or the text names it
  Last         ///< where none else fits or ran out of words past its sizes: its numbers say little of their own shape
};

/// One way to read a text. @throws FormatError, or InvalidArgument from the problem's own checks, where it does not
/// fit.
struct Layout {
  std::string_view name;       ///< "lcp", "global friction", ...
  ProblemClass problem_class;  ///< of what it reads
  Reading (*read)(Cursor& cursor, MatrixCache& matrices);
  Precedence precedence = Precedence::First;
};

[[nodiscard]] std::span<const Layout> layouts() noexcept;

/// The text after the last number, on lines of its own, the mark "# " of each taken off. @throws FormatError where
/// something else follows.
[[nodiscard]] std::string closing_remark(const Cursor& cursor);

/// A problem whose block i has sets[i] and sizes[i] rows.
[[nodiscard]] mixed::Problem cones(const StoredMatrix& W, const Eigen::VectorXd& q, const std::vector<BlockSet>& sets,
                                   const std::vector<Index>& sizes);

Reading read_friction(Cursor& cursor, MatrixCache& matrices);           ///< dimension 2 or 3
Reading read_rolling(Cursor& cursor, MatrixCache& matrices);            ///< dimension 5
Reading read_rolling_2d(Cursor& cursor, MatrixCache& matrices);         ///< dimension 3
Reading read_global_friction(Cursor& cursor, MatrixCache& matrices);    ///< dimension 2 or 3
Reading read_global_rolling(Cursor& cursor, MatrixCache& matrices);     ///< dimension 5
Reading read_global_rolling_2d(Cursor& cursor, MatrixCache& matrices);  ///< dimension 3

Reading read_mlcp(Cursor& cursor, MatrixCache& matrices);  ///< header 1|0 1|0 n m
Reading read_mlcp_short_q(Cursor& cursor,
                          MatrixCache& matrices);              ///< rectangular, q of n + m numbers, as Siconos writes
Reading read_mlcp_old(Cursor& cursor, MatrixCache& matrices);  ///< header n m rows

}  // namespace nonsmooth::problem_files
