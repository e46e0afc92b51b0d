// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "fclib.hpp"
#include "hdf5_objects.hpp"
#include "stored_matrix.hpp"

namespace nonsmooth::problem_files {
namespace {

Eigen::MatrixXd read_hdf5_dense(const Hdf5Objects& reader, const std::string& path) {
  const std::vector<Index> shape = reader.integers(path + "/shape", 2, 0, largest_size);
  reader.require_size(path + "/shape", shape.size(), 2);
  const std::vector<double> values = reader.finite_reals(path + "/values");
  reader.require_size(path + "/values", values.size(), shape[0] * shape[1]);  // both below 2^31
  return Eigen::Map<const Eigen::MatrixXd>(values.data(), shape[0], shape[1]);
}

Eigen::SparseMatrix<double> read_csc(const Hdf5Objects& reader, const std::string& path) {
  const std::vector<Index> shape = reader.integers(path + "/shape", 2, 0, largest_size);
  reader.require_size(path + "/shape", shape.size(), 2);
  const std::vector<Index> pointers = reader.rising(path + "/pointers", false);
  reader.require_size(path + "/pointers", pointers.size(), shape[1] + 1);
  const std::vector<Index> indices = reader.integers(path + "/indices", 0, 0, shape[0] - 1);
  reader.require_size(path + "/indices", indices.size(), pointers.back());
  const std::vector<double> values = reader.finite_reals(path + "/values");
  reader.require_size(path + "/values", values.size(), pointers.back());
  Eigen::SparseMatrix<double> matrix(shape[0], shape[1]);
  matrix.resizeNonZeros(pointers.back());
  for (Index j = 0; j < shape[1]; ++j) {
    const Index begin = pointers[static_cast<std::size_t>(j)], end = pointers[static_cast<std::size_t>(j) + 1];
    if (const auto first = indices.begin() + begin, last = indices.begin() + end;
        std::adjacent_find(first, last, std::greater_equal<>()) != last) {
      reader.fail(path + "/indices", "indices that do not rise in column " + std::to_string(j), "rising indices");
    }
    matrix.outerIndexPtr()[j + 1] = static_cast<SparseIndex>(end);
  }
  std::transform(indices.begin(), indices.end(), matrix.innerIndexPtr(),
                 [](Index i) { return static_cast<SparseIndex>(i); });
  std::copy(values.begin(), values.end(), matrix.valuePtr());
  return matrix;
}

BlockSparseMatrix read_hdf5_blocks(const Hdf5Objects& reader, const std::string& path) {
  const std::vector<Index> offsets = reader.rising(path + "/offsets", true);
  const Index num_rows = static_cast<Index>(offsets.size()) - 1;
  const std::vector<Index> pointers = reader.rising(path + "/pointers", false);
  reader.require_size(path + "/pointers", pointers.size(), num_rows + 1);
  const std::vector<Index> indices = reader.integers(path + "/indices", 0, 0, num_rows - 1);
  reader.require_size(path + "/indices", indices.size(), pointers.back());
  const std::vector<double> values = reader.finite_reals(path + "/values");
  const auto offset = [&](Index i) { return offsets[static_cast<std::size_t>(i)]; };
  const auto pointer = [&](Index i) { return pointers[static_cast<std::size_t>(i)]; };

  std::vector<Index> sizes;
  Index left = static_cast<Index>(values.size());  // so that sums of block areas cannot overflow
  for (Index i = 0; i < num_rows; ++i) {
    sizes.push_back(offset(i + 1) - offset(i));
    const auto first = indices.begin() + pointer(i), last = indices.begin() + pointer(i + 1);
    if (std::adjacent_find(first, last, std::greater_equal<>()) != last || !std::binary_search(first, last, i)) {
      reader.fail(path + "/indices", "other indices in block row " + std::to_string(i),
                  "rising indices with the diagonal block among them");
    }
    for (auto k = first; k != last; ++k) left -= std::min(left + 1, sizes.back() * (offset(*k + 1) - offset(*k)));
    if (left < 0) break;
  }
  if (left != 0) reader.fail(path + "/values", std::to_string(values.size()) + " entries", "those of the blocks");
  BlockSparseMatrix matrix;
  matrix.begin_pattern(sizes);
  for (Index i = 0; i < num_rows; ++i) {
    for (Index k = pointer(i); k < pointer(i + 1); ++k) matrix.insert(indices[static_cast<std::size_t>(k)]);
    matrix.next_row();
  }
  matrix.end_pattern();
  const double* value = values.data();
  for (Index i = 0; i < num_rows; ++i) {
    for (Index k = matrix.row_begin(i); k < matrix.row_begin(i + 1); ++k) {
      const Index area = matrix.size(i) * matrix.size(matrix.column(k));
      std::copy_n(value, area, matrix.values(k));
      value += area;
    }
  }
  return matrix;
}

/// Fields are objects: "K/mu" is /K/mu.
class Hdf5Fields final : public FieldSource {
 public:
  explicit Hdf5Fields(const Hdf5Objects& objects) : objects_(objects) {}

  [[nodiscard]] bool has(const std::string& name) const override { return objects_.exists('/' + name); }
  void require_group(const std::string& name) const override { objects_.require_group('/' + name); }
  [[nodiscard]] std::string set(const std::string& name) const override { return attribute(name, "set"); }
  [[nodiscard]] bool is_sparse(const std::string& name) const override { return attribute(name, "storage") == "csc"; }
  [[nodiscard]] Eigen::MatrixXd dense(const std::string& name) const override {
    require_storage(name, "dense");
    return read_hdf5_dense(objects_, '/' + name);
  }
  [[nodiscard]] Eigen::SparseMatrix<double> sparse(const std::string& name) const override {
    require_storage(name, "csc");
    return read_csc(objects_, '/' + name);
  }
  [[nodiscard]] BlockSparseMatrix blocks(const std::string& name) const override {
    require_storage(name, "block-sparse");
    return read_hdf5_blocks(objects_, '/' + name);
  }
  [[nodiscard]] Eigen::VectorXd vector(const std::string& name) const override { return objects_.vector('/' + name); }
  [[nodiscard]] Eigen::VectorXd bounds(const std::string& name) const override { return objects_.bounds('/' + name); }
  [[nodiscard]] std::vector<Index> integers(const std::string& name, Index low, Index high) const override {
    return objects_.integers('/' + name, 0, low, high);
  }
  [[nodiscard]] std::vector<std::string> words(const std::string& name) const override {
    return objects_.words('/' + name);
  }
  [[noreturn]] void fail(const std::string& name, const std::string& found,
                         const std::string& expected) const override {
    objects_.fail('/' + name, found, expected);
  }

 private:
  [[nodiscard]] std::string attribute(const std::string& name, const char* key) const {
    require_group(name);
    return objects_.text('/' + name, key);
  }
  void require_storage(const std::string& name, std::string_view storage) const {
    if (attribute(name, "storage") != storage) fail(name, "another storage", std::string(storage));
  }

  const Hdf5Objects& objects_;
};

ProblemFile read(hid_t file, const std::string& name, std::uint64_t file_size, const PeekBytes& peek) {
  const Hdf5Objects reader(file, name, file_size, peek);
  if (has_fclib(reader)) return read_new_fclib(file, name, file_size, peek);
  if (reader.text("/", "format") != hdf5_format) reader.fail("/", "another format", std::string(hdf5_format));
  if (const std::int64_t version = reader.version(); version < hdf5_first_version || version > hdf5_last_version) {
    reader.fail("/", "version " + std::to_string(version),
                std::to_string(hdf5_first_version) + " to " + std::to_string(hdf5_last_version));
  }
  const std::string problem_class = reader.text("/", "class");
  ProblemFile result{.problem = {}, .format = FileFormat::Hdf5, .title = reader.text("/", "title", false)};
  try {
    result.problem = read_fields(Hdf5Fields(reader), problem_class);
    std::visit([](const auto& problem) { problem.validate(); }, result.problem);
  } catch (const InvalidArgument& error) {
    throw FormatError(name + ": " + error.what());
  }
  if (to_string(class_of(result.problem)) != problem_class) {
    reader.fail("/", "a problem of class " + std::string(to_string(class_of(result.problem))),
                "the class its attribute says");
  }
  return result;
}

}  // namespace

bool is_hdf5(std::string_view bytes) noexcept { return bytes.starts_with("\211HDF\r\n\032\n"); }

ProblemFile read_hdf5(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
  if (size < 0) throw FileError(name + ": cannot be opened for reading");
  const PeekBytes peek = [&](std::uint64_t address, std::size_t count) {
    std::string bytes;
    if (address >= static_cast<std::uint64_t>(size)) return bytes;
    bytes.resize(count);
    stream.clear();
    stream.seekg(static_cast<std::streamoff>(address));
    stream.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(stream.gcount()));
    return bytes;
  };
  if (is_old_hdf5(peek(0, 16))) {
    const std::string bytes = peek(0, static_cast<std::size_t>(size));
    return problem_of(read_fclib_image(bytes, name, FclibParts::ProblemAlone));
  }
  require_checksums(name, peek, static_cast<std::uint64_t>(size));
  const Hdf5Session session;
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.valid()) {
    require_whole(name, peek, static_cast<std::uint64_t>(size));
    throw FormatError(name + ": found no readable HDF5 file, expected one");
  }
  return read(file.id(), name, static_cast<std::uint64_t>(size), peek);
}

void with_hdf5_image(std::span<const char> bytes, const std::string& file_name,
                     const std::function<void(hid_t file, const PeekBytes& peek)>& read) {
  const PeekBytes peek = [&](std::uint64_t address, std::size_t count) {
    if (address >= bytes.size()) return std::string();
    const auto part = bytes.subspan(address, std::min(count, bytes.size() - address));
    return std::string(part.begin(), part.end());
  };
  require_checksums(file_name, peek, bytes.size());
  const Hdf5Session session;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  constexpr std::size_t increment = 65'536;
  std::vector<char> copy(bytes.begin(), bytes.end());  // the library's interface wants it writable
  if (!access.valid() || H5Pset_fapl_core(access.id(), increment, false) < 0 ||
      H5Pset_file_image(access.id(), copy.data(), copy.size()) < 0) {
    throw FileError(file_name + ": HDF5 could not be started");
  }
  // The library refuses an image under the name of a file that exists; of this one there can be none.
  const Hdf5Handle file(H5Fopen("/dev/null/image", H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (!file.valid()) {
    require_whole(file_name, peek, bytes.size());
    throw FormatError(file_name + ": found no readable HDF5 file, expected one");
  }
  read(file.id(), peek);
}

ProblemFile read_hdf5_image(std::span<const char> bytes, std::string_view name) {
  const std::string_view view(bytes.data(), bytes.size());
  if (is_old_hdf5(view)) return problem_of(read_fclib_image(view, name, FclibParts::ProblemAlone));
  ProblemFile result;
  const std::string file_name(name);
  with_hdf5_image(bytes, file_name,
                  [&](hid_t file, const PeekBytes& peek) { result = read(file, file_name, bytes.size(), peek); });
  return result;
}

}  // namespace nonsmooth::problem_files
