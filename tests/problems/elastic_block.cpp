// SPDX-License-Identifier: Apache-2.0
#include "elastic_block.hpp"

#include <array>
#include <cmath>
#include <memory>

#include <Eigen/LU>

#include "reference.hpp"

namespace nonsmooth::problems {
namespace {

using Gradients = Eigen::Matrix<double, 2, 3>;  ///< of the three shape functions

struct Triangle {
  std::array<Index, 6> dofs;
  Gradients gradients;  ///< by the places before deformation
  double area = 0.0;

  [[nodiscard]] Eigen::Matrix2d deformation(ConstVectorRef q) const {
    Eigen::Matrix<double, 2, 3> x;
    for (int a = 0; a < 3; ++a)
      for (int i = 0; i < 2; ++i) x(i, a) = q[dofs[static_cast<std::size_t>(2 * a + i)]];
    return x * gradients.transpose();
  }
};

struct Mesh {
  double mu, lambda, density;
  std::vector<Triangle> triangles;

  [[nodiscard]] double energy(ConstVectorRef q) const {
    double sum = 0.0;
    for (const Triangle& one : triangles) {
      const Eigen::Matrix2d F = one.deformation(q);
      const double log_J = std::log(F.determinant());
      sum += one.area * (0.5 * mu * (F.squaredNorm() - 2.0) - mu * log_J + 0.5 * lambda * log_J * log_J);
    }
    return sum;
  }

  /// f_a = area P grad N_a, P = mu (F - F^-T) + lambda ln J F^-T.
  void internal(ConstVectorRef q, VectorRef f) const {
    for (const Triangle& one : triangles) {
      const Eigen::Matrix2d F = one.deformation(q), inverse = F.inverse().transpose();
      const Eigen::Matrix2d P = mu * (F - inverse) + lambda * std::log(F.determinant()) * inverse;
      const Eigen::Matrix<double, 2, 3> forces = one.area * P * one.gradients;
      for (std::size_t k = 0; k < 6; ++k) f[one.dofs[k]] += forces.data()[k];
    }
  }

  /// K_ab = area (mu g_a·g_b I + lambda h_a h_b^T + (mu - lambda ln J) h_b h_a^T), g = grad N, h = F^-T g.
  void stiffness(ConstVectorRef q, SparseEntries& K) const {
    Eigen::Matrix<double, 6, 6> element;
    for (const Triangle& one : triangles) {
      const Eigen::Matrix2d F = one.deformation(q);
      const double bend = mu - lambda * std::log(F.determinant());
      const Gradients& g = one.gradients;
      const Gradients h = F.inverse().transpose() * g;
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
          element.block<2, 2>(2 * a, 2 * b) =
              one.area * (mu * g.col(a).dot(g.col(b)) * Eigen::Matrix2d::Identity() +
                          lambda * h.col(a) * h.col(b).transpose() + bend * h.col(b) * h.col(a).transpose());
        }
      }
      K.add(one.dofs, element);
    }
  }

  /// density area / 12 times 2 on the diagonal, 1 beside it.
  [[nodiscard]] Eigen::SparseMatrix<double> mass(Index n) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (const Triangle& one : triangles) {
      for (std::size_t a = 0; a < 6; ++a) {
        for (std::size_t b = a % 2; b < 6; b += 2)
          entries.emplace_back(static_cast<int>(one.dofs[a]), static_cast<int>(one.dofs[b]),
                               density * one.area / (a == b ? 6.0 : 12.0));
      }
    }
    Eigen::SparseMatrix<double> M(n, n);
    M.setFromTriplets(entries.begin(), entries.end());
    return M;
  }
};

Triangle triangle_of(const std::array<Index, 3>& nodes, const Eigen::VectorXd& X) {
  Triangle one;
  Eigen::Matrix2d edges;
  for (std::size_t a = 0; a < 3; ++a) {
    one.dofs[2 * a] = 2 * nodes[a];
    one.dofs[2 * a + 1] = 2 * nodes[a] + 1;
  }
  for (int a = 0; a < 2; ++a)
    edges.col(a) = X.segment<2>(2 * nodes[static_cast<std::size_t>(a) + 1]) - X.segment<2>(2 * nodes[0]);
  one.area = 0.5 * edges.determinant();
  one.gradients.rightCols<2>() = edges.inverse().transpose();
  one.gradients.col(0) = -one.gradients.rightCols<2>().rowwise().sum();
  return one;
}

}  // namespace

Eigen::VectorXd ElasticBlock::rest() const {
  Eigen::VectorXd X(num_unknowns());
  for (Index j = 0; j <= rows; ++j) {
    for (Index i = 0; i <= columns; ++i) {
      X[2 * node(i, j)] = width * static_cast<double>(i) / static_cast<double>(columns);
      X[2 * node(i, j) + 1] = height * static_cast<double>(j) / static_cast<double>(rows);
    }
  }
  return X;
}

SparseLagrangianSystem ElasticBlock::system(double gravity) const {
  const Eigen::VectorXd X = rest();
  const auto mesh = std::make_shared<Mesh>(Mesh{mu, lambda, density, {}});
  std::vector<std::vector<Index>> dofs;
  const auto add = [&](Index a, Index b, Index c) {
    mesh->triangles.push_back(triangle_of({a, b, c}, X));
    dofs.emplace_back(mesh->triangles.back().dofs.begin(), mesh->triangles.back().dofs.end());
  };
  for (Index j = 0; j < rows; ++j) {
    for (Index i = 0; i < columns; ++i) {
      add(node(i, j), node(i + 1, j), node(i + 1, j + 1));
      add(node(i, j), node(i + 1, j + 1), node(i, j + 1));
    }
  }
  const Eigen::SparseMatrix<double> M = mesh->mass(num_unknowns());
  Eigen::VectorXd down = Eigen::VectorXd::Zero(num_unknowns());
  for (Index i = 1; i < down.size(); i += 2) down[i] = -gravity;
  const Eigen::VectorXd weight = M * down;
  return {.pattern = SparsePattern::of_elements(num_unknowns(), dofs),
          .mass = M,
          .internal = [mesh](double, ConstVectorRef q, ConstVectorRef, VectorRef f) { mesh->internal(q, f); },
          .internal_dq = [mesh](double, ConstVectorRef q, ConstVectorRef, SparseEntries& K) { mesh->stiffness(q, K); },
          .internal_dv = [](double, ConstVectorRef, ConstVectorRef, SparseEntries&) {},
          .external = weight,
          .potential = [mesh, weight](ConstVectorRef q) { return mesh->energy(q) - weight.dot(q); },
          .q0 = X,
          .name = "block"};
}

LagrangianLinearRelation ElasticBlock::on_floor(double floor, bool friction) const {
  const Index size = friction ? 2 : 1;
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd b = Eigen::VectorXd::Zero(size * (columns + 1));
  for (Index i = 0; i <= columns; ++i) {
    entries.emplace_back(static_cast<int>(size * i), static_cast<int>(2 * node(i, 0) + 1), 1.0);
    if (friction) entries.emplace_back(static_cast<int>(size * i + 1), static_cast<int>(2 * node(i, 0)), 1.0);
    b[size * i] = -floor;
  }
  Eigen::SparseMatrix<double> H(b.size(), num_unknowns());
  H.setFromTriplets(entries.begin(), entries.end());
  return {.H = H, .b = b};
}

double ElasticBlock::free_stretch(double along_y) const {
  return root_between([&](double s) { return mu * (s * s - 1.0) + lambda * std::log(s * along_y); }, 0.1, 10.0);
}

double ElasticBlock::uniaxial_stress(double along_y) const {
  return mu * (along_y - 1.0 / along_y) + lambda * std::log(free_stretch(along_y) * along_y) / along_y;
}

}  // namespace nonsmooth::problems
