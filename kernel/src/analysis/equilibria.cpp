// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/equilibria.hpp>

#include <limits>
#include <string>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>

namespace nonsmooth {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
constexpr double kZero = 1e-10;
constexpr Index kMostRows = 12;

[[noreturn]] void refuse_time(const std::string& argument) {
  throw InvalidArgument(argument, "a function of time", "a constant: an equilibrium does not move");
}

Matrix matrix_of(const MatrixData& data, const std::string& argument, Index rows, Index cols, bool may_be_empty) {
  if (data.function()) refuse_time(argument);
  if (data.empty() && may_be_empty) return Matrix::Zero(rows, cols);
  Matrix value = data.sparse()     ? Matrix(*data.sparse())
                 : data.diagonal() ? Matrix(data.diagonal()->asDiagonal())
                 : data.dense()    ? *data.dense()
                                   : Matrix();
  check::shape(argument, value.rows(), value.cols(), rows, cols);
  check::finite(argument, ConstMatrixRef(value));
  return value;
}

Vector vector_of(const VectorData& data, const std::string& argument, Index size, const char* why) {
  if (data.function()) refuse_time(argument);
  if (data.empty()) return Vector::Zero(size);
  check::size(argument, data.constant()->size(), size, why);
  check::finite(argument, ConstVectorRef(*data.constant()));
  return *data.constant();
}

/// The constant data, and A^-1 [B b].
struct Reduced {
  Matrix B, C, D, inverse;
  Vector b, e;

  Reduced(const FirstOrderLinearSystem& system, const FirstOrderLinearRelation& relation) {
    const Index n = system.x0.size() > 0 ? system.x0.size() : system.A.rows();
    if (n == 0) throw InvalidArgument("FirstOrderLinearSystem::A", "no rows", "n x n with n >= 1");
    const Matrix A = matrix_of(system.A, "FirstOrderLinearSystem::A", n, n, true);
    const Index m = relation.C.rows();
    if (relation.C.function()) refuse_time("FirstOrderLinearRelation::C");
    if (m == 0) throw InvalidArgument("FirstOrderLinearRelation::C", "no rows", "m x n with m >= 1");
    C = matrix_of(relation.C, "FirstOrderLinearRelation::C", m, n, false);
    B = matrix_of(relation.B, "FirstOrderLinearRelation::B", n, m, false);
    D = matrix_of(relation.D, "FirstOrderLinearRelation::D", m, m, true);
    b = vector_of(system.b, "FirstOrderLinearSystem::b", n, "one a row of A");
    e = vector_of(relation.e, "FirstOrderLinearRelation::e", m, "one a row of C");

    // Rows and columns carry different units (charges, currents): scaled before rank is judged.
    Vector row = A.rowwise().lpNorm<Eigen::Infinity>();
    for (double& scale : row) scale = scale > 0.0 ? 1.0 / scale : 1.0;
    Vector column = (row.asDiagonal() * A).colwise().lpNorm<Eigen::Infinity>();
    for (double& scale : column) scale = scale > 0.0 ? 1.0 / scale : 1.0;
    const FullPivotLu factor(row.asDiagonal() * A * column.asDiagonal());
    const double smallest = factor.smallest_pivot();
    if (!(smallest > 8.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon())) {
      throw SingularMatrix("FirstOrderLinearSystem::A",
                           "a singular matrix (smallest pivot " + std::to_string(smallest) + " after scaling)",
                           "a regular one: x is eliminated by A^-1");
    }
    inverse = column.asDiagonal() * factor.inverse() * row.asDiagonal();
  }

  [[nodiscard]] lcp::Problem problem() const {
    const double round_off = 32.0 * static_cast<double>(B.rows()) * std::numeric_limits<double>::epsilon();
    lcp::Problem result{D - C * (inverse * B), e - C * (inverse * b)};
    const Matrix terms = D.cwiseAbs() + C.cwiseAbs() * (inverse.cwiseAbs() * B.cwiseAbs());
    const Vector offsets = e.cwiseAbs() + C.cwiseAbs() * (inverse.cwiseAbs() * b.cwiseAbs());
    result.M = (result.M.array().abs() <= round_off * terms.array()).select(0.0, result.M);
    result.q = (result.q.array().abs() <= round_off * offsets.array()).select(0.0, result.q);
    return result;
  }

  [[nodiscard]] Vector state(ConstVectorRef lambda) const { return -(inverse * (B * lambda + b)); }
};

/// Calls visit(columns, rows) for every set of columns that may be positive and every set of rows, the columns among
/// them, in which w is zero: z_i = 0 = w_i is one of the three states of a row.
template <class Visit>
void for_each_face(Index m, Visit&& visit) {
  std::vector<int> kind(static_cast<std::size_t>(m), 0);  // 0: z = 0; 1: z = w = 0; 2: w = 0
  std::vector<Index> columns, rows;
  while (true) {
    columns.clear();
    rows.clear();
    for (Index i = 0; i < m; ++i) {
      const int k = kind[static_cast<std::size_t>(i)];
      if (k >= 1) rows.push_back(i);
      if (k == 2) columns.push_back(i);
    }
    visit(columns, rows);
    std::size_t digit = 0;
    while (digit < kind.size() && kind[digit] == 2) kind[digit++] = 0;
    if (digit == kind.size()) return;
    ++kind[digit];
  }
}

bool same(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>() <= 1e-8 * std::max(a.lpNorm<Eigen::Infinity>(), b.lpNorm<Eigen::Infinity>());
}

/// Solutions z of the LCP and the rays of its solution set; M has rows scaled to 1.
struct SolutionSet {
  const Matrix& M;
  const Vector& q;
  std::vector<Vector> corners, rays;

  SolutionSet(const Matrix& scaled_M, const Vector& scaled_q) : M(scaled_M), q(scaled_q) {
    for_each_face(q.size(), [&](const std::vector<Index>& columns, const std::vector<Index>& rows) {
      if (columns.empty()) {
        if (rows.empty()) keep_corner(Vector::Zero(q.size()));
        return;
      }
      FullPivotLu factor;
      factor.set_threshold(kZero);
      factor.compute(M(rows, columns));
      const auto full = static_cast<Index>(columns.size());
      Vector z = Vector::Zero(q.size());
      if (factor.rank() == full) {
        z(columns) = factor.solve(-q(rows));
        keep_corner(z);
      } else if (factor.rank() == full - 1) {
        const Vector direction = factor.kernel().col(0);
        Index largest = 0;
        direction.cwiseAbs().maxCoeff(&largest);
        z(columns) = direction / direction[largest];
        keep_ray(z);
      }
    });
  }

  void keep_corner(const Vector& z) {
    const Vector w = M * z + q;
    if (!z.allFinite() || !complementary(z, z, w, size_of(z), size_of_w(z))) return;
    for (const Vector& known : corners) {
      if (same(known, z)) return;
    }
    corners.push_back(z);
  }
  void keep_ray(const Vector& d) {
    if (!complementary(d, d, M * d, 1.0, 1.0)) return;
    for (const Vector& known : rays) {
      if (same(known, d)) return;
    }
    rays.push_back(d);
  }

  /// z >= 0, w >= 0 and the product of `other` and w row by row zero.
  static bool complementary(const Vector& z, const Vector& other, const Vector& w, double z_size, double w_size) {
    for (Index i = 0; i < z.size(); ++i) {
      if (z[i] < -kZero * z_size || w[i] < -kZero * w_size) return false;
      if (other[i] > kZero * z_size && w[i] > kZero * w_size) return false;
    }
    return true;
  }
  static double size_of(const Vector& z) { return z.lpNorm<Eigen::Infinity>(); }
  [[nodiscard]] double size_of_w(const Vector& z) const {
    return (M.cwiseAbs() * z.cwiseAbs() + q.cwiseAbs()).lpNorm<Eigen::Infinity>();
  }
  /// z + s d solves for all s >= 0.
  [[nodiscard]] bool leaves_along(const Vector& z, const Vector& d) const {
    return complementary(d, d, M * z + q, 1.0, size_of_w(z)) && complementary(z, z, M * d, size_of(z), 1.0);
  }
  /// Both are in one face.
  [[nodiscard]] bool joined(const Vector& a, const Vector& b) const {
    return complementary(a, a, M * b + q, size_of(a), size_of_w(b)) &&
           complementary(b, b, M * a + q, size_of(b), size_of_w(a));
  }
};

}  // namespace

lcp::Problem equilibrium_problem(const FirstOrderLinearSystem& system, const FirstOrderLinearRelation& relation) {
  return Reduced(system, relation).problem();
}

Eigen::VectorXd equilibrium_state(const FirstOrderLinearSystem& system, const FirstOrderLinearRelation& relation,
                                  ConstVectorRef lambda) {
  const Reduced reduced(system, relation);
  check::size("lambda", lambda.size(), reduced.D.rows(), "one a row of C");
  check::finite("lambda", ConstVectorRef(lambda));
  return reduced.state(lambda);
}

Equilibria find_equilibria(const FirstOrderLinearSystem& system, const FirstOrderLinearRelation& relation) {
  const Reduced reduced(system, relation);
  const lcp::Problem problem = reduced.problem();
  const Index m = problem.q.size();
  if (m > kMostRows) {
    throw InvalidArgument("FirstOrderLinearRelation::C", std::to_string(m) + " rows",
                          "at most " + std::to_string(kMostRows) + ": 3^m faces are tried");
  }
  Vector scale = problem.M.rowwise().lpNorm<Eigen::Infinity>();
  for (double& s : scale) s = s > 0.0 ? 1.0 / s : 1.0;
  const Matrix M = scale.asDiagonal() * problem.M;
  const Vector q = scale.cwiseProduct(problem.q);
  const SolutionSet solutions(M, q);

  Equilibria result;
  for (const Vector& z : solutions.corners) {
    const Vector lambda = z.cwiseMax(0.0);
    Equilibrium corner{reduced.state(lambda), lambda, problem.M * lambda + problem.q, true};
    for (const Vector& other : solutions.corners) {
      if (&other != &z && solutions.joined(z, other)) corner.isolated = false;
    }
    std::vector<const Vector*> directions;
    for (const Vector& d : solutions.rays) {
      if (solutions.leaves_along(z, d)) directions.push_back(&d);
    }
    if (!directions.empty()) corner.isolated = false;
    for (const Vector* d : directions) {
      result.half_lines.push_back({corner, -(reduced.inverse * (reduced.B * *d)), d->cwiseMax(0.0)});
    }
    result.corners.push_back(corner);
  }
  return result;
}

}  // namespace nonsmooth
