// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/affine_vi.hpp>

#include <array>
#include <memory>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "square_matrix.hpp"

namespace nonsmooth {
namespace {

Index rows_of_set(const vi::Box& box) { return box.lower.size(); }
Index rows_of_set(const vi::Ball& ball) { return ball.center.size(); }
Index rows_of_set(const vi::HalfSpace& half_space) { return half_space.a.size(); }
Index rows_of_set(const vi::Polyhedron& polyhedron) { return polyhedron.size(); }
Index rows_of_set(const ProductSet& blocks) { return blocks.num_rows(); }

NonlinearMap affine_map(Eigen::MatrixXd M, Eigen::VectorXd q) {
  const Index n = q.size();
  const auto data = std::make_shared<const std::pair<Eigen::MatrixXd, Eigen::VectorXd>>(std::move(M), std::move(q));
  return {.num_unknowns = n,
          .num_values = n,
          .value = [data](ConstVectorRef x, VectorRef f) { f.noalias() = data->first * x + data->second; },
          .dense_jacobian = [data](ConstVectorRef, MatrixRef J) { J = data->first; }};
}
NonlinearMap affine_map(Eigen::SparseMatrix<double> M, Eigen::VectorXd q) {
  const Index n = q.size();
  M.makeCompressed();
  const auto data =
      std::make_shared<const std::pair<Eigen::SparseMatrix<double>, Eigen::VectorXd>>(std::move(M), std::move(q));
  return {.num_unknowns = n,
          .num_values = n,
          .value = [data](ConstVectorRef x, VectorRef f) { f.noalias() = data->first * x + data->second; },
          .jacobian = [data](ConstVectorRef, Eigen::SparseMatrix<double>& J) { J = data->first; }};
}

}  // namespace

std::string_view name_of(const AffineVi::Part& part) noexcept {
  constexpr std::array<std::string_view, 5> names = {"box", "ball", "half-space", "polyhedron", "blocks"};
  return names[part.index()];
}

Index num_rows_of(const AffineVi::Part& part) noexcept {
  return std::visit([](const auto& set) { return rows_of_set(set); }, part);
}

vi::ConvexSet AffineVi::K() const {
  if (parts.empty()) throw InvalidArgument("AffineVi::parts", "none", "at least one");
  vi::Product product;
  for (const Part& part : parts) {
    product.parts.push_back(std::visit([](const auto& set) { return vi::ConvexSet(set); }, part));
  }
  if (parts.size() == 1) return product.parts.front();
  return product;
}

vi::Problem AffineVi::problem() const {
  validate();
  return {.F = std::visit([this](const auto& matrix) { return affine_map(matrix, q); }, M), .K = K()};
}

void AffineVi::validate() const {
  if (q.size() == 0) throw InvalidArgument("AffineVi::q", "no entries", "at least one");
  check::finite("AffineVi::q", ConstVectorRef(q));
  problem_files::require_square("AffineVi::M", M, q.size());
  check::size("AffineVi::parts", K().size(), q.size(), "as many rows together as q has");
}

}  // namespace nonsmooth
