// SPDX-License-Identifier: Apache-2.0
// What every kind of convex set answers; not installed.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/vi/convex_set.hpp>

#include "numbers.hpp"

namespace nonsmooth::vi {

/// Arguments have been checked.
struct ConvexSet::Implementation {
  Implementation() = default;
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  virtual ~Implementation() = default;

  using Entries = std::vector<Eigen::Triplet<double>>;
  static void add_block(const Eigen::MatrixXd& block, Index first, Entries& entries) {
    for (Index j = 0; j < block.cols(); ++j) {
      for (Index i = 0; i < block.rows(); ++i)
        entries.emplace_back(static_cast<int>(first + i), static_cast<int>(first + j), block(i, j));
    }
  }

  [[nodiscard]] virtual Index size() const noexcept = 0;
  virtual ProjectionReport project(ConstVectorRef y, VectorRef x) const = 0;
  /// Appends what ConvexSet::factors() says.
  virtual void add_factors(std::vector<Index>& sizes) const { sizes.push_back(size()); }
  [[nodiscard]] virtual bool has_jacobian() const noexcept { return false; }
  virtual void jacobian(ConstVectorRef, MatrixRef) const {}
  /// Appends the entries of that Jacobian, of all blocks of factors() and these alone, from row and column `first` on.
  virtual void add_jacobian(ConstVectorRef y, Index first, Entries& entries) const {
    Eigen::MatrixXd D(size(), size());
    jacobian(y, D);
    add_block(D, first, entries);
  }
  [[nodiscard]] virtual std::optional<Polyhedron> polyhedron() const { return std::nullopt; }
  [[nodiscard]] virtual bool has_support() const noexcept { return false; }
  [[nodiscard]] virtual double support(ConstVectorRef, VectorRef, double& /*terms*/) const {
    return std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] virtual Index proof_rows() const noexcept { return 0; }
  [[nodiscard]] virtual bool proves_empty(ConstVectorRef) const { return false; }
  [[nodiscard]] virtual double user_accuracy() const noexcept { return 0.0; }
};

namespace detail {

std::shared_ptr<const ConvexSet::Implementation> make_polyhedron(const Polyhedron& polyhedron);
std::shared_ptr<const ConvexSet::Implementation> make_product(const Product& product);
std::shared_ptr<const ConvexSet::Implementation> make_intersection(const Intersection& intersection);
std::shared_ptr<const ConvexSet::Implementation> make_shifted(const Shifted& shifted);

}  // namespace detail
}  // namespace nonsmooth::vi
