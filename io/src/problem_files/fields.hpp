// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>

/// What a problem is made of, name by name, whatever the file: our HDF5 and our text hold the same fields.
namespace nonsmooth::problem_files {

/// The names of SetKind in files, in its order.
inline constexpr std::array<std::string_view, 9> set_kind_names = {
    "free",           "orthant",   "box",    "second-order-cone", "coulomb-2d", "coulomb-3d",
    "drucker-prager", "von-mises", "rolling"};
inline constexpr std::size_t set_kind_width = 24;  ///< bytes of a name in HDF5, padded with zeros

/// Takes fields. A name may have a group before it, "K/mu", and that a part, "K/0/mu": groups come before what is in
/// them.
class FieldSink {
 public:
  virtual ~FieldSink() = default;
  virtual void group(const std::string& name) = 0;
  /// A group that says which set it holds.
  virtual void set(const std::string& name, std::string_view kind) = 0;
  virtual void matrix(const std::string& name, const Eigen::MatrixXd& value) = 0;
  virtual void matrix(const std::string& name, const Eigen::SparseMatrix<double>& value) = 0;
  virtual void matrix(const std::string& name, const BlockSparseMatrix& value) = 0;
  virtual void vector(const std::string& name, ConstVectorRef value) = 0;
  virtual void integers(const std::string& name, const std::vector<std::int64_t>& value) = 0;
  virtual void words(const std::string& name, const std::vector<std::string_view>& value) = 0;
};

/// Gives them back, checked. Everything throws FormatError with the field's place.
class FieldSource {
 public:
  virtual ~FieldSource() = default;
  [[nodiscard]] virtual bool has(const std::string& name) const = 0;
  virtual void require_group(const std::string& name) const = 0;
  [[nodiscard]] virtual std::string set(const std::string& name) const = 0;
  [[nodiscard]] virtual bool is_sparse(const std::string& name) const = 0;  ///< of a matrix
  [[nodiscard]] virtual Eigen::MatrixXd dense(const std::string& name) const = 0;
  [[nodiscard]] virtual Eigen::SparseMatrix<double> sparse(const std::string& name) const = 0;
  [[nodiscard]] virtual BlockSparseMatrix blocks(const std::string& name) const = 0;
  [[nodiscard]] virtual Eigen::VectorXd vector(const std::string& name) const = 0;  ///< finite
  [[nodiscard]] virtual Eigen::VectorXd bounds(const std::string& name) const = 0;  ///< no NaN
  [[nodiscard]] virtual std::vector<Index> integers(const std::string& name, Index low, Index high) const = 0;
  [[nodiscard]] virtual std::vector<std::string> words(const std::string& name) const = 0;
  [[noreturn]] virtual void fail(const std::string& name, const std::string& found,
                                 const std::string& expected) const = 0;

  void require_size(const std::string& name, Index found, Index expected) const {
    if (found != expected) fail(name, std::to_string(found) + " entries", std::to_string(expected));
  }
};

/// @throws InvalidArgument for an mcp::Problem and a NonlinearMpcc, whose maps are code.
void write_fields(FieldSink& sink, const AnyProblem& problem);

/// The fields of that class; the problem is not validated.
[[nodiscard]] AnyProblem read_fields(const FieldSource& source, std::string_view problem_class);

/// The least version of our layouts that holds a problem.
[[nodiscard]] int version_of(const AnyProblem& problem);

}  // namespace nonsmooth::problem_files
