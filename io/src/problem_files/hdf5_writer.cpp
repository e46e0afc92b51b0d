// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "hdf5_file.hpp"
#include "hdf5_handle.hpp"
#include "hdf5_output.hpp"

namespace nonsmooth::problem_files {
namespace {

void write_matrix(Hdf5Writer& writer, const std::string& path, const Eigen::MatrixXd& matrix) {
  writer.group(path.c_str());
  writer.attribute(path.c_str(), "storage", "dense");
  writer.integers(path + "/shape", {matrix.rows(), matrix.cols()});
  writer.reals(path + "/values", matrix.data(), matrix.size());
}

void write_matrix(Hdf5Writer& writer, const std::string& path, const Eigen::SparseMatrix<double>& given) {
  Eigen::SparseMatrix<double> matrix = given;
  matrix.makeCompressed();
  writer.group(path.c_str());
  writer.attribute(path.c_str(), "storage", "csc");
  writer.integers(path + "/shape", {matrix.rows(), matrix.cols()});
  writer.integers(path + "/pointers", {matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.cols() + 1});
  writer.integers(path + "/indices", {matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros()});
  writer.reals(path + "/values", matrix.valuePtr(), matrix.nonZeros());
}

void write_matrix(Hdf5Writer& writer, const std::string& path, const BlockSparseMatrix& matrix) {
  std::vector<std::int64_t> offsets, pointers, indices;
  std::vector<double> values;
  for (Index i = 0; i <= matrix.num_block_rows(); ++i) {
    offsets.push_back(matrix.offset(i));
    pointers.push_back(matrix.row_begin(i));
  }
  for (Index i = 0; i < matrix.num_block_rows(); ++i) {
    for (Index k = matrix.row_begin(i); k < matrix.row_begin(i + 1); ++k) {
      indices.push_back(matrix.column(k));
      values.insert(values.end(), matrix.values(k), matrix.values(k) + matrix.size(i) * matrix.size(matrix.column(k)));
    }
  }
  writer.group(path.c_str());
  writer.attribute(path.c_str(), "storage", "block-sparse");
  writer.integers(path + "/offsets", offsets);
  writer.integers(path + "/pointers", pointers);
  writer.integers(path + "/indices", indices);
  writer.reals(path + "/values", values.data(), static_cast<Index>(values.size()));
}

/// True if a block has another value than that of a plain BlockSet.
bool differs(const ProductSet& K, const LaterParameter& parameter) {
  const double plain = BlockSet{}.*parameter.entry;
  for (Index i = 0; i < K.num_blocks(); ++i) {
    if (std::bit_cast<std::uint64_t>(K[i].*parameter.entry) != std::bit_cast<std::uint64_t>(plain)) return true;
  }
  return false;
}

void write_sets(Hdf5Writer& writer, const ProductSet& K) {
  const Index size = K.num_blocks();
  std::string kinds;
  std::vector<std::int64_t> offsets = {0};
  Eigen::VectorXd mu(size), lift(size), radius(size), lower(size), upper(size);
  for (Index i = 0; i < size; ++i) {
    std::string kind(set_kind_names[static_cast<std::size_t>(K[i].kind)]);
    kind.resize(set_kind_width, '\0');
    kinds += kind;
    offsets.push_back(K.offset(i + 1));
    mu[i] = K[i].mu;
    lift[i] = K[i].lift;
    radius[i] = K[i].radius;
    lower[i] = K[i].lower;
    upper[i] = K[i].upper;
  }
  writer.group("/K");
  writer.strings("/K/kind", kinds, set_kind_width);
  writer.integers("/K/offsets", offsets);
  writer.reals("/K/mu", mu);
  writer.reals("/K/lift", lift);
  writer.reals("/K/radius", radius);
  writer.reals("/K/lower", lower);
  writer.reals("/K/upper", upper);
  for (const LaterParameter& parameter : later_parameters) {
    if (!differs(K, parameter)) continue;
    Eigen::VectorXd value(size);
    for (Index i = 0; i < size; ++i) value[i] = K[i].*parameter.entry;
    writer.reals(parameter.path, value);
  }
}

/// The least version that holds a problem.
int version_of(const AnyProblem& problem) {
  if (std::holds_alternative<friction::GlobalProblem>(problem)) return 2;
  const auto* mixed = std::get_if<mixed::Problem>(&problem);
  if (mixed == nullptr) return hdf5_first_version;
  const bool later = mixed->K.count(SetKind::Rolling) > 0 ||
                     std::any_of(later_parameters.begin(), later_parameters.end(),
                                 [&](const LaterParameter& parameter) { return differs(mixed->K, parameter); });
  return later ? 2 : hdf5_first_version;
}

struct WriteProblem {
  Hdf5Writer& writer;

  void operator()(const lcp::Problem& problem) const { write_lcp(problem); }
  void operator()(const lcp::SparseProblem& problem) const { write_lcp(problem); }
  void operator()(const relay::Problem& problem) const {
    write_lcp(problem);
    writer.reals("/lower", problem.lower);
    writer.reals("/upper", problem.upper);
  }
  void operator()(const mlcp::Problem& problem) const {
    write_matrix(writer, "/A", problem.A);
    write_matrix(writer, "/B", problem.B);
    write_matrix(writer, "/C", problem.C);
    write_matrix(writer, "/D", problem.D);
    writer.reals("/a", problem.a);
    writer.reals("/b", problem.b);
    if (problem.lower.size() > 0) writer.reals("/lower", problem.lower);
    if (problem.upper.size() > 0) writer.reals("/upper", problem.upper);
  }
  void operator()(const mixed::Problem& problem) const {
    write_matrix(writer, "/W", problem.W);
    writer.reals("/q", problem.q);
    write_sets(writer, problem.K);
  }
  void operator()(const friction::GlobalProblem& problem) const {
    write_matrix(writer, "/A", problem.A);
    write_matrix(writer, "/H", problem.H);
    writer.reals("/f", problem.f);
    writer.reals("/w", problem.w);
    write_sets(writer, problem.K);
  }

 private:
  template <class Problem>
  void write_lcp(const Problem& problem) const {
    write_matrix(writer, "/M", problem.M);
    writer.reals("/q", problem.q);
  }
};

}  // namespace

void write_hdf5(const AnyProblem& problem, const std::filesystem::path& path, std::string_view title) {
  if (title.size() > longest_title) {
    throw InvalidArgument("write_problem: title", std::to_string(title.size()) + " bytes",
                          "at most " + std::to_string(longest_title));
  }
  write_new_hdf5(path, true, [&](Hdf5Writer& writer) {
    writer.attribute("/", "format", hdf5_format);
    writer.attribute("/", "version", version_of(problem));
    writer.attribute("/", "class", to_string(class_of(problem)));
    if (!title.empty()) writer.attribute("/", "title", title);
    std::visit(WriteProblem{writer}, problem);
  });
}

}  // namespace nonsmooth::problem_files
