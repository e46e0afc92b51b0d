// SPDX-License-Identifier: Apache-2.0
#include "constant_mass_batch.hpp"

#include <array>

#include "model/guarded.hpp"
#include "model/linked_systems.hpp"
#include "smooth/small_products.hpp"

namespace nonsmooth {
namespace {

/// Up to here loops with the inverse of a constant mass are faster than triangular solves.
constexpr Index kSmallSystem = 8;

/// y := A x of at most kSmallSystem rows; x and y may be one.
void small_product(const Eigen::MatrixXd& A, const double* x, double* y) {
  static constexpr std::array<double, kSmallSystem> kZero{};
  smooth::affine_map(A, x, kZero.data(), y);
}

}  // namespace

void ConstantMassBatch::prepare_instants(const NonSmoothDynamicalSystem& model, const Layout& layout,
                                         const std::vector<Index>& first) {
  list_instants(model, layout, first);
  matrices_.assign(instants_.size(), {});
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    InstantSystem& s = instants_[i];
    const LagrangianLinearSystem& linear = *s.description->linear();
    s.mass = linear.mass.to_dense(s.n, true);
    matrices_[i].force = &linear.force;
    if (!linear.damping.empty()) matrices_[i].damping = linear.damping.to_dense(s.n);
    if (!linear.stiffness.empty()) matrices_[i].stiffness = linear.stiffness.to_dense(s.n);
  }
}

void ConstantMassBatch::evaluate_motion(double t, const Eigen::VectorXd& positions, const Eigen::VectorXd& v,
                                        Eigen::VectorXd& F) {
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    const InstantSystem& s = instants_[i];
    const Matrices& of = matrices_[i];
    auto own = F.segment(s.first, s.n);
    if (const auto* constant = of.force->constant()) {
      copy_numbers(constant->data(), s.n, own.data());
    } else {
      own.setZero();
      if (const auto* function = of.force->function()) guarded(s.name, "force(t)", [&] { (*function)(t, own); });
    }
    if (of.damping.size() > 0) own.noalias() -= of.damping * v.segment(s.first, s.n);
    if (of.stiffness.size() > 0) own.noalias() -= of.stiffness * positions.segment(s.q, s.nq);
  }
}

Index ConstantMassBatch::factor_constant_masses() {
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    InstantSystem& s = instants_[i];
    s.factor.compute(s.mass);
    if (!s.factor.is_positive_definite()) return s.system;
    matrices_[i].inverse = s.factor.inverse();
  }
  return -1;
}

Index ConstantMassBatch::accelerations(const Eigen::VectorXd& F, Eigen::VectorXd& a) {
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    const InstantSystem& s = instants_[i];
    if (s.n <= kSmallSystem) {
      small_product(matrices_[i].inverse, F.data() + s.first, a.data() + s.first);
    } else {
      auto own = a.segment(s.first, s.n);
      own.setZero();
      own.noalias() += matrices_[i].inverse * F.segment(s.first, s.n);
    }
  }
  return -1;
}

void ConstantMassBatch::solve_mass(double* x) const {
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    const InstantSystem& s = instants_[i];
    double* const own = x + s.first;
    if (s.n == 1) {
      *own /= s.mass(0, 0);
    } else if (s.n <= kSmallSystem) {
      small_product(matrices_[i].inverse, own, own);
    } else {
      s.factor.solve_in_place(Eigen::Map<Eigen::VectorXd>(own, s.n));
    }
  }
}

}  // namespace nonsmooth
