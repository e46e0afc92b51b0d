// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "fields.hpp"
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

/// Fields are objects: "K/mu" is /K/mu.
class Hdf5FieldSink final : public FieldSink {
 public:
  explicit Hdf5FieldSink(Hdf5Writer& writer) : writer_(writer) {}

  void group(const std::string& name) override { writer_.group(('/' + name).c_str()); }
  void set(const std::string& name, std::string_view kind) override {
    group(name);
    writer_.attribute(('/' + name).c_str(), "set", kind);
  }
  void matrix(const std::string& name, const Eigen::MatrixXd& value) override {
    write_matrix(writer_, '/' + name, value);
  }
  void matrix(const std::string& name, const Eigen::SparseMatrix<double>& value) override {
    write_matrix(writer_, '/' + name, value);
  }
  void matrix(const std::string& name, const BlockSparseMatrix& value) override {
    write_matrix(writer_, '/' + name, value);
  }
  void vector(const std::string& name, ConstVectorRef value) override { writer_.reals('/' + name, value); }
  void integers(const std::string& name, const std::vector<std::int64_t>& value) override {
    writer_.integers('/' + name, value);
  }
  void words(const std::string& name, const std::vector<std::string_view>& value) override {
    std::string bytes;
    for (const std::string_view word : value) {
      bytes += word;
      bytes.resize(bytes.size() + set_kind_width - word.size(), '\0');
    }
    writer_.strings('/' + name, bytes, set_kind_width);
  }

 private:
  Hdf5Writer& writer_;
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
    Hdf5FieldSink sink(writer);
    write_fields(sink, problem);
  });
}

}  // namespace nonsmooth::problem_files
