// SPDX-License-Identifier: Apache-2.0
#include "cone_program.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/Geometry>

#include "lcp.hpp"

namespace nonsmooth::problems {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Visits (first, size) of rows of the orthant and of cones.
template <class Visit>
void blocks(const ConeShape& shape, Visit&& visit) {
  for (Index i = 0; i < shape.orthant; ++i) visit(i, Index{1});
  Index first = shape.orthant;
  for (const Index size : shape.cones) {
    visit(first, size);
    first += size;
  }
}

Index rows(const ConeShape& shape) {
  Index m = shape.orthant;
  for (const Index size : shape.cones) m += size;
  return m;
}

/// A point that is a distance of 1/2 inside.
Vector inside(const ConeShape& shape, std::mt19937_64& random) {
  Vector v = normal_matrix(random, rows(shape), 1);
  blocks(shape, [&](Index first, Index size) { v[first] = v.segment(first + 1, size - 1).norm() + 0.75; });
  return v;
}

struct Dense {
  Matrix A, G;
};

cone_program::Problem assemble(const ConeShape& shape, const Dense& rows_of, const Vector& c, const Vector& b,
                               const Vector& h) {
  return {.c = c,
          .A = rows_of.A.sparseView(),
          .b = b,
          .G = rows_of.G.sparseView(),
          .h = h,
          .orthant = shape.orthant,
          .cones = shape.cones};
}

Dense random_rows(const ConeShape& shape, std::mt19937_64& random) {
  return {normal_matrix(random, shape.equations, shape.n), normal_matrix(random, rows(shape), shape.n)};
}

}  // namespace

ConeProgram planted_cone_program(const ConeShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  ConeProgram result;
  const Dense matrices = random_rows(shape, random);
  result.x = normal_matrix(random, shape.n, 1);
  result.y = normal_matrix(random, shape.equations, 1);
  result.z.setZero(rows(shape));
  Vector s = Vector::Zero(rows(shape));
  blocks(shape, [&](Index first, Index size) {
    const Vector side = normal_matrix(random, size - 1, 1);
    const double kind = uniform(random);
    if (uniform(random) < shape.degenerate) return;
    if (size > 1 && kind < 1.0 / 3.0) {  // opposite sides of the boundary
      s.segment(first, size) << side.norm(), side;
      result.z.segment(first, size) << 2.0 * side.norm(), -2.0 * side;
      return;
    }
    (kind < 2.0 / 3.0 ? s : result.z).segment(first, size) << side.norm() + 0.5 + uniform(random), side;
  });
  const Vector c = -(matrices.A.transpose() * result.y + matrices.G.transpose() * result.z);
  result.problem = assemble(shape, matrices, c, matrices.A * result.x, matrices.G * result.x + s);
  return result;
}

ConeProgram infeasible_cone_program(const ConeShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ConeProgram result;
  Dense matrices = random_rows(shape, random);
  const Vector y = normal_matrix(random, shape.equations, 1), z = inside(shape, random);
  const Vector off = matrices.A.transpose() * y + matrices.G.transpose() * z;
  matrices.G -= z * off.transpose() / z.squaredNorm();
  const Vector b = normal_matrix(random, shape.equations, 1), c = normal_matrix(random, shape.n, 1);
  Vector h = normal_matrix(random, rows(shape), 1);
  h -= z * ((b.dot(y) + h.dot(z) + 1.0) / z.squaredNorm());
  result.problem = assemble(shape, matrices, c, b, h);
  result.proof.resize(y.size() + z.size());
  result.proof << y, z;
  return result;
}

ConeProgram unbounded_cone_program(const ConeShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ConeProgram result;
  Dense matrices = random_rows(shape, random);
  const Vector d = normal_matrix(random, shape.n, 1), moved = inside(shape, random);
  matrices.A -= (matrices.A * d) * d.transpose() / d.squaredNorm();
  matrices.G -= (moved + matrices.G * d) * d.transpose() / d.squaredNorm();
  Vector c = normal_matrix(random, shape.n, 1);
  c -= d * ((c.dot(d) + 1.0) / d.squaredNorm());
  result.x = normal_matrix(random, shape.n, 1);
  result.problem = assemble(shape, matrices, c, matrices.A * result.x, matrices.G * result.x + inside(shape, random));
  result.proof = d;
  return result;
}

double independent_residual(const cone_program::Problem& problem, const Vector& x, const Vector& y, const Vector& z) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  using WideMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const auto wide = [](const Eigen::SparseMatrix<double>& matrix, Index rows, Index cols) {
    return rows > 0 ? WideMatrix(Matrix(matrix).cast<long double>()) : WideMatrix(WideMatrix::Zero(rows, cols));
  };
  const Index n = x.size();
  const WideMatrix A = wide(problem.A, y.size(), n), G = wide(problem.G, z.size(), n);
  const Wide X = x.cast<long double>(), Y = y.cast<long double>(), Z = z.cast<long double>();
  const Wide b = problem.b.cast<long double>(), h = problem.h.cast<long double>(), c = problem.c.cast<long double>();
  const auto largest = [](const Wide& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0L; };
  const auto over = [](long double error, long double scale, long double otherwise) {
    return error <= 0 ? 0.0L : error / (scale > 0 ? scale : otherwise);
  };
  const auto outside = [](const Wide& v) {
    if (v.size() == 1) return std::max(-v[0], 0.0L);
    const long double rest = v.tail(v.size() - 1).norm();
    if (v[0] >= rest) return 0.0L;
    return v[0] <= -rest ? v.norm() : (rest - v[0]) / std::sqrt(2.0L);
  };
  const Wide Ax = A * X, s = h - G * X, row_terms = G.cwiseAbs() * X.cwiseAbs();
  const Wide A_terms = A.cwiseAbs() * X.cwiseAbs() + b.cwiseAbs();
  const Wide slope = A.transpose() * Y + G.transpose() * Z + c;
  const Wide slope_terms =
      A.cwiseAbs().transpose() * Y.cwiseAbs() + G.cwiseAbs().transpose() * Z.cwiseAbs() + c.cwiseAbs();
  long double cone = 0, cone_scale = 0, cone_terms = 0, dual = largest(slope), dual_terms = largest(slope_terms);
  const long double entry = G.size() > 0 ? G.cwiseAbs().maxCoeff() : 0.0L;
  blocks({.orthant = problem.orthant, .cones = problem.cones}, [&](Index first, Index size) {
    const long double own = outside(s.segment(first, size)), terms = largest(row_terms.segment(first, size));
    const long double data = largest(h.segment(first, size));
    cone = std::max(cone, own);
    cone_scale = std::max(cone_scale, own > 0 ? data : std::min(data, terms));
    cone_terms = std::max(cone_terms, data + terms);
    dual = std::max(dual, entry * outside(Z.segment(first, size)));
  });
  // The same of each row, cone and column by itself; where its data are 0, of what the others say of its entries.
  const WideMatrix all = (WideMatrix(y.size() + z.size(), n) << A, G).finished().cwiseAbs();
  const Wide right = (Wide(y.size() + z.size()) << b, h).finished().cwiseAbs();
  const auto over_entry = [](long double value, long double of_row) { return of_row > 0 ? value / of_row : 0.0L; };
  Wide sizes = Wide::Zero(n), multipliers = Wide::Zero(all.rows());
  for (Index i = 0; i < all.rows(); ++i) {
    for (Index j = 0; j < n; ++j) {
      sizes[j] = std::max(sizes[j], over_entry(right[i], all(i, j)));
      multipliers[i] = std::max(multipliers[i], over_entry(std::abs(c[j]), all(i, j)));
    }
  }
  long double own = 0;
  const auto look = [&own](long double error, long double data, long double otherwise, long double terms) {
    const long double size = data > 0 ? data : otherwise;
    if (size > 0) own = std::max(own, error / (size + terms));
  };
  const auto at_row = [&](Index i) { return largest(all.row(i).transpose().cwiseProduct(sizes)); };
  for (Index i = 0; i < y.size(); ++i)
    look(std::abs(Ax[i] - b[i]), std::abs(b[i]), at_row(i), A_terms[i] - std::abs(b[i]));
  for (Index j = 0; j < n; ++j)
    look(std::abs(slope[j]), std::abs(c[j]), largest(all.col(j).cwiseProduct(multipliers)),
         slope_terms[j] - std::abs(c[j]));
  blocks({.orthant = problem.orthant, .cones = problem.cones}, [&](Index first, Index size) {
    long double otherwise = 0;
    for (Index i = first; i < first + size; ++i) otherwise = std::max(otherwise, at_row(y.size() + i));
    look(outside(s.segment(first, size)), largest(h.segment(first, size)), otherwise,
         largest(row_terms.segment(first, size)));
    look(outside(Z.segment(first, size)), largest(multipliers.segment(y.size() + first, size)), 0,
         Z.segment(first, size).norm());
  });
  const Wide of_rows = (Wide(all.rows()) << Y, Z).finished().cwiseAbs();
  long double value_terms = c.cwiseAbs().dot(X.cwiseAbs());
  for (Index i = 0; i < all.rows(); ++i) {  // of multipliers no larger than c asks for
    const long double most = std::max(multipliers[i], over_entry(largest(c), largest(all.row(i).transpose())));
    value_terms += right[i] * std::min(of_rows[i], most);
  }
  return static_cast<double>(std::max({own, over(largest(Ax - b), largest(b), largest(A_terms)),
                                       over(cone, cone_scale, cone_terms), over(dual, largest(c), dual_terms),
                                       over(std::abs(c.dot(X) + b.dot(Y) + h.dot(Z)), value_terms, value_terms)}));
}

cone_program::Problem grasp(Index fingers, std::uint64_t seed) {
  constexpr double mu = 0.5, moment = 0.1;
  std::mt19937_64 random(seed);
  std::vector<Eigen::Triplet<double>> A, G;
  Eigen::Vector3d point;
  for (Index i = 0; i < fingers; ++i) {
    point = i % 2 == 0 ? Eigen::Vector3d(normal_matrix(random, 3, 1)).normalized() : Eigen::Vector3d(-point);
    const Eigen::Vector3d normal = -point, first = normal.unitOrthogonal();
    const Eigen::Vector3d axes[] = {normal, first, normal.cross(first)};
    const int column = static_cast<int>(1 + 3 * i);
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d torque = point.cross(axes[k]);
      for (int row = 0; row < 3; ++row) {
        A.emplace_back(row, column + k, axes[k][row]);
        if (k > 0) A.emplace_back(3 + row, column + k, torque[row]);
      }
      G.emplace_back(static_cast<int>(fingers + 3 * i) + k, column + k, k == 0 ? -mu : -1.0);
    }
    G.emplace_back(static_cast<int>(i), 0, -1.0);
    G.emplace_back(static_cast<int>(i), column, 1.0);
  }
  const Index n = 1 + 3 * fingers;
  cone_program::Problem problem;
  problem.c = Eigen::VectorXd::Unit(n, 0);
  problem.A.resize(6, n);
  problem.A.setFromTriplets(A.begin(), A.end());
  problem.b = Eigen::VectorXd{{0, 0, 1, 0, 0, moment}};
  problem.G.resize(4 * fingers, n);
  problem.G.setFromTriplets(G.begin(), G.end());
  problem.h.setZero(4 * fingers);
  problem.orthant = fingers;
  problem.cones.assign(static_cast<std::size_t>(fingers), 3);
  return problem;
}

}  // namespace nonsmooth::problems
