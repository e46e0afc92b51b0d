// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/filippov.hpp>

/// What a FilippovSystem is to the stages and to event-driven simulation.
namespace nonsmooth {

/// A description that was checked, with the region of each pattern of signs: bit j of a pattern's number is set where
/// c_j > 0. Functions get what they write zeroed.
class FilippovFields {
 public:
  /// @throws InvalidArgument as link_filippov()
  explicit FilippovFields(FilippovSystem system);

  [[nodiscard]] const FilippovSystem& system() const noexcept { return system_; }
  [[nodiscard]] Index n() const noexcept { return n_; }
  [[nodiscard]] Index num_surfaces() const noexcept { return static_cast<Index>(system_.switches.size()); }
  [[nodiscard]] Index num_patterns() const noexcept { return Index{1} << num_surfaces(); }
  [[nodiscard]] Index num_regions() const noexcept { return static_cast<Index>(system_.regions.size()); }
  [[nodiscard]] Index region_of(Index pattern) const { return region_of_[static_cast<std::size_t>(pattern)]; }
  [[nodiscard]] bool is_hull() const noexcept { return system_.meaning == FilippovMeaning::Hull; }

  [[nodiscard]] double value(Index surface, double t, ConstVectorRef x) const;
  /// Central differences over eps^(1/3) max(1, |x_k|) where none is given.
  void gradient(Index surface, double t, ConstVectorRef x, VectorRef result) const;
  /// dc/dt; differences of order 4 over max(1e-3, 1e-6 |t|) within [first, last] where none is given.
  [[nodiscard]] double rate(Index surface, double t, ConstVectorRef x, double first, double last) const;
  void field(Index region, double t, ConstVectorRef x, VectorRef result) const;
  /// df/dx of a region; forward differences where it is not given.
  void field_dx(Index region, double t, ConstVectorRef x, MatrixRef jacobian) const;

  [[nodiscard]] std::string surface_name(Index surface) const;
  [[nodiscard]] std::string region_name(Index region) const;

 private:
  void check_signs();
  void check_start() const;

  FilippovSystem system_;
  Index n_;
  std::vector<Index> region_of_;
};

/// x' = r: the state of a FilippovSystem; its fields come by the interaction.
class FilippovProcess final : public FirstOrderDynamicalSystem {
 public:
  explicit FilippovProcess(std::shared_ptr<const FilippovFields> fields) : fields_(std::move(fields)) {}
  [[nodiscard]] std::string name() const override { return fields_->system().name; }
  [[nodiscard]] Eigen::VectorXd initial_state() const override { return fields_->system().x0.value(); }
  void f(double, ConstVectorRef, VectorRef) const override {}
  bool f_dx(double, ConstVectorRef, MatrixRef) const override { return true; }
  [[nodiscard]] const std::shared_ptr<const FilippovFields>& fields() const noexcept { return fields_; }

 private:
  std::shared_ptr<const FilippovFields> fields_;
};

/// Hull: y = g(t, x), r = sum_i lambda_i f_i, i the patterns. MultiAffine: y = -c, r = sum_i f_i prod_j w_ij(lambda).
class FilippovRelation final : public FirstOrderInputOutputRelation {
 public:
  explicit FilippovRelation(std::shared_ptr<const FilippovFields> fields) : fields_(std::move(fields)) {}
  [[nodiscard]] Index rows() const override;
  void validate(Index n) const override;
  void h(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef y) const override;
  void g(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef r) const override;
  bool h_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const override;
  bool h_dlambda(double, ConstVectorRef, ConstVectorRef, MatrixRef) const override { return true; }
  bool g_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const override;
  bool g_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const override;
  [[nodiscard]] const std::shared_ptr<const FilippovFields>& fields() const noexcept { return fields_; }

 private:
  /// Of a pattern in r.
  [[nodiscard]] double weight(Index pattern, ConstVectorRef lambda) const;
  std::shared_ptr<const FilippovFields> fields_;
};

}  // namespace nonsmooth
