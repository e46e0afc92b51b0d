// SPDX-License-Identifier: Apache-2.0
// A square of rubber in triangles of constant strain, plane strain, 1 m thick (SI units).
//   W = mu/2 (|F|^2 - 2 - 2 ln J) + lambda/2 (ln J)^2 per area, F = dx/dX, J = det F: compressible neo-Hookean.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/LU>

#include <nonsmooth/io/field_mesh.hpp>
#include <nonsmooth/kernel/sparse_pattern.hpp>

struct Rubber {
  static constexpr nonsmooth::Index cells = 16;                                  // along each side
  static constexpr double side = 0.2, density = 1100.0, mu = 1e5, lambda = 4e5;  // [m], [kg/m^3], [Pa]

  struct Triangle {
    std::array<nonsmooth::Index, 6> dofs;   // x and y of three nodes
    Eigen::Matrix<double, 2, 3> gradients;  // of the shape functions, by X
    double area;
  };
  Eigen::VectorXd X;
  std::vector<Triangle> triangles;

  static nonsmooth::Index node(nonsmooth::Index column, nonsmooth::Index row) { return row * (cells + 1) + column; }

  explicit Rubber(double height) : X(2 * (cells + 1) * (cells + 1)) {
    for (nonsmooth::Index j = 0; j <= cells; ++j)
      for (nonsmooth::Index i = 0; i <= cells; ++i)
        X.segment<2>(2 * node(i, j)) << side * static_cast<double>(i) / cells,
            side * static_cast<double>(j) / cells + height;
    for (nonsmooth::Index j = 0; j < cells; ++j) {
      for (nonsmooth::Index i = 0; i < cells; ++i) {
        add({node(i, j), node(i + 1, j), node(i + 1, j + 1)});
        add({node(i, j), node(i + 1, j + 1), node(i, j + 1)});
      }
    }
  }

  // What files draw system `name` on: q is where its nodes are.
  nonsmooth::FieldMesh mesh(const std::string& name) const {
    nonsmooth::FieldMesh one{.name = "rubber",
                             .system = name,
                             .carries = nonsmooth::FieldMesh::Carries::Positions,
                             .components = 2,
                             .nodes = X.reshaped(2, X.size() / 2)};
    one.cells.resize(3, static_cast<nonsmooth::Index>(triangles.size()));
    for (nonsmooth::Index k = 0; k < one.cells.cols(); ++k)
      for (nonsmooth::Index a = 0; a < 3; ++a)
        one.cells(a, k) = triangles[static_cast<std::size_t>(k)].dofs[2 * static_cast<std::size_t>(a)] / 2;
    return one;
  }
  // Every pair of degrees of freedom of a triangle.
  nonsmooth::SparsePattern pattern() const {
    std::vector<std::vector<nonsmooth::Index>> dofs;
    for (const Triangle& one : triangles) dofs.emplace_back(one.dofs.begin(), one.dofs.end());
    return nonsmooth::SparsePattern::of_elements(X.size(), dofs);
  }
  // Consistent.
  Eigen::SparseMatrix<double> mass() const {
    std::vector<Eigen::Triplet<double>> entries;
    for (const Triangle& one : triangles)
      for (std::size_t a = 0; a < 6; ++a)
        for (std::size_t b = a % 2; b < 6; b += 2)
          entries.emplace_back(one.dofs[a], one.dofs[b], density * one.area / (a == b ? 6 : 12));
    Eigen::SparseMatrix<double> M(X.size(), X.size());
    M.setFromTriplets(entries.begin(), entries.end());
    return M;
  }

  double energy(nonsmooth::ConstVectorRef q) const {
    double sum = 0.0;
    for (const Triangle& one : triangles) {
      const Eigen::Matrix2d F = deformation(one, q);
      const double log_J = std::log(F.determinant());
      sum += one.area * (mu / 2 * (F.squaredNorm() - 2 - 2 * log_J) + lambda / 2 * log_J * log_J);
    }
    return sum;
  }
  // f_a = area P grad N_a, P = dW/dF.
  void forces(nonsmooth::ConstVectorRef q, nonsmooth::VectorRef f) const {
    for (const Triangle& one : triangles) {
      const Eigen::Matrix2d F = deformation(one, q), G = F.inverse().transpose();
      const Eigen::Matrix2d P = mu * (F - G) + lambda * std::log(F.determinant()) * G;
      const Eigen::Matrix<double, 2, 3> own = one.area * P * one.gradients;
      for (std::size_t k = 0; k < 6; ++k) f[one.dofs[k]] += own.data()[k];
    }
  }
  // df_a/dx_b = area (mu g_a·g_b I + lambda d_a d_b^T + (mu - lambda ln J) d_b d_a^T), g = grad N, d = F^-T g.
  void stiffness(nonsmooth::ConstVectorRef q, nonsmooth::SparseEntries& K) const {
    Eigen::Matrix<double, 6, 6> element;
    for (const Triangle& one : triangles) {
      const Eigen::Matrix2d F = deformation(one, q);
      const double bend = mu - lambda * std::log(F.determinant());
      const Eigen::Matrix<double, 2, 3>& g = one.gradients;
      const Eigen::Matrix<double, 2, 3> d = F.inverse().transpose() * g;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          element.block<2, 2>(2 * a, 2 * b) =
              one.area * (mu * g.col(a).dot(g.col(b)) * Eigen::Matrix2d::Identity() +
                          lambda * d.col(a) * d.col(b).transpose() + bend * d.col(b) * d.col(a).transpose());
      K.add(one.dofs, element);
    }
  }

 private:
  void add(std::array<nonsmooth::Index, 3> nodes) {
    Triangle one;
    Eigen::Matrix2d edges;
    for (std::size_t a = 0; a < 3; ++a) one.dofs[2 * a] = 2 * nodes[a], one.dofs[2 * a + 1] = 2 * nodes[a] + 1;
    edges << X.segment<2>(2 * nodes[1]) - X.segment<2>(2 * nodes[0]),
        X.segment<2>(2 * nodes[2]) - X.segment<2>(2 * nodes[0]);
    one.area = edges.determinant() / 2;
    one.gradients.rightCols<2>() = edges.inverse().transpose();
    one.gradients.col(0) = -one.gradients.rightCols<2>().rowwise().sum();
    triangles.push_back(one);
  }
  static Eigen::Matrix2d deformation(const Triangle& one, nonsmooth::ConstVectorRef q) {
    Eigen::Matrix<double, 2, 3> x;
    for (std::size_t k = 0; k < 6; ++k) x.data()[k] = q[one.dofs[k]];
    return x * one.gradients.transpose();
  }
};
