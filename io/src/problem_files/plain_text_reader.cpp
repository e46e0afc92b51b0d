// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "fields.hpp"
#include "hdf5_handle.hpp"
#include "plain_text.hpp"
#include "stored_matrix.hpp"
#include "text_cursor.hpp"

namespace nonsmooth::problem_files {
namespace {

/// Those without blocks.
constexpr std::array<std::string_view, 8> classes_of_plain_text = {"lcp", "relay", "mlcp",         "qp",
                                                                   "vi",  "quasi", "cone program", "mpcc"};

/// "lcp, relay, ... or mpcc".
std::string listed_classes() {
  std::string text;
  for (const std::string_view name : classes_of_plain_text) {
    if (!text.empty()) text += name == classes_of_plain_text.back() ? " or " : ", ";
    text += name;
  }
  return text;
}

/// The remarks that follow the first line, without "# ".
std::string title_of_plain_text(std::string_view text) {
  std::string title;
  std::size_t begin = std::min(text.find('\n'), text.size());
  for (bool first = true; begin + 1 < text.size() && text[begin + 1] == '#'; first = false) {
    std::string_view line = text.substr(begin + 2, text.find('\n', begin + 1) - begin - 2);
    begin += 2 + line.size();
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with(' ')) line.remove_prefix(1);
    title += (first ? "" : "\n") + std::string(line);
  }
  title.erase(title.find_last_not_of('\n') + 1);  // remarks without words at the end
  return title;
}

/// Everything from a '#' to the end of its line becomes blanks, so that places stay.
std::string without_remarks(std::string_view text) {
  std::string plain(text);
  bool remark = false;
  for (char& c : plain) {
    remark = c != '\n' && (remark || c == '#');
    if (remark) c = ' ';
  }
  return plain;
}

/// "name type sizes" of each field; what follows is read when a problem asks for it.
class TextFields final : public FieldSource {
 public:
  explicit TextFields(Cursor cursor) : start_(cursor) {
    while (cursor.at_end() || cursor.tokens()[cursor.position()] != plain_text_end) scan(cursor);
    end_ = cursor.position();
    cursor.expect(plain_text_end);
    if (!cursor.at_end()) cursor.fail_here(in_quotes(cursor.word("the end")), "nothing behind 'end'");
  }

  [[nodiscard]] bool has(const std::string& name) const override { return fields_.contains(name); }
  void require_group(const std::string& name) const override {
    const auto inside = fields_.lower_bound(name + '/');
    if (!has(name) && (inside == fields_.end() || !inside->first.starts_with(name + '/'))) missing(name, "a group");
  }
  [[nodiscard]] std::string set(const std::string& name) const override {
    return std::string(at(name, "set").word("the name of a set"));
  }
  [[nodiscard]] bool is_sparse(const std::string& name) const override {
    return has(name) && fields_.at(name).type == "sparse";
  }

  [[nodiscard]] Eigen::MatrixXd dense(const std::string& name) const override {
    const auto [rows, columns, count] = sizes(name, "dense");
    return at(name, "dense").rows("the entries of " + name, rows, columns);
  }

  [[nodiscard]] Eigen::SparseMatrix<double> sparse(const std::string& name) const override {
    const auto [rows, columns, count] = sizes(name, "sparse");
    Cursor cursor = at(name, "sparse");
    // Every column of a matrix has an entry of a vector beside it: more of them cannot fit, whatever their pointers
    // take.
    const auto longest = static_cast<Index>(cursor.tokens().size());
    if (columns > longest) {
      fail(name, std::to_string(columns) + " columns", "at most " + std::to_string(longest) + " in a file of its size");
    }
    std::vector<Triplet> entries;
    std::vector<std::pair<Index, Index>> places;
    for (Index k = 0; k < count; ++k) {
      const Index i = cursor.integer("a row of " + name, 0, rows - 1);
      const Index j = cursor.integer("a column of " + name, 0, columns - 1);
      places.emplace_back(i, j);
      entries.emplace_back(static_cast<SparseIndex>(i), static_cast<SparseIndex>(j),
                           cursor.finite("an entry of " + name));
    }
    std::sort(places.begin(), places.end());
    if (const auto twice = std::adjacent_find(places.begin(), places.end()); twice != places.end()) {
      fail(name, "the entry (" + std::to_string(twice->first) + ", " + std::to_string(twice->second) + ") twice",
           "each entry once");
    }
    Eigen::SparseMatrix<double> matrix(rows, columns);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

  [[nodiscard]] BlockSparseMatrix blocks(const std::string& name) const override {
    fail(name, "a class in blocks", listed_classes() + ", which this text holds");
  }
  [[nodiscard]] Eigen::VectorXd vector(const std::string& name) const override {
    const Index size = sizes(name, "vector")[0];
    return at(name, "vector").vector("the entries of " + name, size);
  }
  [[nodiscard]] Eigen::VectorXd bounds(const std::string& name) const override {
    const Index size = sizes(name, "vector")[0];
    return at(name, "vector").bounds("the entries of " + name, size);
  }
  [[nodiscard]] std::vector<Index> integers(const std::string& name, Index low, Index high) const override {
    Cursor cursor = at(name, "integers");
    std::vector<Index> value(static_cast<std::size_t>(fields_.at(name).sizes[0]));
    for (Index& one : value) one = cursor.integer("an entry of " + name, low, high);
    return value;
  }
  [[nodiscard]] std::vector<std::string> words(const std::string& name) const override {
    Cursor cursor = at(name, "words");
    std::vector<std::string> value(static_cast<std::size_t>(fields_.at(name).sizes[0]));
    for (std::string& one : value) one = cursor.word("an entry of " + name);
    return value;
  }
  [[noreturn]] void fail(const std::string& name, const std::string& found,
                         const std::string& expected) const override {
    if (!has(name)) missing(name, expected);
    Cursor cursor = start_;
    cursor.seek(fields_.at(name).begin);
    cursor.fail_here(found + " in " + name, expected);
  }

  /// @throws FormatError for a field that nothing asked for.
  void require_used(std::string_view problem_class) const {
    for (const auto& [name, field] : fields_) {
      if (used_.contains(name)) continue;
      Cursor cursor = start_;
      cursor.seek(field.begin);
      cursor.fail_here(in_quotes(name), "the fields of a problem of class " + std::string(problem_class));
    }
  }

 private:
  struct Field {
    std::string_view type;
    std::array<Index, 3> sizes = {0, 0, 0};
    std::size_t begin = 0, values = 0;  ///< its name and its first value
  };

  void scan(Cursor& cursor) {
    Field field{.type{}, .begin = cursor.position()};
    const std::string name(cursor.word("the name of a field, or 'end'"));
    if (has(name)) cursor.fail_back(in_quotes(name) + " again", "each field once");
    field.type = cursor.word("the type of " + name);
    Index words = 1;
    if (field.type == "dense") {
      field.sizes[0] = cursor.integer(name + "'s number of rows", 0, largest_size);
      field.sizes[1] = cursor.integer(name + "'s number of columns", 0, largest_size);
      words = cursor.require_product(name, field.sizes[0], field.sizes[1]);
    } else if (field.type == "sparse") {
      field.sizes[0] = cursor.integer(name + "'s number of rows", 0, largest_size);
      field.sizes[1] = cursor.integer(name + "'s number of columns", 0, largest_size);
      field.sizes[2] = cursor.integer(name + "'s number of entries", 0, largest_size);
      words = 3 * field.sizes[2];
    } else if (field.type == "vector" || field.type == "integers" || field.type == "words") {
      words = field.sizes[0] = cursor.integer(name + "'s number of entries", 0, largest_size);
    } else if (field.type != "set") {
      cursor.fail_back(in_quotes(field.type), "dense, sparse, vector, integers, words or set");
    }
    cursor.require(name, words);
    field.values = cursor.position();
    cursor.seek(cursor.position() + static_cast<std::size_t>(words));
    fields_.emplace(name, field);
  }

  [[noreturn]] void missing(const std::string& name, const std::string& expected) const {
    Cursor cursor = start_;
    cursor.seek(end_);
    cursor.fail_here("no " + in_quotes(name) + " up to the end", expected);
  }

  std::array<Index, 3> sizes(const std::string& name, const char* type) const {
    static_cast<void>(at(name, type));
    return fields_.at(name).sizes;
  }

  /// At the first value of a field of this type.
  Cursor at(const std::string& name, const char* type) const {
    const auto found = fields_.find(name);
    if (found == fields_.end()) missing(name, "a field of the type " + std::string(type));
    used_.insert(name);
    Cursor cursor = start_;
    if (found->second.type != type) {
      cursor.seek(found->second.begin + 1);
      cursor.fail_here(in_quotes(found->second.type), std::string(type) + " for " + name);
    }
    cursor.seek(found->second.values);
    return cursor;
  }

  Cursor start_;
  std::size_t end_ = 0;  ///< of the word "end"
  std::map<std::string, Field> fields_;
  mutable std::set<std::string> used_;
};

}  // namespace

bool is_plain_text(std::string_view text) noexcept { return text.starts_with(plain_text_mark); }

ProblemFile read_plain_text(std::string_view text, std::string_view name) {
  const std::string plain = without_remarks(text);
  const TokenList tokens(plain, name);
  Cursor cursor(tokens);
  cursor.expect(plain_text_mark);
  static_cast<void>(cursor.integer("the version", hdf5_first_version, hdf5_last_version));
  cursor.expect("class");
  std::string problem_class;
  while (problem_class.empty() || (!cursor.at_end() && !tokens.starts_line(cursor.position()))) {
    problem_class += (problem_class.empty() ? "" : " ") + std::string(cursor.word("the name of a class"));
  }
  if (std::find(classes_of_plain_text.begin(), classes_of_plain_text.end(), problem_class) ==
      classes_of_plain_text.end()) {
    cursor.fail_back(in_quotes(problem_class), listed_classes());
  }
  const TextFields fields(cursor);
  ProblemFile result{.problem = {}, .format = FileFormat::Text, .title = title_of_plain_text(text)};
  try {
    result.problem = read_fields(fields, problem_class);
    fields.require_used(problem_class);
    std::visit([](const auto& problem) { problem.validate(); }, result.problem);
  } catch (const InvalidArgument& error) {
    throw FormatError(std::string(name) + ": " + error.what());
  }
  return result;
}

}  // namespace nonsmooth::problem_files
