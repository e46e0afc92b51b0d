// SPDX-License-Identifier: Apache-2.0
#include <problems/vi.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include <problems/random_matrices.hpp>

namespace nonsmooth::problems {

using Eigen::MatrixXd, Eigen::VectorXd;

NonlinearMap affine_map(const MatrixXd& M, const VectorXd& q) {
  return {.num_unknowns = M.cols(),
          .num_values = M.rows(),
          .value = [M, q](ConstVectorRef x, VectorRef f) { f = M * x + q; },
          .dense_jacobian = [M](ConstVectorRef, MatrixRef J) { J = M; }};
}

Vi rotation_on_a_ball() {
  return {"rotation on a ball",
          {affine_map(MatrixXd{{0, 1}, {-1, 0}}, VectorXd::Zero(2)), vi::Ball{VectorXd{{2, 0}}, 1.0}},
          VectorXd{{1.5, std::sqrt(3.0) / 2.0}},
          true};
}

const std::vector<std::pair<SetOf, std::string>>& kinds_of_sets() {
  static const std::vector<std::pair<SetOf, std::string>> kinds{
      {SetOf::Box, "box"},
      {SetOf::Ball, "ball"},
      {SetOf::HalfSpace, "half-space"},
      {SetOf::Polyhedron, "polyhedron"},
      {SetOf::Cones, "cones"},
      {SetOf::Product, "product"},
      {SetOf::Intersection, "intersection"},
      {SetOf::DykstrasIntersection, "intersection by Dykstra"},
      {SetOf::Callers, "the caller's"},
  };
  return kinds;
}

namespace {

/// A set with a point and a normal there.
struct PlantedOn {
  vi::ConvexSet K;
  VectorXd x, normal;
};

VectorXd unit_direction(Random& random, Index n) {
  VectorXd v = entries(random, n, 1);
  while (v.norm() < 0.1) v = entries(random, n, 1);
  return v.normalized();
}

PlantedOn plant_box(Random& random, Index n) {
  vi::Box box{VectorXd(n), VectorXd(n)};
  const VectorXd x = entries(random, n, 1);
  VectorXd normal = VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const Index place = whole(random, 0, 3);
    box.lower[i] = x[i] - (place == 0 ? 0.0 : uniform(random, 0.1, 2.0));
    box.upper[i] = x[i] + (place == 1 ? 0.0 : uniform(random, 0.1, 2.0));
    if (place == 0) normal[i] = -uniform(random, 0.1, 1.0);
    if (place == 1) normal[i] = uniform(random, 0.1, 1.0);
    if (place == 3) box.upper[i] = std::numeric_limits<double>::infinity();
  }
  return {box, x, normal};
}

/// The ball of radius r with x on its sphere where the normal is n.
vi::Ball ball_through(const VectorXd& x, const VectorXd& n, double r) { return {x - r * n.normalized(), r}; }

PlantedOn plant_polyhedron(Random& random, Index n) {
  const Index m = n + 2, p = n / 4;
  vi::Polyhedron K{entries(random, m, n), VectorXd(m), entries(random, p, n), VectorXd(p)};
  const VectorXd x = entries(random, n, 1);
  VectorXd normal = K.C.transpose() * entries(random, p, 1);
  K.d = K.C * x;
  for (Index i = 0; i < m; ++i) {
    const bool active = 2 * i < n;
    K.b[i] = K.A.row(i).dot(x) + (active ? 0.0 : uniform(random, 0.1, 2.0));
    if (active) normal += uniform(random, 0.1, 1.0) * K.A.row(i).transpose();
  }
  return {K, x, normal};
}

/// On the border, at the apex and inside, one block after the other.
PlantedOn plant_cones(Random& random, Index n) {
  const Index blocks = (n + 2) / 3;
  ProductSet cones;
  PlantedOn planted{{}, VectorXd::Zero(3 * blocks), VectorXd::Zero(3 * blocks)};
  for (Index i = 0; i < blocks; ++i) {
    const double mu = uniform(random, 0.3, 1.5);
    cones.push_back({.kind = SetKind::SecondOrderCone, .mu = mu}, 3);
    const VectorXd s = unit_direction(random, 2);
    const double axial = uniform(random, 0.5, 1.5), force = uniform(random, 0.1, 1.0);
    auto x = planted.x.segment<3>(3 * i), normal = planted.normal.segment<3>(3 * i);
    if (i % 3 == 0) {
      x << axial, mu * axial * s;
      normal << -mu * force, force * s;
    } else if (i % 3 == 1) {
      normal << -mu * force, 0.5 * force * s;
    } else {
      x << axial, 0.5 * mu * axial * s;
    }
  }
  planted.K = cones;
  return planted;
}

PlantedOn plant_product(Random& random, Index n) {
  const VectorXd x = entries(random, n, 1), normal = unit_direction(random, n);
  const PlantedOn box = plant_box(random, n), polyhedron = plant_polyhedron(random, n);
  PlantedOn all{vi::Product{{ball_through(x, normal, 1.5), box.K, polyhedron.K}}, VectorXd(3 * n), VectorXd(3 * n)};
  all.x << x, box.x, polyhedron.x;
  all.normal << normal, box.normal, polyhedron.normal;
  return all;
}

PlantedOn plant_on(SetOf kind, Random& random, Index n) {
  const VectorXd x = entries(random, n, 1), a = unit_direction(random, n), b = unit_direction(random, n);
  const double force = uniform(random, 0.1, 1.0);
  switch (kind) {
    case SetOf::Box:
      return plant_box(random, n);
    case SetOf::Ball:
      return {ball_through(x, a, 0.7), x, force * a};
    case SetOf::HalfSpace:
      return {vi::HalfSpace{3.0 * a, 3.0 * a.dot(x)}, x, force * a};
    case SetOf::Polyhedron:
      return plant_polyhedron(random, n);
    case SetOf::Cones:
      return plant_cones(random, n);
    case SetOf::Product:
      return plant_product(random, n);
    case SetOf::Intersection: {
      PlantedOn box = plant_box(random, n);
      box.K = vi::Intersection{{box.K, vi::HalfSpace{a, a.dot(box.x)}}};
      box.normal += force * a;
      return box;
    }
    case SetOf::DykstrasIntersection:
      return {vi::Intersection{{ball_through(x, b, 2.0), vi::HalfSpace{a, a.dot(x)}}}, x, force * a + b};
    case SetOf::Callers: {
      const vi::ConvexSet ball = ball_through(x, a, 0.7);
      const auto project = [ball](ConstVectorRef y, VectorRef z) { static_cast<void>(ball.project(y, z)); };
      return {vi::UserSet{.size = n, .project = project}, x, force * a};
    }
  }
  throw std::logic_error("plant_on: a kind that is none");
}

}  // namespace

Vi planted_vi(SetOf kind, Index n, std::uint64_t seed, bool symmetric, bool affine) {
  Random random(seed);
  const PlantedOn planted = plant_on(kind, random, n);
  const Index size = planted.x.size();
  const MatrixXd B = entries(random, size, size);
  MatrixXd M = B * B.transpose() / static_cast<double>(size) + 0.5 * MatrixXd::Identity(size, size);
  if (!symmetric) M += skew(random, size) / std::sqrt(static_cast<double>(size));
  const VectorXd x = planted.x, normal = planted.normal;
  if (affine) return {"planted, affine", {affine_map(M, -M * x - normal), planted.K}, x, true};
  NonlinearMap F{.num_unknowns = size, .num_values = size};
  F.value = [M, x, normal](ConstVectorRef y, VectorRef f) {
    f = M * (y - x) - normal + (y - x).array().atan().matrix();
  };
  F.dense_jacobian = [M, x](ConstVectorRef y, MatrixRef J) {
    J = M;
    J.diagonal().array() += 1.0 / (1.0 + (y - x).array().square());
  };
  return {symmetric ? "planted, symmetric" : "planted", {F, planted.K}, x, true};
}

Vi planted_affine_vi(Index n, std::uint64_t seed) {
  Random random(seed);
  vi::Polyhedron K{entries(random, n + 2, n), VectorXd(n + 2)};
  const VectorXd x = entries(random, n, 1);
  VectorXd normal = VectorXd::Zero(n);
  K.b = K.A * x;
  for (Index i = 0; i < n + 2; ++i) {
    if (2 * i < n) {
      normal += uniform(random, 0.1, 1.0) * K.A.row(i).transpose();
    } else {
      K.b[i] += uniform(random, 0.1, 2.0);
    }
  }
  const MatrixXd B = entries(random, n, n);
  const MatrixXd M = B * B.transpose() / static_cast<double>(n) + 0.5 * MatrixXd::Identity(n, n) +
                     skew(random, n) / std::sqrt(static_cast<double>(n));
  return {"affine on a polyhedron " + std::to_string(n), {affine_map(M, -M * x - normal), K}, x, true};
}

vi::Polyhedron random_polytope(Index n, Index p, double touching, std::uint64_t seed) {
  Random random(seed);
  vi::Polyhedron K{MatrixXd(3 * n + 2, n), VectorXd::Ones(3 * n + 2), entries(random, p, n), VectorXd::Zero(p)};
  K.A << MatrixXd::Identity(n, n), -MatrixXd::Identity(n, n), entries(random, n + 2, n);
  for (Index i = 2 * n; i < 3 * n + 2; ++i) {
    const double side = uniform(random, 0.0, 1.0);
    K.b[i] = side < touching ? 0.0 : side;
  }
  return K;
}

vi::QuasiProblem planted_quasi(SetOf kind, Index n, std::uint64_t seed, VectorXd& x) {
  Random random(seed);
  const PlantedOn planted = plant_on(kind, random, n);
  x = planted.x;
  const Index size = x.size();
  const auto move = [](ConstVectorRef y, VectorRef f) { f = 0.1 * y.array().sin().matrix(); };
  VectorXd moved(size);
  move(x, moved);
  const vi::ConvexSet K = vi::Shifted{planted.K, -moved};
  const MatrixXd M = 2.0 * MatrixXd::Identity(size, size) + 0.2 * entries(random, size, size) / std::sqrt(double(size));
  vi::QuasiProblem problem{affine_map(M, -M * x - planted.normal),
                           vi::Translated{K, {.num_unknowns = size, .num_values = size, .value = move}}};
  if (kind != SetOf::Callers) return problem;
  const auto project = [K, move](ConstVectorRef at, ConstVectorRef y, VectorRef z) {
    VectorXd by(at.size());
    move(at, by);
    static_cast<void>(K.project(y - by, z));
    z += by;
  };
  problem.K = vi::UserMovingSet{.size = size, .project = project};
  return problem;
}

Vi empty_vi(Index n, std::uint64_t seed) {
  Random random(seed);
  const VectorXd a = unit_direction(random, n);
  vi::Polyhedron K{MatrixXd(4, n), VectorXd{{-1, 2, -1, 2}}};
  K.A << a.transpose(), entries(random, 1, n), -a.transpose(), entries(random, 1, n);
  return {"empty", {affine_map(MatrixXd::Identity(n, n), VectorXd::Zero(n)), K}, {}, false};
}

VectorXd nearest_point(const vi::Polyhedron& K, const VectorXd& y) {
  const Index n = y.size(), m = K.A.rows(), p = K.C.rows();
  mlcp::Problem conditions{MatrixXd::Zero(n + p, n + p), MatrixXd::Zero(m, m), MatrixXd::Zero(n + p, m),
                           MatrixXd::Zero(m, n + p),     VectorXd(n + p),      K.b};
  conditions.A.topLeftCorner(n, n).setIdentity();
  conditions.a.head(n) = -y;
  if (p > 0) {
    conditions.A.topRightCorner(n, p) = K.C.transpose();
    conditions.A.bottomLeftCorner(p, n) = K.C;
    conditions.a.tail(p) = -K.d;
  }
  if (m > 0) {
    conditions.C.topRows(n) = K.A.transpose();
    conditions.D.leftCols(n) = -K.A;
  }
  const mlcp::Result result = mlcp::solve(conditions, mlcp::Automatic{.tolerance = 1e-14});
  if (result.certificate.residual <= 1e-11) return result.u.head(n);
  // Rarely, and of sets where many rows meet: by the other family that knows what the nearest point is.
  qp::Problem program{.Q = MatrixXd::Identity(n, n), .c = -y, .A = MatrixXd(m + p, n)};
  program.row_lower.setConstant(m + p, -std::numeric_limits<double>::infinity());
  program.row_upper.resize(m + p);
  program.A << K.A, K.C;
  program.row_upper << K.b, K.d;
  program.row_lower.tail(p) = K.d;
  const qp::Result nearest = qp::solve(program, qp::PrimalActiveSet{.tolerance = 1e-13});
  if (!(nearest.certificate.residual <= 1e-11)) throw std::runtime_error("nearest_point: " + nearest.message());
  return nearest.x;
}

namespace {

/// rho and the scale from F on `first`, the projection on K.
double residual_on(const NonlinearMap& F, const vi::ConvexSet& first, const vi::ConvexSet& K, const VectorXd& x) {
  const Index n = x.size();
  const auto value = [&](const VectorXd& y) {
    VectorXd f(n);
    F.value(y, f);
    return f;
  };
  const auto project_on = [n](const vi::ConvexSet& set, const VectorXd& y) {
    if (const std::optional<vi::Polyhedron> rows = set.polyhedron()) return nearest_point(*rows, y);
    VectorXd z(n);
    static_cast<void>(set.project(y, z));
    return z;
  };
  const auto project = [&](const VectorXd& y) { return project_on(first, y); };
  const VectorXd x_0 = project(VectorXd::Zero(n)), s = F.sizes.size() > 0 ? F.sizes : VectorXd::Ones(n);
  VectorXd aside = s;
  for (Index i = 0; i < n; ++i) aside[i] *= (1.0 - double(i) / double(2 * n)) * (i % 2 == 0 ? 1.0 : -1.0);
  VectorXd x_1 = x_0;
  VectorXd unit = s;
  double part = 1.0;
  bool moved = false;
  for (int look = 0; look < 2 && !moved; ++look) {  // from x_0 + s, x_0 - s, ...; then from as near as K is long
    double longest = 0.0;
    for (const VectorXd& way : {s, aside}) {
      unit = part * way;
      for (const double sign : {1.0, -1.0}) {
        x_1 = project(x_0 + sign * unit);
        longest = std::max(longest, (x_1 - x_0).norm());
        moved = (x_1 - x_0).norm() > 1e-6 * std::max(unit.norm(), x_0.norm());
        if (moved) break;
      }
      if (moved) break;
    }
    part = longest / s.norm();
    if (part <= std::max(1e-13, 10.0 * first.user_accuracy())) break;
  }
  const VectorXd F_0 = value(x_0), w = value(x);
  VectorXd F_1 = value(x_1);
  for (const double nearer : {-1.0, 0.1, -0.1, 0.01, -0.01}) {  // of that length, until F is finite there
    if (!moved || F_1.allFinite()) break;
    x_1 = project(x_0 + nearer * unit);
    if ((x_1 - x_0).norm() > 1e-6 * std::max((nearer * unit).norm(), x_0.norm())) F_1 = value(x_1);
  }
  if (!F_1.allFinite()) moved = false;
  const double change =
      moved ? std::max({(F_1 - F_0).norm(), 1e-3 * F_0.norm(), 1e-3 * F_1.norm()}) : 1e-3 * F_0.norm();
  const double slope = change / (moved ? (x_1 - x_0).norm() : s.norm());
  const double rho = slope > 0.0 ? 1.0 / slope : 1.0;
  double scale = F_0.cwiseAbs().maxCoeff();
  if (moved && scale <= 64 * 2.3e-16 * x_0.cwiseAbs().maxCoeff() / rho) scale = F_1.cwiseAbs().maxCoeff();
  return (x - project_on(K, x - rho * w)).cwiseAbs().maxCoeff() / rho / scale;
}

}  // namespace

double independent_residual(const vi::Problem& problem, const VectorXd& x) {
  return residual_on(problem.F, problem.K, problem.K, x);
}

double independent_residual(const vi::QuasiProblem& problem, const VectorXd& x) {
  return residual_on(problem.F, problem.K.at(VectorXd::Zero(x.size())), problem.K.at(x), x);
}

}  // namespace nonsmooth::problems
