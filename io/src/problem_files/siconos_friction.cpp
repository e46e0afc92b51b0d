// SPDX-License-Identifier: Apache-2.0
// The layouts of friction in Siconos's texts. Its global form is  M v = q + H r, u = H^T v + b,  with H of n x m; ours
// is A v = f + H^T r, u = H v + w,  with H of m x n: A is M, f is q, w is b, and H is turned over here and in the
// writer.
#include <algorithm>

#include "siconos_layouts.hpp"
#include "siconos_text.hpp"

namespace nonsmooth::problem_files {
namespace {

/// Files of older versions end with a flag, 0 or 1, as a bare integer; coefficients are printed with a point.
void skip_flag(Cursor& cursor) {
  if (cursor.at_end()) return;
  const std::string_view word = cursor.tokens()[cursor.position()];
  if (word == "0" || word == "1") cursor.seek(cursor.position() + 1);
}

Index read_dimension(Cursor& cursor, Index low, Index high) {
  return cursor.integer("the dimension of a contact", low, high);
}

/// mu of every contact, and of rolling friction then mu_r of every contact.
std::vector<BlockSet> read_contacts(Cursor& cursor, SetKind kind, Index num_contacts) {
  const bool rolling = kind == SetKind::Rolling;
  cursor.require(rolling ? "mu and mu_r" : "mu", rolling ? 2 * num_contacts : num_contacts);
  std::vector<BlockSet> sets(static_cast<std::size_t>(num_contacts), BlockSet{.kind = kind});
  for (BlockSet& set : sets) set.mu = cursor.at_least_zero("mu");
  if (!rolling) return sets;
  for (BlockSet& set : sets) set.rolling = cursor.at_least_zero("mu_r");
  return sets;
}

SetKind sliding(Index dimension) { return dimension == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D; }

Reading read_reduced(Cursor& cursor, MatrixCache& matrices, Index dimension, SetKind kind) {
  const Index num_contacts = cursor.count("the number of contacts", 1);
  const Index n = dimension * num_contacts;
  const auto W = matrices.read(cursor, "M", n, n);
  const Eigen::VectorXd q = cursor.vector("q", n);
  const std::vector<BlockSet> sets = read_contacts(cursor, kind, num_contacts);
  skip_flag(cursor);
  std::string title = closing_remark(cursor);
  return {cones(*W, q, sets, std::vector<Index>(sets.size(), dimension)), std::move(title)};
}

/// A matrix in blocks, of bodies or contacts, is full of zeros; what a sparse one stores was meant.
Eigen::SparseMatrix<double> without_zeros(const StoredMatrix& matrix) {
  Eigen::SparseMatrix<double> result = matrix.to_sparse();
  if (matrix.storage != StoredMatrix::Storage::Sparse) {
    result.prune([](Index, Index, double value) { return value != 0.0; });
  }
  return result;
}

Reading read_global(Cursor& cursor, MatrixCache& matrices, Index dimension, SetKind kind) {
  const Index num_contacts = cursor.count("the number of contacts", 0);
  Cursor ahead = cursor;  // without contacts almost any text begins so: that it fails in M says little of what it is
  const auto M = matrices.read(num_contacts == 0 ? ahead : cursor, "M");
  if (num_contacts == 0) cursor = ahead;
  if (M->rows != M->columns || M->rows == 0) cursor.fail_back("M that is not square, or empty", "a square M");
  const auto H = matrices.read(cursor, "H", M->rows, dimension * num_contacts);
  friction::GlobalProblem problem;
  problem.f = cursor.vector("q", M->rows);
  problem.w = cursor.vector("b", dimension * num_contacts);
  const std::vector<BlockSet> sets = read_contacts(cursor, kind, num_contacts);
  skip_flag(cursor);
  std::string title = closing_remark(cursor);
  problem.A = without_zeros(*M);
  problem.H = without_zeros(*H).transpose();
  for (const BlockSet& set : sets) problem.K.push_back(set, dimension);
  return {std::move(problem), std::move(title)};
}

}  // namespace

Reading read_friction(Cursor& cursor, MatrixCache& matrices) {
  const Index dimension = read_dimension(cursor, 2, 3);
  return read_reduced(cursor, matrices, dimension, sliding(dimension));
}

Reading read_rolling(Cursor& cursor, MatrixCache& matrices) {
  return read_reduced(cursor, matrices, read_dimension(cursor, 5, 5), SetKind::Rolling);
}

Reading read_rolling_2d(Cursor& cursor, MatrixCache& matrices) {
  Reading reading = read_reduced(cursor, matrices, read_dimension(cursor, 3, 3), SetKind::Rolling);
  const std::string_view title = reading.title;
  const std::size_t line = std::min(title.find('\n'), title.size());
  if (title.substr(0, line) != rolling_remark) return reading;
  reading.names_class = true;
  reading.title.erase(0, std::min(line + 1, title.size()));
  return reading;
}

Reading read_global_friction(Cursor& cursor, MatrixCache& matrices) {
  const Index dimension = read_dimension(cursor, 2, 3);
  return read_global(cursor, matrices, dimension, sliding(dimension));
}

Reading read_global_rolling(Cursor& cursor, MatrixCache& matrices) {
  return read_global(cursor, matrices, read_dimension(cursor, 5, 5), SetKind::Rolling);
}

Reading read_global_rolling_2d(Cursor& cursor, MatrixCache& matrices) {
  return read_global(cursor, matrices, read_dimension(cursor, 3, 3), SetKind::Rolling);
}

}  // namespace nonsmooth::problem_files
