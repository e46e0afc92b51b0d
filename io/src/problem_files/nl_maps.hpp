// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/nonlinear_map.hpp>

#include "nl_file.hpp"
#include "stored_matrix.hpp"

namespace nonsmooth::problem_files {

/// One value: factor times an expression, plus linear terms, less a constant.
struct NlComponent {
  Index root = -1;  ///< of the expressions; -1: none
  double factor = 1.0;
  std::vector<NlTerm> linear{};
  double less = 0.0;
  std::vector<Index> parts{};         ///< of the root
  std::vector<Index> curved{};        ///< variables of the expression, rising
  std::vector<Index> variables{};     ///< that it depends on, rising
  std::vector<SparseIndex> places{};  ///< of its derivatives in J, of one that is not affine

  [[nodiscard]] bool is_affine() const noexcept { return curved.empty(); }
};

/// Values, slopes and second derivatives of components in n unknowns. What several callables share; it never changes.
class NlMap {
 public:
  /// Expressions are evaluated at the point of [lower, upper] nearest to x, where lower is given: what a step rounds
  /// beyond a bound may be outside of where they are defined.
  NlMap(std::shared_ptr<const NlExpressions> expressions, std::vector<NlComponent> components, Index num_unknowns,
        Eigen::VectorXd lower = {}, Eigen::VectorXd upper = {});

  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(components_.size()); }
  [[nodiscard]] const std::vector<NlComponent>& components() const noexcept { return components_; }
  [[nodiscard]] bool is_affine() const noexcept;

  void value(ConstVectorRef x, VectorRef f) const;
  void jacobian(ConstVectorRef x, Eigen::SparseMatrix<double>& J) const;
  /// Adds the second derivatives of sum_j weights_j f_j, both triangles.
  void add_hessian(ConstVectorRef x, ConstVectorRef weights, std::vector<Triplet>& entries) const;

 private:
  void find_pattern();
  [[nodiscard]] std::vector<double> values_at(ConstVectorRef x) const;

  std::shared_ptr<const NlExpressions> expressions_;
  std::vector<NlComponent> components_;
  Index num_unknowns_;
  Eigen::VectorXd lower_, upper_;
  Eigen::SparseMatrix<double> linear_{};  ///< J of the linear terms, 0 where others are
};

/// Its callables, which keep it.
[[nodiscard]] NonlinearMap callables_of(std::shared_ptr<const NlMap> map, Index num_unknowns, std::string name);

}  // namespace nonsmooth::problem_files
