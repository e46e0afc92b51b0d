// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <nonsmooth/numerics/error.hpp>

#include <nonsmooth/io/fclib_file.hpp>

#include "fclib.hpp"
#include "hdf5_output.hpp"

namespace nonsmooth::problem_files {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

[[noreturn]] void refuse_fclib(const std::string& found, const std::string& expected) {
  throw InvalidArgument("write_fclib: problem", found, expected + ", as FCLIB holds; use .h5");
}

std::int32_t small(Index value) {
  if (value > std::numeric_limits<std::int32_t>::max())
    refuse_fclib("a matrix of " + std::to_string(value), "32-bit sizes");
  return static_cast<std::int32_t>(value);
}

/// Contacts of one kind and size, then bilateral rows.
struct Shape {
  Index dimension = 3, num_contacts = 0, contact_rows = 0, free_rows = 0;
  bool rolling = false;
};

void require_plain_fclib(const ProductSet& K, Index i) {
  const BlockSet& set = K[i];
  const std::string block = "block " + std::to_string(i);
  if (set.kind == SetKind::Coulomb3D && set.mu_2 >= 0.0) refuse_fclib(block + " with mu_2", "isotropic friction");
  if (set.cohesion != 0.0) refuse_fclib(block + " with cohesion", "friction without cohesion");
  if (set.kind != SetKind::Rolling) return;
  if (set.spinning != 0.0) refuse_fclib(block + " with spinning friction", "rolling friction without it");
  if (K.size(i) != 3 && K.size(i) != 5) {
    refuse_fclib(block + " of " + std::to_string(K.size(i)) + " rows", "3 or 5 rows of rolling friction");
  }
}

Shape shape_of(const ProductSet& K) {
  Shape shape;
  for (Index i = 0; i < K.num_blocks(); ++i) {
    const SetKind kind = K[i].kind;
    if (kind == SetKind::Free) {
      shape.free_rows += K.size(i);
      continue;
    }
    if (kind != SetKind::Coulomb2D && kind != SetKind::Coulomb3D && kind != SetKind::Rolling) {
      refuse_fclib("block " + std::to_string(i) + " of another set", "friction and free blocks");
    }
    if (shape.free_rows > 0) refuse_fclib("block " + std::to_string(i) + " after a free one", "free blocks last");
    if (K.size(i) != K.size(0)) refuse_fclib("blocks of two sizes", "contacts of one size");
    if (kind != K[0].kind) refuse_fclib("blocks of two kinds", "one kind of contact");
    require_plain_fclib(K, i);
    ++shape.num_contacts;
    shape.contact_rows += K.size(i);
  }
  if (shape.num_contacts > 0) {
    shape.dimension = K.size(0);
    shape.rolling = K[0].kind == SetKind::Rolling;
  }
  return shape;
}

void check_size(const char* what, Index found, Index expected) {
  if (found != expected) {
    throw InvalidArgument(std::string("write_fclib: ") + what, std::to_string(found) + " entries",
                          std::to_string(expected));
  }
}

void check_finite(const char* what, const Eigen::VectorXd& value) {
  for (Index i = 0; i < value.size(); ++i) {
    if (std::isfinite(value[i])) continue;
    throw InvalidArgument(std::string("write_fclib: ") + what,
                          std::to_string(value[i]) + " at entry " + std::to_string(i), "finite numbers");
  }
}

/// A reader would stop at the zero.
void check_text(const char* what, const std::string& text) {
  const std::size_t zero = text.find('\0');
  if (zero == std::string::npos) return;
  throw InvalidArgument(std::string("write_fclib: ") + what, "a zero at byte " + std::to_string(zero),
                        "text without zeros");
}

void check_info(const FclibInfo& info) {
  check_text("title", info.title);
  check_text("description", info.description);
  check_text("math_info", info.math_info);
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (info.degrees_of_freedom < 0 || info.degrees_of_freedom > most) {
    throw InvalidArgument("write_fclib: degrees_of_freedom", std::to_string(info.degrees_of_freedom),
                          "0 to " + std::to_string(most));
  }
}

void check_solution(const FclibSolution& solution, Index num_velocities, const Shape& shape) {
  const Index rows = shape.contact_rows + shape.free_rows;
  check_size("v", solution.v.size(), num_velocities);
  check_size("r", solution.r.size(), rows);
  check_size("u", solution.u.size(), rows);
  check_finite("v", solution.v);
  check_finite("r", solution.r);
  check_finite("u", solution.u);
  for (Index i = shape.contact_rows; i < rows; ++i) {
    if (solution.u[i] == 0.0) continue;
    throw InvalidArgument("write_fclib: u", std::to_string(solution.u[i]) + " at entry " + std::to_string(i),
                          "0 in a bilateral row");
  }
}

/// True if triplets with p: rows would fit its shape too, and leave fewer columns without an entry: a reader takes them
/// for what H is, in which every column belongs to a contact.
bool looks_transposed(const Sparse& matrix) {
  std::vector<bool> row(static_cast<std::size_t>(matrix.rows()), false);
  std::vector<bool> column(static_cast<std::size_t>(matrix.cols()), false);
  for (Index j = 0; j < matrix.outerSize(); ++j)
    for (Sparse::InnerIterator entry(matrix, j); entry; ++entry) {
      if (j >= matrix.rows() || entry.row() >= matrix.cols()) return false;
      row[static_cast<std::size_t>(entry.row())] = column[static_cast<std::size_t>(j)] = true;
    }
  return std::count(column.begin(), column.end(), true) < std::count(row.begin(), row.end(), true);
}

/// As triplets with p: columns, or by columns where they would be read otherwise.
void write_fclib_matrix(Hdf5Writer& writer, const std::string& path, const Sparse& matrix, bool by_columns = false) {
  std::vector<std::int32_t> p, i;
  std::vector<double> x;
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    if (by_columns) p.push_back(small(static_cast<Index>(x.size())));
    for (Sparse::InnerIterator entry(matrix, j); entry; ++entry) {
      if (!by_columns) p.push_back(small(j));
      i.push_back(small(entry.row()));
      x.push_back(entry.value());
    }
  }
  const auto count = small(static_cast<Index>(x.size()));
  if (by_columns) p.push_back(count);
  writer.group(path.c_str());
  writer.small_integers(path + "/nzmax", {count});
  writer.small_integers(path + "/m", {small(matrix.rows())});
  writer.small_integers(path + "/n", {small(matrix.cols())});
  writer.small_integers(path + "/nz", {by_columns ? -1 : count});
  writer.small_integers(path + "/p", p);
  writer.small_integers(path + "/i", i);
  writer.reals(path + "/x", x.data(), static_cast<Index>(x.size()));
}

void write_contacts(Hdf5Writer& writer, const std::string& root, const ProductSet& K, const Shape& shape) {
  writer.small_integers(root + "/spacedim", {small(shape.dimension)});
  Eigen::VectorXd mu(shape.num_contacts), rolling(shape.num_contacts);
  for (Index i = 0; i < shape.num_contacts; ++i) {
    mu[i] = K[i].mu;
    rolling[i] = K[i].rolling;
  }
  writer.reals(root + "/vectors/mu", mu);
  if (shape.rolling) writer.reals(root + "/vectors/mu_r", rolling);
}

std::string write_local(Hdf5Writer& writer, const mixed::Problem& problem, const Shape& shape) {
  const std::string root = "/fclib_local";
  if (shape.rolling) refuse_fclib("rolling friction in reduced form", "rolling friction in global form");
  const Index m = shape.contact_rows, p = shape.free_rows;
  const Sparse W = problem.W.to_sparse();
  if (p > 0 && m > 0 &&  // Eigen has no norm of an empty matrix
      (Sparse(W.bottomRows(p)).leftCols(m) - Sparse(Sparse(W.rightCols(p)).topRows(m).transpose())).norm() > 0.0) {
    refuse_fclib("free blocks that act on contacts otherwise than contacts on them", "V and its transpose");
  }
  writer.group(root.c_str());
  writer.group((root + "/vectors").c_str());
  write_fclib_matrix(writer, root + "/W", Sparse(W.topRows(m)).leftCols(m));
  if (p > 0) {
    write_fclib_matrix(writer, root + "/V", Sparse(W.topRows(m)).rightCols(p));
    write_fclib_matrix(writer, root + "/R", Sparse(W.bottomRows(p)).rightCols(p));
    writer.reals(root + "/vectors/s", Eigen::VectorXd(problem.q.tail(p)));
  }
  writer.reals(root + "/vectors/q", Eigen::VectorXd(problem.q.head(m)));
  write_contacts(writer, root, problem.K, shape);
  return root;
}

std::string write_global(Hdf5Writer& writer, const friction::GlobalProblem& problem, const Shape& shape) {
  const std::string root = shape.rolling ? "/fclib_global_rolling" : "/fclib_global";
  const Index m = shape.contact_rows, p = shape.free_rows;
  Sparse columns = problem.H.transpose();
  if (m + p == 0) columns.resize(problem.A.rows(), 0);
  writer.group(root.c_str());
  writer.group((root + "/vectors").c_str());
  write_fclib_matrix(writer, root + "/M", problem.A);
  const Sparse H = columns.leftCols(m);
  write_fclib_matrix(writer, root + "/H", H, looks_transposed(H));
  if (p > 0) {
    write_fclib_matrix(writer, root + "/G", columns.rightCols(p));
    writer.reals(root + "/vectors/b", problem.w.tail(p));
  }
  writer.reals(root + "/vectors/f", problem.f);
  writer.reals(root + "/vectors/w", problem.w.head(m));
  write_contacts(writer, root, problem.K, shape);
  return root;
}

void write_info(Hdf5Writer& writer, const std::string& path, const FclibInfo& info) {
  if (info == FclibInfo{}) return;
  writer.group(path.c_str());
  if (!info.title.empty()) writer.text(path + "/title", info.title);
  if (!info.description.empty()) writer.text(path + "/description", info.description);
  if (!info.math_info.empty()) writer.text(path + "/math_info", info.math_info);
  writer.small_attribute(path.c_str(), "numberOfDegreeOfFreedom", small(info.degrees_of_freedom));
}

void write_solution(Hdf5Writer& writer, const std::string& path, const FclibSolution& solution, const Shape& shape) {
  writer.group(path.c_str());
  if (solution.v.size() > 0) writer.reals(path + "/v", solution.v);
  if (shape.free_rows > 0) writer.reals(path + "/l", solution.r.tail(shape.free_rows));
  writer.reals(path + "/u", solution.u.head(shape.contact_rows));
  writer.reals(path + "/r", solution.r.head(shape.contact_rows));
}

}  // namespace

void write_fclib_file(const FclibFile& file, const std::filesystem::path& path, bool checksums) {
  const auto* const local = std::get_if<mixed::Problem>(&file.problem);
  const auto* const global = std::get_if<friction::GlobalProblem>(&file.problem);
  if (local == nullptr && global == nullptr) {
    refuse_fclib("a problem of class " + std::string(to_string(class_of(file.problem))), "friction");
  }
  const Shape shape = shape_of(local != nullptr ? local->K : global->K);
  const Index num_velocities = global != nullptr ? global->f.size() : 0;
  check_info(file.info);
  if (file.solution) check_solution(*file.solution, num_velocities, shape);
  for (const FclibSolution& guess : file.guesses) check_solution(guess, num_velocities, shape);
  if (static_cast<Index>(file.guesses.size()) > most_guesses) {
    throw InvalidArgument("write_fclib: guesses", std::to_string(file.guesses.size()),
                          "at most " + std::to_string(most_guesses));
  }
  write_new_hdf5(path, checksums, [&](Hdf5Writer& writer) {
    const std::string root =
        local != nullptr ? write_local(writer, *local, shape) : write_global(writer, *global, shape);
    write_info(writer, root + "/info", file.info);
    if (file.solution) write_solution(writer, "/solution", *file.solution, shape);
    if (file.guesses.empty()) return;
    writer.group("/guesses");
    writer.small_integers("/guesses/number_of_guesses", {small(static_cast<Index>(file.guesses.size()))});
    for (std::size_t k = 0; k < file.guesses.size(); ++k) {
      write_solution(writer, "/guesses/" + std::to_string(k + 1), file.guesses[k], shape);
    }
  });
}

}  // namespace nonsmooth::problem_files
