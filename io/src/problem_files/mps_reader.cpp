// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "mps.hpp"
#include "mps_lines.hpp"
#include "program_storage.hpp"
#include "stored_matrix.hpp"
#include "text_cursor.hpp"

namespace nonsmooth::problem_files {
namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();
double with_infinity(double value) { return std::abs(value) >= mps_infinity ? std::copysign(no_bound, value) : value; }

/// The sections in their order.
class MpsReader {
 public:
  MpsReader(std::string_view text, std::string_view name, MpsForm form) : lines_(text, name, form), name_(name) {}

  [[nodiscard]] ProblemFile read() {
    bool more = lines_.next();
    while (more) {
      if (!lines_.is_section()) lines_.fail_field(0, "a section, which begins in column 1");
      const std::string section(lines_.fields().front().text);
      if (section == "ENDATA") return finish();
      more = read_section(section);
    }
    lines_.fail(0, "the end of the file", "ENDATA");
  }

  [[nodiscard]] std::size_t line_number() const noexcept { return lines_.number(); }

 private:
  struct Row {
    std::string_view name;
    char type = 'L';
    double side = 0.0, range = 0.0;
    bool has_side = false, has_range = false;
    Index last_column = 0;  ///< in which it stands, counted from 1
  };
  struct Column {
    std::string_view name;
    double cost = 0.0, lower = 0.0, upper = no_bound;
    bool has_lower = false, has_upper = false;
    std::size_t bound_line = 0;  ///< of its last bound
  };
  using Names = std::unordered_map<std::string_view, Index>;

  /// Reads data lines by `one` up to the next section; false at the end.
  template <class One>
  bool each_line(const One& one) {
    while (lines_.next()) {
      if (lines_.is_section()) return true;
      one();
    }
    return false;
  }

  bool read_section(const std::string& section) {
    constexpr std::array<std::string_view, 4> after_columns = {"RHS", "RANGES", "BOUNDS", "QUADOBJ"};
    const bool quadratic = section == "QUADOBJ" || section == "QSECTION" || section == "QMATRIX";
    const bool needs_columns =
        quadratic || std::find(after_columns.begin(), after_columns.end(), section) != after_columns.end();
    if (needs_columns && columns_.empty()) lines_.fail_field(0, "COLUMNS before " + section);
    if (section == "NAME") {
      const std::string_view line = lines_.line();
      const std::size_t begin = lines_.fields().size() > 1 ? lines_.fields()[1].column - 1 : line.size();
      title_ = std::string(line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin));
      return each_line([&] { lines_.fail_field(0, "a section, which begins in column 1"); });
    }
    if (section == "OBJSENSE") return read_sense();
    if (section == "ROWS") return each_line([&] { read_row(); });
    if (section == "COLUMNS") return each_line([&] { read_column(); });
    if (section == "RHS") return each_line([&] { read_side(rhs_set_, false); });
    if (section == "RANGES") return each_line([&] { read_side(range_set_, true); });
    if (section == "BOUNDS") return each_line([&] { read_bound(); });
    if (!quadratic) {
      lines_.fail_field(0, "NAME, OBJSENSE, ROWS, COLUMNS, RHS, RANGES, BOUNDS, QUADOBJ, QMATRIX or ENDATA");
    }
    const bool full = section == "QMATRIX";
    if (!quadratic_.empty() && full != full_) lines_.fail_field(0, "QUADOBJ or QMATRIX, not both");
    full_ = full;
    // The row of QSECTION: of another than the objective it makes a quadratic constraint.
    if (lines_.fields().size() > 1) {
      if (section != "QSECTION") lines_.fail_field(1, "nothing behind " + section);
      if (row_at(1) != objective) lines_.fail_field(1, "the objective's row: quadratic rows are not solved here");
    }
    return each_line([&] { read_quadratic(); });
  }

  bool read_sense() {
    const auto take = [&](std::size_t field) {
      const std::string_view sense = lines_.fields()[field].text;
      if (std::exchange(has_sense_, true)) lines_.fail_field(field, "one sense of the objective");
      maximise_ = sense.starts_with("MAX");
      if (!maximise_ && !sense.starts_with("MIN")) lines_.fail_field(field, "MIN or MAX");
    };
    if (lines_.fields().size() > 1) take(1);
    return each_line([&] { take(0); });
  }

  void read_row() {
    const auto& fields = lines_.fields();
    if (fields.size() != 2) lines_.fail_field(std::min<std::size_t>(fields.size(), 2), "a type and a name of a row");
    const std::string_view type = fields[0].text;
    if (type.size() != 1 || std::string_view("NLGE").find(type[0]) == std::string_view::npos) {
      lines_.fail_field(0, "N, L, G or E");
    }
    // The first N is the objective; others are rows without sides, which nobody needs.
    Index place = type[0] == 'N' ? other_objective : static_cast<Index>(rows_.size());
    if (type[0] == 'N' && !has_objective_) {
      has_objective_ = true;
      place = objective;
    }
    if (!row_names_.emplace(fields[1].text, place).second) lines_.fail_field(1, "each row once");
    if (type[0] != 'N') rows_.push_back({.name = fields[1].text, .type = type[0]});
  }

  [[nodiscard]] Index row_at(std::size_t field) const {
    if (field >= lines_.fields().size()) lines_.fail_field(field, "the name of a row");
    const auto found = row_names_.find(lines_.fields()[field].text);
    if (found == row_names_.end()) lines_.fail_field(field, "the name of a row");
    return found->second;
  }
  [[nodiscard]] Index column_at(std::size_t field) const {
    if (field >= lines_.fields().size()) lines_.fail_field(field, "the name of a column");
    const auto found = column_names_.find(lines_.fields()[field].text);
    if (found == column_names_.end()) lines_.fail_field(field, "the name of a column");
    return found->second;
  }

  void read_column() {
    const auto& fields = lines_.fields();
    if (fields.size() > 1 && fields[1].text == "'MARKER'") {
      lines_.fail_field(fields.size() - 1, "no marker: integer unknowns and special ordered sets are not solved here");
    }
    if (fields.size() != 3 && fields.size() != 5) {
      lines_.fail_field(std::min<std::size_t>(fields.size(), 5), "a column and one or two rows with numbers");
    }
    if (columns_.empty() || columns_.back().name != fields[0].text) {
      if (!column_names_.emplace(fields[0].text, static_cast<Index>(columns_.size())).second) {
        lines_.fail_field(0, "the entries of a column one behind the other");
      }
      columns_.push_back({.name = fields[0].text});
    }
    for (std::size_t field = 1; field < fields.size(); field += 2) {
      const Index row = row_at(field);
      const double value = lines_.number_at(field + 1);
      if (row == other_objective) continue;
      Index& last = row == objective ? last_cost_ : rows_[static_cast<std::size_t>(row)].last_column;
      if (last == static_cast<Index>(columns_.size())) lines_.fail_field(field, "each row of a column once");
      last = static_cast<Index>(columns_.size());
      if (row == objective) {
        columns_.back().cost = value;
      } else {
        entries_.emplace_back(static_cast<SparseIndex>(row), static_cast<SparseIndex>(columns_.size() - 1), value);
      }
    }
  }

  /// RHS or RANGES: the name of a set, which may be missing, and one or two rows with numbers.
  void read_side(std::optional<std::string_view>& set, bool range) {
    const auto& fields = lines_.fields();
    const std::size_t first = fields.size() % 2;
    if (fields.size() < 2 || fields.size() > 5) {
      lines_.fail_field(std::min<std::size_t>(fields.size(), 5), "one or two rows with numbers");
    }
    take_set(set, 0, first == 1);
    for (std::size_t field = first; field < fields.size(); field += 2) {
      const Index place = row_at(field);
      const double value = lines_.number_at(field + 1);
      if (place == objective && !range) {
        if (std::exchange(has_constant_, true)) lines_.fail_field(field, "each row once");
        constant_ = -value;
      }
      if (place < 0) {
        if (range) lines_.fail_field(field, "a row with a side");
        continue;
      }
      Row& row = rows_[static_cast<std::size_t>(place)];
      if (std::exchange(range ? row.has_range : row.has_side, true)) lines_.fail_field(field, "each row once");
      (range ? row.range : row.side) = value;
    }
  }

  /// The name of a set stands in `field`, where the line has one.
  void take_set(std::optional<std::string_view>& set, std::size_t field, bool named) const {
    const std::string_view name = named ? lines_.fields()[field].text : std::string_view{};
    if (set && *set != name) lines_.fail_field(field, "one set: " + in_quotes(*set));
    set = name;
  }

  void read_bound() {
    const auto& fields = lines_.fields();
    const std::string_view type = fields[0].text;
    const bool has_value = type == "UP" || type == "LO" || type == "FX";
    if (!has_value && type != "FR" && type != "MI" && type != "PL") {
      lines_.fail_field(0, "UP, LO, FX, FR, MI or PL: integer and semicontinuous unknowns are not solved here");
    }
    const std::size_t with_set = has_value ? 4 : 3, least = with_set - 1;
    if (fields.size() < least || fields.size() > 4) {
      lines_.fail_field(std::min<std::size_t>(fields.size(), 4),
                        has_value ? "a column and a number" : "the name of a column");
    }
    const bool named = fields.size() >= with_set;
    take_set(bound_set_, 1, named);
    Column& column = columns_[static_cast<std::size_t>(column_at(named ? 2 : 1))];
    const double value = has_value ? with_infinity(lines_.bound_at(fields.size() - 1)) : 0.0;
    const bool is_both = type == "FX" || type == "FR", is_upper = is_both || type == "UP" || type == "PL";
    const bool is_lower = is_both || !is_upper;
    if ((is_lower && column.has_lower) || (is_upper && column.has_upper)) {
      lines_.fail_field(named ? 2 : 1, "each bound of a column once");
    }
    column.has_upper = column.has_upper || is_upper;
    column.bound_line = lines_.number();
    if (type == "UP") {
      column.upper = value;
      if (value < 0.0 && !column.has_lower) column.lower = -no_bound;
    } else if (type == "PL") {
      column.upper = no_bound;
    } else {
      column.has_lower = true;
      column.lower = type == "LO" || type == "FX" ? value : -no_bound;
      if (type == "FX") column.upper = value;
      if (type == "FR") column.upper = no_bound;
    }
    if (column.lower == no_bound || column.upper == -no_bound) lines_.fail_field(fields.size() - 1, "a smaller number");
  }

  void read_quadratic() {
    if (lines_.fields().size() != 3) {
      lines_.fail_field(std::min<std::size_t>(lines_.fields().size(), 3), "two columns and a number");
    }
    const auto i = static_cast<SparseIndex>(column_at(0)), j = static_cast<SparseIndex>(column_at(1));
    const double value = lines_.number_at(2);
    const auto [low, high] = full_ ? std::pair(i, j) : std::pair(std::min(i, j), std::max(i, j));
    const std::uint64_t place = (static_cast<std::uint64_t>(low) << 32) | static_cast<std::uint64_t>(high);
    if (!quadratic_places_.insert(place).second) {
      lines_.fail(0, "an entry twice", full_ ? "each once" : "each once, of one triangle");
    }
    quadratic_.emplace_back(i, j, value);
    if (!full_ && i != j) quadratic_.emplace_back(j, i, value);
  }

  [[nodiscard]] Eigen::SparseMatrix<double> quadratic_matrix() {
    const auto n = static_cast<Index>(columns_.size());
    if (maximise_) {
      for (Triplet& entry : quadratic_) entry = Triplet(entry.row(), entry.col(), -entry.value());
    }
    Eigen::SparseMatrix<double> Q(n, n);
    Q.setFromTriplets(quadratic_.begin(), quadratic_.end());
    return Q;
  }

  [[nodiscard]] ProblemFile finish() {
    if (columns_.empty()) lines_.fail_field(0, "COLUMNS");
    const auto n = static_cast<Index>(columns_.size()), m = static_cast<Index>(rows_.size());
    qp::SparseProblem problem{.Q = quadratic_matrix(),
                              .c = Eigen::VectorXd(n),
                              .A = Eigen::SparseMatrix<double>(m, m == 0 ? 0 : n),
                              .row_lower = Eigen::VectorXd(m),
                              .row_upper = Eigen::VectorXd(m),
                              .lower = Eigen::VectorXd(n),
                              .upper = Eigen::VectorXd(n)};
    ProblemFile result{.problem = {}, .format = FileFormat::Mps, .title = title_};
    for (Index j = 0; j < n; ++j) {
      const Column& column = columns_[static_cast<std::size_t>(j)];
      if (column.lower > column.upper) {
        throw FormatError(std::string(name_) + ", line " + std::to_string(column.bound_line) + ": found bounds of " +
                          in_quotes(column.name) + " that cross, expected an upper one of at least the lower");
      }
      problem.c[j] = maximise_ ? -column.cost : column.cost;
      problem.lower[j] = column.lower;
      problem.upper[j] = column.upper;
      result.unknown_names.emplace_back(column.name);
    }
    for (Index i = 0; i < m; ++i) {
      const Row& row = rows_[static_cast<std::size_t>(i)];
      const double side = with_infinity(row.side), range = std::abs(row.range);
      const bool up = row.type == 'G' || (row.type == 'E' && row.range >= 0.0);  // the range goes up from the side
      const double other = with_infinity(!row.has_range ? (up ? no_bound : -no_bound)
                                         : up           ? side + range
                                                        : side - range);
      problem.row_lower[i] = row.type == 'E' && !row.has_range ? side : up ? side : other;
      problem.row_upper[i] = row.type == 'E' && !row.has_range ? side : up ? other : side;
      if (problem.row_lower[i] == no_bound || problem.row_upper[i] == -no_bound) {
        throw FormatError(std::string(name_) + ", RHS: found an infinite side of " + in_quotes(row.name) +
                          " that nothing meets, expected a finite one");
      }
      result.row_names.emplace_back(row.name);
    }
    problem.A.setFromTriplets(entries_.begin(), entries_.end());
    result.maximise = maximise_;
    result.objective_constant = constant_;
    result.problem = std::move(problem);
    return result;
  }

  static constexpr Index objective = -1, other_objective = -2;

  MpsLines lines_;
  std::string_view name_;
  std::string title_;
  bool maximise_ = false, has_sense_ = false, has_objective_ = false, has_constant_ = false, full_ = false;
  std::vector<Row> rows_;
  std::vector<Column> columns_;
  Names row_names_, column_names_;
  Index last_cost_ = 0;  ///< as Row::last_column
  std::vector<Triplet> entries_, quadratic_;
  std::unordered_set<std::uint64_t> quadratic_places_;  ///< row and column, 32 bits each
  std::optional<std::string_view> rhs_set_, range_set_, bound_set_;
  double constant_ = 0.0;
};

}  // namespace

bool is_mps(std::string_view text) noexcept {
  MpsLines lines(text, {}, MpsForm::Free);
  if (!lines.next() || !lines.is_section()) return false;
  constexpr std::array<std::string_view, 3> first = {"NAME", "ROWS", "OBJSENSE"};
  return std::find(first.begin(), first.end(), lines.fields().front().text) != first.end();
}

ProblemFile read_mps(std::string_view text, std::string_view name) {
  const auto read = [&] {
    MpsReader in_free_form(text, name, MpsForm::Free);
    try {
      return in_free_form.read();
    } catch (const FormatError&) {
      MpsReader by_columns(text, name, MpsForm::Fixed);
      try {
        return by_columns.read();  // names may hold blanks
      } catch (const FormatError&) {
        if (by_columns.line_number() > in_free_form.line_number()) throw;
      }
      throw;
    }
  };
  ProblemFile file = read();
  file.problem = in_fitting_storage(std::get<qp::SparseProblem>(std::move(file.problem)));
  try {
    std::visit([](const auto& problem) { problem.validate(); }, file.problem);
  } catch (const InvalidArgument& error) {
    throw FormatError(std::string(name) + ": " + error.what());
  }
  return file;
}

}  // namespace nonsmooth::problem_files
