// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "hdf5_file.hpp"
#include "hdf5_handle.hpp"

namespace nonsmooth::problem_files {
namespace {

class Writer {
 public:
  Writer(hid_t file, std::string name) : file_(file), name_(std::move(name)) {
    // Times of creation would make two files of one problem differ.
    dataset_properties_ = {H5Pcreate(H5P_DATASET_CREATE), H5Pclose};
    group_properties_ = {H5Pcreate(H5P_GROUP_CREATE), H5Pclose};
    check(dataset_properties_.valid() && group_properties_.valid());
    check(H5Pset_obj_track_times(dataset_properties_.id(), false) >= 0);
    check(H5Pset_obj_track_times(group_properties_.id(), false) >= 0);
  }

  void group(const char* path) {
    check(Hdf5Handle(H5Gcreate2(file_, path, H5P_DEFAULT, group_properties_.id(), H5P_DEFAULT), H5Gclose).valid());
  }

  void reals(const std::string& path, const double* data, Index size) {
    dataset(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, data, size);
  }
  void reals(const std::string& path, ConstVectorRef value) { reals(path, value.data(), value.size()); }

  void integers(const std::string& path, const std::vector<std::int64_t>& value) {
    dataset(path, H5T_STD_I64LE, H5T_NATIVE_INT64, value.data(), static_cast<Index>(value.size()));
  }

  /// Strings of `width` bytes one after the other.
  void strings(const std::string& path, const std::string& bytes, std::size_t width) {
    const Hdf5Handle type = string_type(width);
    dataset(path, type.id(), type.id(), bytes.data(), static_cast<Index>(bytes.size() / width));
  }

  void attribute(const char* object, const char* key, std::string_view value) {
    const Hdf5Handle type = string_type(value.size());
    attribute(object, key, type.id(), type.id(), value.data());
  }
  void attribute(const char* object, const char* key, std::int64_t value) {
    attribute(object, key, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
  }

  void check(bool success) const {
    if (!success) throw FileError(name_ + ": could not be written to the end");
  }

 private:
  void dataset(const std::string& path, hid_t file_type, hid_t memory_type, const void* data, Index size) {
    const auto extent = static_cast<hsize_t>(size);
    const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    check(space.valid());
    Hdf5Handle set(
        H5Dcreate2(file_, path.c_str(), file_type, space.id(), H5P_DEFAULT, dataset_properties_.id(), H5P_DEFAULT),
        H5Dclose);
    check(set.valid());
    if (size > 0) check(H5Dwrite(set.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    check(set.close());
  }

  void attribute(const char* object, const char* key, hid_t file_type, hid_t memory_type, const void* data) {
    const Hdf5Handle owner(H5Oopen(file_, object, H5P_DEFAULT), H5Oclose);
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    check(owner.valid() && space.valid());
    const Hdf5Handle value(H5Acreate2(owner.id(), key, file_type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(value.valid() && H5Awrite(value.id(), memory_type, data) >= 0);
  }

  Hdf5Handle string_type(std::size_t width) const {
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    check(type.valid() && H5Tset_size(type.id(), width) >= 0 && H5Tset_strpad(type.id(), H5T_STR_NULLPAD) >= 0 &&
          H5Tset_cset(type.id(), H5T_CSET_UTF8) >= 0);
    return type;
  }

  hid_t file_;
  std::string name_;
  Hdf5Handle dataset_properties_, group_properties_;
};

void write_matrix(Writer& writer, const std::string& path, const Eigen::MatrixXd& matrix) {
  writer.group(path.c_str());
  writer.attribute(path.c_str(), "storage", "dense");
  writer.integers(path + "/shape", {matrix.rows(), matrix.cols()});
  writer.reals(path + "/values", matrix.data(), matrix.size());
}

void write_matrix(Writer& writer, const std::string& path, const Eigen::SparseMatrix<double>& given) {
  Eigen::SparseMatrix<double> matrix = given;
  matrix.makeCompressed();
  writer.group(path.c_str());
  writer.attribute(path.c_str(), "storage", "csc");
  writer.integers(path + "/shape", {matrix.rows(), matrix.cols()});
  writer.integers(path + "/pointers", {matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.cols() + 1});
  writer.integers(path + "/indices", {matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros()});
  writer.reals(path + "/values", matrix.valuePtr(), matrix.nonZeros());
}

void write_matrix(Writer& writer, const std::string& path, const BlockSparseMatrix& matrix) {
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

void write_sets(Writer& writer, const ProductSet& K) {
  const Index size = K.num_blocks();
  std::string kinds;
  std::vector<std::int64_t> offsets = {0};
  Eigen::VectorXd mu(size), dilation(size), radius(size), lower(size), upper(size);
  for (Index i = 0; i < size; ++i) {
    std::string kind(set_kind_names[static_cast<std::size_t>(K[i].kind)]);
    kind.resize(set_kind_width, '\0');
    kinds += kind;
    offsets.push_back(K.offset(i + 1));
    mu[i] = K[i].mu;
    dilation[i] = K[i].dilation;
    radius[i] = K[i].radius;
    lower[i] = K[i].lower;
    upper[i] = K[i].upper;
  }
  writer.group("/K");
  writer.strings("/K/kind", kinds, set_kind_width);
  writer.integers("/K/offsets", offsets);
  writer.reals("/K/mu", mu);
  writer.reals("/K/dilation", dilation);
  writer.reals("/K/radius", radius);
  writer.reals("/K/lower", lower);
  writer.reals("/K/upper", upper);
}

struct WriteProblem {
  Writer& writer;

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

 private:
  template <class Problem>
  void write_lcp(const Problem& problem) const {
    write_matrix(writer, "/M", problem.M);
    writer.reals("/q", problem.q);
  }
};

}  // namespace

void write_hdf5(const AnyProblem& problem, const std::filesystem::path& path, std::string_view title) {
  constexpr std::size_t longest_title = 60'000;  // an attribute holds at most 64 KiB
  if (title.size() > longest_title) {
    throw InvalidArgument("write_problem: title", std::to_string(title.size()) + " bytes",
                          "at most " + std::to_string(longest_title));
  }
  const Hdf5Session session;
  const Hdf5Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  if (!properties.valid() || H5Pset_obj_track_times(properties.id(), false) < 0) {
    throw FileError(path.string() + ": HDF5 could not be started");
  }
  // From 1.8 on, everything but the data carries a checksum: a damaged file is noticed, and our reader asks for it.
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (!access.valid() || H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18) < 0) {
    throw FileError(path.string() + ": HDF5 could not be started");
  }
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties.id(), access.id()), H5Fclose);
  if (!file.valid()) throw FileError(path.string() + ": cannot be opened for writing");
  {
    Writer writer(file.id(), path.string());
    writer.attribute("/", "format", hdf5_format);
    writer.attribute("/", "version", hdf5_version);
    writer.attribute("/", "class", to_string(class_of(problem)));
    if (!title.empty()) writer.attribute("/", "title", title);
    std::visit(WriteProblem{writer}, problem);
    writer.check(H5Fflush(file.id(), H5F_SCOPE_GLOBAL) >= 0);
  }
  if (!file.close()) throw FileError(path.string() + ": could not be written to the end");
}

}  // namespace nonsmooth::problem_files
