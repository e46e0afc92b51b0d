// SPDX-License-Identifier: Apache-2.0
#include "matrix_market.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <nonsmooth/numerics/error.hpp>

#include "../number.hpp"
#include "stored_matrix.hpp"
#include "text_cursor.hpp"

namespace nonsmooth::problem_files {
namespace {

constexpr std::string_view banner = "%%MatrixMarket";

char lower_case(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Reads a word of the banner, in any case, and says which of `choices` it is.
std::size_t choice(Cursor& cursor, std::string_view what, std::span<const std::string_view> choices) {
  const std::string_view found = cursor.word(what);
  std::string expected;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (std::equal(found.begin(), found.end(), choices[i].begin(), choices[i].end(),
                   [](char a, char b) { return lower_case(a) == b; })) {
      return i;
    }
    expected += (i == 0 ? "" : " or ") + std::string(choices[i]);
  }
  cursor.fail_back(in_quotes(found), expected);
}

enum class Field : unsigned char { Real, Integer, Pattern };
enum class Symmetry : unsigned char { General, Symmetric, SkewSymmetric };

struct Header {
  bool array = false;
  Field field = Field::Real;
  Symmetry symmetry = Symmetry::General;
};

Header read_header(Cursor& cursor) {
  static constexpr std::array<std::string_view, 1> object = {"matrix"};
  static constexpr std::array<std::string_view, 2> layout = {"coordinate", "array"};
  static constexpr std::array<std::string_view, 3> field = {"real", "integer", "pattern"};
  static constexpr std::array<std::string_view, 3> symmetry = {"general", "symmetric", "skew-symmetric"};
  (void)cursor.word(banner);
  (void)choice(cursor, "an object", object);
  Header header;
  header.array = choice(cursor, "a layout", layout) == 1;
  header.field = static_cast<Field>(choice(cursor, "a field", field));
  if (header.array && header.field == Field::Pattern) cursor.fail_back("pattern", "real or integer in an array");
  header.symmetry = static_cast<Symmetry>(choice(cursor, "a symmetry", symmetry));
  while (!cursor.at_end() && cursor.tokens()[cursor.position()].front() == '%') {
    (void)cursor.word("a comment");
    cursor.skip_line();
  }
  return header;
}

/// An entry and its mirror image.
void push(std::vector<Triplet>& triplets, Symmetry symmetry, Index i, Index j, double value) {
  triplets.emplace_back(static_cast<SparseIndex>(i), static_cast<SparseIndex>(j), value);
  if (symmetry == Symmetry::General || i == j) return;
  triplets.emplace_back(static_cast<SparseIndex>(j), static_cast<SparseIndex>(i),
                        symmetry == Symmetry::Symmetric ? value : -value);
}

double read_value(Cursor& cursor, Field field) {
  if (field == Field::Pattern) return 1.0;
  return field == Field::Real ? cursor.finite("an entry")
                              : static_cast<double>(cursor.integer("an entry", std::numeric_limits<Index>::min()));
}

void read_coordinates(Cursor& cursor, const Header& header, StoredMatrix& matrix) {
  const Index words = header.field == Field::Pattern ? 2 : 3;
  const Index count = cursor.integer("the number of entries", 0, std::numeric_limits<SparseIndex>::max());
  cursor.require("the entries", count * words);
  std::vector<Triplet> triplets;
  triplets.reserve(static_cast<std::size_t>(count) * (header.symmetry == Symmetry::General ? 1 : 2));
  for (Index k = 0; k < count; ++k) {
    const Index i = cursor.integer("a row", 1, matrix.rows) - 1;
    const Index j = cursor.integer("a column", 1, matrix.columns) - 1;
    if (header.symmetry != Symmetry::General && i < j) {
      cursor.fail_back("an entry above the diagonal", "the lower half of a symmetric matrix");
    }
    if (header.symmetry == Symmetry::SkewSymmetric && i == j) {
      cursor.fail_back("an entry on the diagonal", "the strictly lower half of a skew-symmetric matrix");
    }
    push(triplets, header.symmetry, i, j, read_value(cursor, header.field));
  }
  matrix.storage = StoredMatrix::Storage::Sparse;
  matrix.sparse.resize(matrix.rows, matrix.columns);
  matrix.sparse.setFromTriplets(triplets.begin(), triplets.end());  // sums duplicates
}

void read_array(Cursor& cursor, const Header& header, StoredMatrix& matrix) {
  // A symmetric array has about half of the entries; so many words there must be before anything is allocated.
  const Index limit = 2 * cursor.remaining() + matrix.rows;
  (void)checked_product(cursor, "an array", matrix.rows, matrix.columns, limit);
  matrix.dense.setZero(matrix.rows, matrix.columns);
  for (Index j = 0; j < matrix.columns; ++j) {
    const Index first = header.symmetry == Symmetry::General ? 0 : header.symmetry == Symmetry::Symmetric ? j : j + 1;
    for (Index i = first; i < matrix.rows; ++i) {
      const double value = read_value(cursor, header.field);
      matrix.dense(i, j) = value;
      if (header.symmetry != Symmetry::General && i != j) {
        matrix.dense(j, i) = header.symmetry == Symmetry::Symmetric ? value : -value;
      }
    }
  }
}

void require_end(Cursor& cursor) {
  if (!cursor.at_end()) cursor.fail_here(in_quotes(cursor.tokens()[cursor.position()]), "the end");
}

/// n numbers; infinities only where they are bounds.
Eigen::VectorXd read_vector(const MarketFile& file, bool is_bound, Index expected_size) {
  const TokenList tokens(file.text, file.name);
  Cursor cursor(tokens);
  if (!is_matrix_market(file.text)) cursor.fail_here("another first line", std::string(banner));
  const Header header = read_header(cursor);
  if (!header.array || header.symmetry != Symmetry::General) {
    cursor.fail_here("a vector in coordinates or of another symmetry", "an array, general");
  }
  const Index low = expected_size < 0 ? 1 : expected_size;
  const Index high = expected_size < 0 ? cursor.remaining() : expected_size;
  const Index size = cursor.integer("the number of rows", low, high);
  (void)cursor.integer("the number of columns", 1, 1);
  Eigen::VectorXd value = is_bound ? cursor.bounds("the vector", size) : cursor.vector("the vector", size);
  require_end(cursor);
  return value;
}

StoredMatrix read_matrix(const MarketFile& file, Index size) {
  const TokenList tokens(file.text, file.name);
  Cursor cursor(tokens);
  const Header header = read_header(cursor);
  StoredMatrix matrix;
  matrix.rows = cursor.integer("the number of rows, those of q", size, size);
  matrix.columns = cursor.integer("the number of columns, those of q", size, size);
  if (header.array) {
    read_array(cursor, header, matrix);
  } else {
    read_coordinates(cursor, header, matrix);
  }
  require_end(cursor);
  return matrix;
}

/// The comments after the banner.
std::string title_of(std::string_view text) {
  std::string title;
  std::size_t begin = text.find('\n');
  while (begin != std::string_view::npos && begin + 1 < text.size() && text[begin + 1] == '%') {
    const std::size_t end = text.find('\n', begin + 1);
    std::string_view line = text.substr(begin + 2, end == std::string_view::npos ? end : end - begin - 2);
    if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (!title.empty()) title += '\n';
    title += line;
    begin = end;
  }
  return title;
}

std::string head(std::string_view layout, std::string_view title) {
  std::string text = std::string(banner) + " matrix " + std::string(layout) + " real general\n";
  while (!title.empty()) {
    const std::size_t end = std::min(title.find('\n'), title.size());
    text += "% " + std::string(title.substr(0, end)) + '\n';
    title.remove_prefix(std::min(end + 1, title.size()));
  }
  return text;
}

std::string array_text(ConstMatrixRef matrix, std::string_view title = {}) {
  std::string text = head("array", title);
  text += std::to_string(matrix.rows()) + ' ' + std::to_string(matrix.cols()) + '\n';
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      append_number(text, matrix(i, j));
      text += '\n';
    }
  }
  return text;
}

std::string coordinate_text(const Eigen::SparseMatrix<double>& matrix, std::string_view title) {
  std::string text = head("coordinate", title);
  text += std::to_string(matrix.rows()) + ' ' + std::to_string(matrix.cols()) + ' ' +
          std::to_string(matrix.nonZeros()) + '\n';
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
      text += std::to_string(entry.row() + 1) + ' ' + std::to_string(entry.col() + 1) + ' ';
      append_number(text, entry.value());
      text += '\n';
    }
  }
  return text;
}

struct FilesOf {
  std::string_view title;

  MarketFiles operator()(const lcp::Problem& problem) const {
    return {.matrix = {"M", array_text(problem.M, title)}, .q = {"q", array_text(problem.q)}};
  }
  MarketFiles operator()(const lcp::SparseProblem& problem) const {
    return {.matrix = {"M", coordinate_text(problem.M, title)}, .q = {"q", array_text(problem.q)}};
  }
  MarketFiles operator()(const relay::Problem& problem) const {
    return {.matrix = {"M", array_text(problem.M, title)},
            .q = {"q", array_text(problem.q)},
            .lower = {"lower", array_text(problem.lower)},
            .upper = {"upper", array_text(problem.upper)}};
  }
  MarketFiles operator()(const mixed::Problem& problem) const {
    if (!problem.K.all(SetKind::Box)) refuse("a problem of class " + std::string(to_string(class_of(problem))));
    Eigen::VectorXd lower(problem.q.size()), upper(problem.q.size());
    for (Index i = 0; i < problem.K.num_blocks(); ++i) {
      if (problem.K[i].unit != 1.0) refuse("a box with a unit of its own (BlockSet::unit)");
      lower.segment(problem.K.offset(i), problem.K.size(i)).setConstant(problem.K[i].lower);
      upper.segment(problem.K.offset(i), problem.K.size(i)).setConstant(problem.K[i].upper);
    }
    return {.matrix = {"M", coordinate_text(problem.W.to_sparse(), title)},
            .q = {"q", array_text(problem.q)},
            .lower = {"lower", array_text(lower)},
            .upper = {"upper", array_text(upper)}};
  }
  MarketFiles operator()(const relay::SparseProblem& problem) const {
    return {.matrix = {"M", coordinate_text(problem.M, title)},
            .q = {"q", array_text(problem.q)},
            .lower = {"lower", array_text(problem.lower)},
            .upper = {"upper", array_text(problem.upper)}};
  }
  MarketFiles operator()(const auto& problem) const {
    refuse("a problem of class " + std::string(to_string(class_of(problem))));
  }

  [[noreturn]] static void refuse(const std::string& found) {
    throw InvalidArgument("write_problem: problem", found, "an lcp or a relay, as Matrix Market files hold; use .h5");
  }
};

void require_valid(const std::string& name, const AnyProblem& problem) {
  try {
    std::visit([](const auto& value) { value.validate(); }, problem);
  } catch (const InvalidArgument& error) {
    throw FormatError(name + ": " + error.what());
  }
}

}  // namespace

bool is_matrix_market(std::string_view text) noexcept { return text.starts_with(banner); }

ProblemFile read_matrix_market(const MarketFiles& files) {
  if (files.q.name.empty()) {
    throw FormatError(files.matrix.name +
                      ": found a matrix alone, expected its vector q in a file of the same name "
                      "with _q before the extension");
  }
  ProblemFile result{.problem = {}, .format = FileFormat::MatrixMarket, .title = title_of(files.matrix.text)};
  Eigen::VectorXd q = read_vector(files.q, false, -1);
  const Index n = q.size();
  const StoredMatrix M = read_matrix(files.matrix, n);
  const bool sparse = M.storage == StoredMatrix::Storage::Sparse;
  if (files.lower.name.empty() && files.upper.name.empty()) {
    if (sparse) {
      result.problem = lcp::SparseProblem{.M = M.sparse, .q = std::move(q)};
    } else {
      result.problem = lcp::Problem{.M = M.dense, .q = std::move(q)};
    }
    require_valid(files.matrix.name, result.problem);  // duplicates may sum to infinity
    return result;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Eigen::VectorXd lower =
      files.lower.name.empty() ? Eigen::VectorXd::Constant(n, -infinity).eval() : read_vector(files.lower, true, n);
  Eigen::VectorXd upper =
      files.upper.name.empty() ? Eigen::VectorXd::Constant(n, infinity).eval() : read_vector(files.upper, true, n);
  try {
    if (sparse) {
      mixed::Problem problem{.W = M.to_blocks(std::vector<Index>(static_cast<std::size_t>(n), 1)), .q = q, .K = {}};
      for (Index i = 0; i < n; ++i)
        problem.K.push_back({.kind = SetKind::Box, .lower = lower[i], .upper = upper[i]}, 1);
      result.problem = std::move(problem);
    } else {
      result.problem =
          relay::Problem{.M = M.dense, .q = std::move(q), .lower = std::move(lower), .upper = std::move(upper)};
    }
  } catch (const InvalidArgument& error) {
    throw FormatError(files.matrix.name + ": " + error.what());
  }
  require_valid(files.matrix.name, result.problem);
  return result;
}

MarketFiles matrix_market_of(const AnyProblem& problem, std::string_view title) {
  return std::visit(FilesOf{title}, problem);
}

}  // namespace nonsmooth::problem_files
