// SPDX-License-Identifier: Apache-2.0
// Systems with a singular mass among the first-order data: what is reduced away, what stays as constraints, and the
// user's x again.
#include <internal/round_off.hpp>

#include "dynamics/factors/pivots.hpp"
#include "first_order_data.hpp"

namespace nonsmooth::events {

void FirstOrderData::add_constraints() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  rows.resize(static_cast<std::size_t>(m));
  for (System& system : systems_) {
    system.first_row = m;
    if (!system.form) continue;
    const Index count = system.form->R.rows();
    for (Index k = 0; k < count; ++k) rows.push_back({-kInfinity, kInfinity, -1, k, system.name});
    offsets_vary = offsets_vary || (count > 0 && system.description.linear->b.function());
    m += count;
  }
}

/// C, relation_D_ and P of descriptor systems from the data as they were given.
void FirstOrderData::reduce_matrices() {
  C = given_C_;
  for (const System& system : systems_) {
    if (!system.form) continue;
    const DescriptorForm& form = *system.form;
    const auto B = B_.middleRows(system.x, system.n);
    const auto given = given_C_.middleCols(system.x, system.n);
    clean_product(given, form.X, reduced_);
    C.middleCols(system.x, system.n) = reduced_;
    clean_product(form.W, B, reduced_);
    P.middleRows(system.x, system.n) = reduced_;
    clean_product(given, form.Z, C_Z_);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) {
        double sum = relation_D_(i, j), terms = std::abs(sum);
        for (Index k = 0; k < system.n; ++k) {
          sum -= C_Z_(i, k) * B(k, j);
          terms += std::abs(C_Z_(i, k) * B(k, j));
        }
        relation_D_(i, j) = std::abs(sum) <= 8.0 * static_cast<double>(system.n + 2) * eps * terms ? 0.0 : sum;
      }
    }
    const Index count = form.R.rows();
    if (count == 0) continue;
    clean_product(given, form.K, reduced_);
    relation_D_.middleCols(system.first_row, count) += reduced_;
    clean_product(form.R, B, reduced_);
    relation_D_.middleRows(system.first_row, count) -= reduced_;
    clean_product(form.R, form.A, reduced_);
    C.block(system.first_row, system.x, count, system.n) = -reduced_;
    P.block(system.x, system.first_row, system.n, count) = form.P;
  }
}

void FirstOrderData::project(Eigen::VectorXd& x) {
  for (System& system : systems_) {
    if (!system.form) continue;
    system.x_scratch.noalias() = system.form->N * x.segment(system.x, system.n);
    x.segment(system.x, system.n) = system.x_scratch;
  }
}

void FirstOrderData::complete(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& lambda,
                              Eigen::VectorXd& unknowns) {
  for (System& system : systems_) {
    if (!system.form) continue;
    const DescriptorForm& form = *system.form;
    system.description.b(t, system.f);
    system.f.noalias() += B_.middleRows(system.x, system.n) * lambda;
    system.x_scratch.noalias() = form.X * x.segment(system.x, system.n);
    system.x_scratch.noalias() -= form.Z * system.f;
    if (const Index count = form.R.rows(); count > 0)
      system.x_scratch.noalias() += form.K * lambda.segment(system.first_row, count);
    unknowns.segment(system.z - layout_->num_positions, system.n) = system.x_scratch;
  }
}

}  // namespace nonsmooth::events
