// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/hyperstaticity.hpp>

#include <Eigen/QR>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::friction {
namespace {

/// What u allows the reaction of one block to do.
enum class Face : unsigned char { Zero, Ray, Whole };

/// Columns of B, block by block, and the set that the coordinates y of a block may take.
struct Directions {
  Eigen::MatrixXd B;           // rows of r x coordinates y
  std::vector<Face> faces;     // one a block
  std::vector<Index> columns;  // first coordinate of each block, and their number at the end
};

[[nodiscard]] Face face_of(const BlockSet& set, const double* u, Index rows, double velocity) noexcept {
  if (set.kind == SetKind::Free) return Face::Whole;
  if (u[0] > velocity) return Face::Zero;
  double sliding = 0.0;
  for (Index i = 1; i < rows; ++i) sliding = std::hypot(sliding, u[i]);
  return set.kind != SetKind::Orthant && sliding > velocity ? Face::Ray : Face::Whole;
}

[[nodiscard]] Directions directions(const Problem& problem, ConstVectorRef u, double velocity) {
  const ProductSet& K = problem.K;
  Directions result;
  result.columns.push_back(0);
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Face face = face_of(K[b], u.data() + K.offset(b), K.size(b), velocity);
    result.faces.push_back(face);
    const Index count = face == Face::Zero ? 0 : (face == Face::Ray ? 1 : K.size(b));
    result.columns.push_back(result.columns.back() + count);
  }
  result.B.setZero(K.num_rows(), result.columns.back());
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), n = K.size(b), column = result.columns[static_cast<std::size_t>(b)];
    switch (result.faces[static_cast<std::size_t>(b)]) {
      case Face::Zero:
        break;
      case Face::Ray: {
        Eigen::VectorXd ray(n);
        ray << 1.0, -K[b].mu * u.segment(o + 1, n - 1).normalized();
        result.B.col(column).segment(o, n) = ray.normalized();
        break;
      }
      case Face::Whole:
        result.B.block(o, column, n, n).setIdentity();
        break;
    }
  }
  return result;
}

/// y on the cone of each block's coordinates, in place.
void project_on_faces(const ProductSet& K, const Directions& of, Eigen::VectorXd& y) {
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index column = of.columns[static_cast<std::size_t>(b)];
    if (of.faces[static_cast<std::size_t>(b)] == Face::Ray) y[column] = std::max(y[column], 0.0);
    if (of.faces[static_cast<std::size_t>(b)] == Face::Whole) project(K[b], y.data() + column, K.size(b));
  }
}

void require_supported(const ProductSet& K) {
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const BlockSet& set = K[b];
    const bool plain = set.cohesion == 0.0 && (set.mu_2 < 0.0 || set.mu_2 == set.mu);
    const bool known = set.kind == SetKind::Free || set.kind == SetKind::Orthant ||
                       ((set.kind == SetKind::Coulomb2D || set.kind == SetKind::Coulomb3D) && plain);
    if (!known) {
      throw InvalidArgument("friction::hyperstaticity: block " + std::to_string(b), "another set",
                            "Free, Orthant, or isotropic Coulomb friction without cohesion");
    }
  }
}

}  // namespace

Hyperstaticity hyperstaticity(const Problem& problem, ConstVectorRef r, ConstVectorRef u, double tolerance) {
  problem.validate();
  require_supported(problem.K);
  check::size("friction::hyperstaticity: r", r.size(), problem.q.size(), "one a row of W");
  check::size("friction::hyperstaticity: u", u.size(), problem.q.size(), "one a row of W");
  check::positive("friction::hyperstaticity: tolerance", tolerance);
  Hyperstaticity result;
  const Directions of = directions(problem, u, tolerance * problem.q.lpNorm<Eigen::Infinity>());
  result.minimum_norm_r = Eigen::VectorXd::Zero(r.size());
  if (of.B.cols() == 0) return result;
  const Eigen::MatrixXd WB = problem.W.to_dense() * of.B;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors(WB.rows(), WB.cols());
  factors.setThreshold(1e-10);  // files carry W to some 12 digits; a redundant foot leaves them far below its stiffness
  factors.compute(WB);
  result.nullspace_dimension = WB.cols() - factors.rank();
  // Dykstra: turn by turn on the affine space and on the cones, whose correction is carried along.
  const Eigen::VectorXd feasible = of.B.transpose() * r;
  Eigen::VectorXd y = Eigen::VectorXd::Zero(feasible.size()), correction = y, previous = y;
  constexpr int max_turns = 20'000;
  for (int turn = 0; turn < max_turns; ++turn) {
    y -= factors.solve(WB * (y - feasible));  // the nearest y with W B y = W B y_feasible
    Eigen::VectorXd on_cones = y + correction;
    project_on_faces(problem.K, of, on_cones);
    correction += y - on_cones;
    y = on_cones;
    if ((y - previous).norm() <= 1e-2 * tolerance * feasible.norm() && turn > 0) break;
    previous = y;
  }
  result.minimum_norm_r = of.B * y;
  return result;
}

}  // namespace nonsmooth::friction
