// SPDX-License-Identifier: Apache-2.0
#include "siconos_layouts.hpp"

#include <algorithm>
#include <array>

namespace nonsmooth::problem_files {
namespace {

/// A sparse-block M larger than this and filled less than this stays sparse: its dense form would be mostly zeros.
constexpr Index largest_dense_rows = 1000;
constexpr Index sparse_below_one_in = 4;

bool stays_sparse(const StoredMatrix& matrix) {
  if (matrix.storage == StoredMatrix::Storage::Sparse) return true;
  return matrix.storage == StoredMatrix::Storage::BlockSparse && matrix.rows > largest_dense_rows &&
         matrix.num_stored() < matrix.rows * matrix.rows / sparse_below_one_in;
}

Index read_rows(Cursor& cursor) { return cursor.count("the number of rows", 1); }

Reading read_lcp(Cursor& cursor, MatrixCache& matrices) {
  const Index n = read_rows(cursor);
  const auto M = matrices.read(cursor, "M", n, n);
  Eigen::VectorXd q = cursor.vector("q", n);
  std::string title = closing_remark(cursor);
  if (stays_sparse(*M)) return {lcp::SparseProblem{.M = M->to_sparse(), .q = std::move(q)}, std::move(title)};
  return {lcp::Problem{.M = M->to_dense(), .q = std::move(q)}, std::move(title)};
}

Reading read_relay(Cursor& cursor, MatrixCache& matrices) {
  const Index n = read_rows(cursor);
  const auto M = matrices.read(cursor, "M", n, n);
  Eigen::VectorXd q = cursor.vector("q", n);
  Eigen::VectorXd lower = cursor.bounds("the lower bounds", n);
  Eigen::VectorXd upper = cursor.bounds("the upper bounds", n);
  std::string title = closing_remark(cursor);
  if (!stays_sparse(*M)) {
    relay::Problem problem{.M = M->to_dense(), .q = std::move(q), .lower = std::move(lower), .upper = std::move(upper)};
    problem.validate();
    return {std::move(problem), std::move(title)};
  }
  mixed::Problem problem{.W = M->to_blocks(std::vector<Index>(static_cast<std::size_t>(n), 1)), .q = q, .K = {}};
  for (Index i = 0; i < n; ++i) problem.K.push_back({.kind = SetKind::Box, .lower = lower[i], .upper = upper[i]}, 1);
  return {std::move(problem), std::move(title)};
}

Reading read_soclcp(Cursor& cursor, MatrixCache& matrices) {
  const Index n = read_rows(cursor);
  const Index num_cones = cursor.integer("the number of cones", 1, n);
  const auto M = matrices.read(cursor, "M", n, n);
  const Eigen::VectorXd q = cursor.vector("q", n);
  cursor.require("coneIndex and tau", 2 * num_cones + 1);
  std::vector<Index> sizes;
  Index begin = cursor.integer("coneIndex, its first number", 0, 0);
  for (Index i = 0; i < num_cones; ++i) {
    const Index end = cursor.integer("coneIndex", begin + 1, n);
    sizes.push_back(end - begin);
    begin = end;
  }
  if (begin != n) cursor.fail_back(std::to_string(begin), "coneIndex that ends at " + std::to_string(n));
  std::vector<BlockSet> sets;
  for (Index i = 0; i < num_cones; ++i) {
    sets.push_back({.kind = SetKind::SecondOrderCone, .mu = cursor.at_least_zero("tau")});
  }
  std::string title = closing_remark(cursor);
  return {cones(*M, q, sets, sizes), std::move(title)};
}

Reading read_plasticity_of(Cursor& cursor, MatrixCache& matrices, bool names_model) {
  const Index dimension =
      names_model ? cursor.count("the dimension of a block", 2) : cursor.integer("the dimension of a block", 3, 3);
  const Index num_blocks = cursor.count("the number of blocks", 1);
  const bool von_mises = names_model && cursor.integer("the model (1 Drucker-Prager, 2 von Mises)", 1, 2) == 2;
  const Index n = cursor.require_product("M", dimension, num_blocks);
  const auto W = matrices.read(cursor, "M", n, n);
  const Eigen::VectorXd q = cursor.vector("q", n);
  cursor.require(von_mises ? "sigma_y" : "eta and theta", von_mises ? num_blocks : 2 * num_blocks);
  std::vector<BlockSet> sets(static_cast<std::size_t>(num_blocks));
  for (BlockSet& set : sets) {
    set.kind = von_mises ? SetKind::VonMises : SetKind::DruckerPrager;
    (von_mises ? set.radius : set.mu) = cursor.at_least_zero(von_mises ? "sigma_y" : "eta");
  }
  if (!von_mises) {
    for (BlockSet& set : sets) set.lift = cursor.at_least_zero("theta");
  }
  std::string title = closing_remark(cursor);
  return {cones(*W, q, sets, std::vector<Index>(sets.size(), dimension)), std::move(title)};
}

Reading read_plasticity(Cursor& cursor, MatrixCache& matrices) { return read_plasticity_of(cursor, matrices, true); }

/// Before there was von Mises; read_rolling_2d has the very same layout, and a remark that says so.
Reading read_plasticity_old(Cursor& cursor, MatrixCache& matrices) {
  return read_plasticity_of(cursor, matrices, false);
}

/// Blocks of different laws. The file keeps neither the bounds of a relay, taken as -1 and 1, nor the coefficient of
/// 2D friction, without which there is no problem.
Reading read_generic(Cursor& cursor, MatrixCache& matrices) {
  Cursor head = cursor;
  (void)head.integer("M's storage, which is sparse-block in a generic problem", 1, 1);
  const Index rows = head.integer("M's number of rows", 1);
  (void)head.integer("M's number of columns", rows, rows);
  const auto W = matrices.read(cursor, "M");
  if (W->rows < 1 || W->row_offsets != W->column_offsets) {
    cursor.fail_back("M of another shape", "square blocks on the diagonal of M");
  }
  const Eigen::VectorXd q = cursor.vector("q", W->rows);
  std::vector<BlockSet> sets;
  std::vector<Index> sizes;
  for (std::size_t i = 0; i + 1 < W->row_offsets.size(); ++i) {
    sizes.push_back(W->row_offsets[i + 1] - W->row_offsets[i]);
    switch (cursor.integer("the type of a block (0 lcp, 2 equality, 4 friction 3D, 9 relay)", 0, 9)) {
      case 0:
        sets.push_back({.kind = SetKind::Orthant});
        break;
      case 2:
        sets.push_back({.kind = SetKind::Free});
        break;
      case 4:
        if (sizes.back() != 3) cursor.fail_back("a block of " + std::to_string(sizes.back()) + " rows", "3 for type 4");
        sets.push_back({.kind = SetKind::Coulomb3D, .mu = cursor.at_least_zero("mu")});
        break;
      case 9:
        sets.push_back({.kind = SetKind::Box, .lower = -1.0, .upper = 1.0});
        break;
      case 3:
        cursor.fail_back("type 3, friction 2D", "a type whose coefficients the file holds (0, 2, 4, 9)");
      default:
        cursor.fail_back("another type", "one of 0, 2, 4, 9");
    }
  }
  std::string title = closing_remark(cursor);
  return {cones(*W, q, sets, sizes), std::move(title)};
}

/// Letters, those of other alphabets among them, and at most a punctuation mark behind: no damaged number.
bool is_plain_word(std::string_view word) noexcept {
  double value = 0.0;
  if (parse_real(word, value)) return false;  // nan, inf
  if (word.size() > 1 && std::string_view(",.;:!?").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  return std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  });
}

constexpr std::string_view space = " \t\n\v\f\r";

bool is_control(char c) noexcept {
  return (static_cast<unsigned char>(c) < ' ' && space.find(c) == std::string_view::npos) || c == '\x7f';
}

/// The lines of a remark; what other systems end lines with, and of a marked remark the "# " before each, is taken off.
std::string title_of_lines(std::string_view remark, bool marked) {
  std::string title;
  for (std::size_t begin = 0; begin < remark.size();) {
    const std::size_t end = std::min(remark.find('\n', begin), remark.size());
    std::string_view line = remark.substr(begin, end - begin);
    begin = end + 1;
    if (marked && line.starts_with('#')) line.remove_prefix(line.starts_with("# ") ? 2 : 1);
    while (line.ends_with('\r')) line.remove_suffix(1);
    title += std::string(line) + '\n';
  }
  const std::size_t first = title.find_first_not_of(space);
  if (first == std::string::npos) return {};
  return title.substr(first, title.find_last_not_of(space) - first + 1);
}

constexpr std::array<Layout, 15> all_layouts = {{
    {"lcp", ProblemClass::Lcp, read_lcp},
    {"relay", ProblemClass::Relay, read_relay},
    {"mlcp", ProblemClass::Mlcp, read_mlcp},
    {"mlcp with q of n + m numbers", ProblemClass::Mlcp, read_mlcp_short_q},
    {"soclcp", ProblemClass::SocLcp, read_soclcp},
    {"friction", ProblemClass::Friction, read_friction},
    {"plasticity", ProblemClass::Plasticity, read_plasticity},
    {"generic", ProblemClass::Mixed, read_generic},
    {"rolling friction", ProblemClass::RollingFriction, read_rolling},
    {"global friction", ProblemClass::GlobalFriction, read_global_friction},
    {"global rolling friction", ProblemClass::GlobalRollingFriction, read_global_rolling},
    {"rolling friction in 2D", ProblemClass::RollingFriction, read_rolling_2d, Precedence::IfExpected},
    {"plasticity without its model", ProblemClass::Plasticity, read_plasticity_old, Precedence::IfNoOther},
    {"global rolling friction in 2D", ProblemClass::GlobalRollingFriction, read_global_rolling_2d,
     Precedence::IfNoOther},
    {"mlcp of the old format", ProblemClass::Mlcp, read_mlcp_old, Precedence::Last},
}};

}  // namespace

mixed::Problem cones(const StoredMatrix& W, const Eigen::VectorXd& q, const std::vector<BlockSet>& sets,
                     const std::vector<Index>& sizes) {
  mixed::Problem problem{.W = W.to_blocks(sizes), .q = q, .K = {}};
  for (std::size_t i = 0; i < sets.size(); ++i) problem.K.push_back(sets[i], sizes[i]);
  return problem;
}

std::span<const Layout> layouts() noexcept { return all_layouts; }

std::shared_ptr<const StoredMatrix> MatrixCache::read(Cursor& cursor, std::string_view what) {
  const std::size_t begin = cursor.position();
  auto found = entries_.find(begin);
  if (found == entries_.end()) {
    auto matrix = std::make_shared<const StoredMatrix>(read_siconos_matrix(cursor, what));
    found = entries_.emplace(begin, Entry{std::move(matrix), cursor.position()}).first;
  }
  cursor.seek(found->second.end);
  return found->second.matrix;
}

std::shared_ptr<const StoredMatrix> MatrixCache::read(Cursor& cursor, std::string_view what, Index rows,
                                                      Index columns) {
  // The shape comes first in the text: a large matrix of another problem is not read at all.
  Cursor shape = cursor;
  (void)shape.integer(std::string(what) + "'s storage (0 dense, 1 sparse-block, 2 sparse)", 0, 2);
  (void)shape.integer(std::string(what) + "'s number of rows", rows, rows);
  (void)shape.integer(std::string(what) + "'s number of columns", columns, columns);
  return read(cursor, what);
}

std::string closing_remark(const Cursor& cursor) {
  if (cursor.at_end()) return {};
  const std::string_view word = cursor.tokens()[cursor.position()];
  const bool marked = word.front() == '#';
  if (!cursor.tokens().starts_line(cursor.position()) || !(marked || is_plain_word(word))) {
    cursor.fail_here(in_quotes(word) + " left over", "the end, or a remark on a line of its own, after # or of words");
  }
  const std::string_view text = cursor.tokens().text();
  const std::string_view remark = text.substr(static_cast<std::size_t>(word.data() - text.data()));
  if (std::any_of(remark.begin(), remark.end(), is_control)) {
    cursor.fail_here("a remark with control characters", "the end, or a remark in plain text");
  }
  return title_of_lines(remark, marked);
}

}  // namespace nonsmooth::problem_files
