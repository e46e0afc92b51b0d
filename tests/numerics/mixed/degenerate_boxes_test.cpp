// SPDX-License-Identifier: Apache-2.0
// Box problems whose W is singular, beside an enumeration of their pieces in extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/mixed/workspace.hpp>

#include <Eigen/LU>

#include <problems/mixed.hpp>

namespace nonsmooth::degenerate_boxes_test {
namespace {

using Real = long double;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double tolerance = 1e-10;  // mixed::Automatic's default

struct Boxes {
  Eigen::MatrixXd W;
  Eigen::VectorXd q, lower, upper;

  [[nodiscard]] mixed::Problem problem() const {
    std::vector<problems::Block> blocks;
    for (Index i = 0; i < q.size(); ++i) {
      BlockSet set{.kind = SetKind::Box, .lower = lower[i], .upper = upper[i]};
      if (lower[i] == -infinity && upper[i] == infinity) set = {.kind = SetKind::Free};
      if (lower[i] == 0.0 && upper[i] == infinity) set = {};
      blocks.push_back({set, 1});
    }
    return problems::mixed_from_dense(W, q, blocks);
  }
};

struct Judgement {
  Real error = 0.0L;  // max |r - P(r - rho u)| / rho
  Real data = 0.0L;   // max of |q| and |W P(0) + q|
  Real noise = 0.0L;  // what extended precision leaves in the error
  Real own = 0.0L;    // max of a row's error relative to its terms
};

Judgement judge(const Boxes& boxes, const Eigen::VectorXd& r) {
  Judgement judgement;
  for (Index i = 0; i < r.size(); ++i) {
    Real u = boxes.q[i], nearest = boxes.q[i], terms = std::abs(boxes.q[i]);
    for (Index j = 0; j < r.size(); ++j) {
      const Real w = boxes.W(i, j);
      u += w * r[j];
      nearest += w * std::clamp(0.0, boxes.lower[j], boxes.upper[j]);
      terms += std::abs(w * r[j]);
    }
    Real s = boxes.W(i, i);
    if (!(s > 0.0L)) s = boxes.W.row(i).cwiseAbs().maxCoeff();
    if (!(s > 0.0L)) s = 1.0L;
    const Real r_i = r[i];
    const Real error = std::min(std::max(u, s * (r_i - boxes.upper[i])), s * (r_i - boxes.lower[i]));
    judgement.error = std::max(judgement.error, std::abs(error));
    if (error != 0.0L) judgement.own = std::max(judgement.own, std::abs(error) / terms);
    judgement.data = std::max({judgement.data, std::abs(Real(boxes.q[i])), std::abs(nearest)});
    // Products of two doubles are rounded to 64 bits, and so are at most five sums.
    judgement.noise = std::max(judgement.noise, 6.0L * std::numeric_limits<Real>::epsilon() * terms);
  }
  return judgement;
}

/// True if a corner of a piece is a solution once it is rounded to doubles. The pieces are polyhedra cut out by the
/// planes r_i = lower, r_i = upper, (W r + q)_i = 0; with r_i = 0 on unbounded rows every nonempty one has a corner.
bool has_solution(const Boxes& boxes) {
  const Index n = boxes.q.size();
  std::vector<std::pair<RealVector, Real>> planes;
  for (Index i = 0; i < n; ++i) {
    const RealVector axis = RealVector::Unit(n, i);
    for (const double bound : {boxes.lower[i], boxes.upper[i]})
      if (std::isfinite(bound)) planes.emplace_back(axis, bound);
    if (!std::isfinite(boxes.lower[i]) && !std::isfinite(boxes.upper[i])) planes.emplace_back(axis, 0.0L);
    const RealVector row = boxes.W.row(i).transpose().cast<Real>();
    const Real largest = row.cwiseAbs().maxCoeff();
    if (largest > 0.0L) planes.emplace_back(row / largest, -Real(boxes.q[i]) / largest);
  }
  std::vector<bool> chosen(planes.size(), false);
  std::fill(chosen.end() - n, chosen.end(), true);
  do {
    RealMatrix A(n, n);
    RealVector b(n);
    Index row = 0;
    for (std::size_t k = 0; k < planes.size(); ++k) {
      if (!chosen[k]) continue;
      A.row(row) = planes[k].first.transpose();
      b[row++] = planes[k].second;
    }
    const Eigen::FullPivLU<RealMatrix> lu(A);
    if (!lu.isInvertible()) continue;
    RealVector corner = lu.solve(b);
    corner += lu.solve(RealVector(b - A * corner));
    const Eigen::VectorXd r = corner.cast<double>().cwiseMax(boxes.lower).cwiseMin(boxes.upper);
    const Judgement judgement = judge(boxes, r);
    if (judgement.error + judgement.noise <= 0.9L * tolerance * judgement.data) return true;
  } while (std::next_permutation(chosen.begin(), chosen.end()));
  return false;
}

/// Solved as long double sees it, proved infeasible, or without a solution that doubles can hold.
void expect_right(const Boxes& boxes, const mixed::Problem& problem, const mixed::Result& result) {
  if (result.ok() && result.certificate.residual > tolerance) {
    EXPECT_TRUE(result.at_round_off) << result.message();
    // 64 eps as the certificate sees it, and the roundings of six terms.
    EXPECT_LE(judge(boxes, result.r).own, 70.0L * std::numeric_limits<double>::epsilon());
    EXPECT_FALSE(has_solution(boxes)) << result.message();
  } else if (result.ok()) {
    const Judgement judgement = judge(boxes, result.r);
    EXPECT_LE(judgement.error, tolerance * judgement.data + judgement.noise);
  } else if (result.status == Status::Infeasible) {
    EXPECT_FALSE(boxes.lower.allFinite() && boxes.upper.allFinite()) << "a continuous map on a compact box";
    EXPECT_TRUE(mixed::proves_infeasible(problem, result.proof));
  } else {
    EXPECT_FALSE(has_solution(boxes)) << result.message() << "\nW\n"
                                      << boxes.W << "\nq " << boxes.q.transpose() << "\nlower "
                                      << boxes.lower.transpose() << " upper " << boxes.upper.transpose();
  }
}

TEST(DegenerateBoxes, SlidingModeAtRestWithAnyTinyQ) {
  // One relay that drives a position and its velocity, over h = 1 ms: u_2 = W_21 r_1 alone, r_2 drives nothing.
  Boxes boxes{Eigen::MatrixXd::Zero(2, 2), Eigen::VectorXd(2), -Eigen::VectorXd::Ones(2), Eigen::VectorXd::Ones(2)};
  boxes.W(0, 0) = 9.81e-6;
  boxes.W(1, 0) = 9.81e-3;
  const std::vector<double> sizes = {0.0, 1e-17, -1e-17, 1.2e-14, -1.2e-14, 1e-12, -1e-12, 1e-3, -1e-3};
  mixed::Workspace workspace;
  mixed::Result warm;
  for (const double first : sizes) {
    for (const double second : sizes) {
      boxes.q << first, second;
      const mixed::Problem problem = boxes.problem();
      const auto result = solve(problem);
      EXPECT_TRUE(result) << result.message() << " q " << boxes.q.transpose();
      expect_right(boxes, problem, result);
      EXPECT_TRUE(has_solution(boxes));
      workspace.solve(problem, {}, false, warm);  // from the r before
      EXPECT_TRUE(warm) << warm.message() << " q " << boxes.q.transpose();
      expect_right(boxes, problem, warm);
    }
  }
}

TEST(DegenerateBoxes, CascadesOfRelaysAtRest) {
  // x_k' = x_(k+1), the last one driven by -sum of the relays' r: each row of W is a multiple of the last, h^k / k!.
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> rounding(-2e-17, 2e-17);
  for (const Index n : {2, 3, 4}) {
    Boxes boxes{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd(n), -Eigen::VectorXd::Ones(n), Eigen::VectorXd::Ones(n)};
    for (Index i = 0; i < n; ++i) boxes.W(i, 0) = 9.81 * std::pow(1e-3, static_cast<double>(n - i));
    for (int k = 0; k < 50; ++k) {
      for (Index i = 0; i < n; ++i) boxes.q[i] = rounding(random);
      const mixed::Problem problem = boxes.problem();
      const auto result = solve(problem);
      EXPECT_TRUE(result) << result.message() << " q " << boxes.q.transpose();
      expect_right(boxes, problem, result);
    }
  }
}

TEST(DegenerateBoxes, DigitsFarBelowTheBounds) {
  // r_2 and r_3 at their bounds leave 1e-10 |q| of row 1 to an r_2 of 4e-16: u in double precision can't tell it.
  Boxes boxes;
  boxes.W = (Eigen::Matrix3d() << 4, -4, -4, -4, 4, 4, -4, 4, 4).finished();
  boxes.q = Eigen::Vector3d(-7.4581411959171312e-15, 1.5868104676610706e-15, 8.1971552243045082e-16);
  boxes.lower = Eigen::Vector3d(-1.0, -infinity, -1.0);
  boxes.upper = Eigen::Vector3d(1.0, infinity, 1.0);
  const mixed::Problem problem = boxes.problem();
  const auto result = solve(problem);
  EXPECT_TRUE(result) << result.message();
  expect_right(boxes, problem, result);
}

TEST(DegenerateBoxes, AShiftOfTheBoxChangesNoVerdict) {
  // r -> r + a with q -> q - W a is the same problem; with q = 0 in a box without 0 only W P(0) tells its scale.
  std::mt19937_64 random(5);
  for (const Index n : {2, 3, 6}) {
    const Eigen::MatrixXd W = problems::random_spd(n, 1.0, random);
    const Eigen::VectorXd shift = Eigen::VectorXd::Constant(n, 0.75);
    const Eigen::VectorXd half = Eigen::VectorXd::Constant(n, 0.5);
    const Boxes centred{W, W * shift, -half, half}, shifted{W, Eigen::VectorXd::Zero(n), shift - half, shift + half};
    const auto one = solve(centred.problem()), other = solve(shifted.problem());
    ASSERT_TRUE(one) << one.message();
    ASSERT_TRUE(other) << other.message();
    // q of both is below 5 sums of size |W| |r|; cond(W) <= 5 (problems::random_spd).
    EXPECT_LE((one.r + shift - other.r).cwiseAbs().maxCoeff(), 50.0 * static_cast<double>(n) * 2.2e-16);
    const mixed::Problem problem = shifted.problem();
    Eigen::VectorXd u(n);
    const Certificate certificate = certify(problem, other.r, u);
    // The scale is |W P(0)|, P(0) the corner shift - half.
    EXPECT_NEAR(certificate.scale, (W * (shift - half)).cwiseAbs().maxCoeff(), 1e-14 * certificate.scale);
  }
}

TEST(DegenerateBoxes, FuzzedLowRanksProportionalRowsAndZeroColumns) {
  std::mt19937_64 random(11);
  const auto pick = [&](int first, int last) { return std::uniform_int_distribution<int>(first, last)(random); };
  const auto real = [&] { return std::uniform_real_distribution<double>(-1.0, 1.0)(random); };
  for (int k = 0; k < 4000; ++k) {
    const Index n = pick(2, 4);
    const bool integers = pick(0, 1) == 0;
    const auto filled = [&](Index rows, Index columns) {
      return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return integers ? pick(-2, 2) : real(); }).eval();
    };
    Boxes boxes;
    const Index rank = pick(1, static_cast<int>(n) - 1);
    switch (pick(0, 4)) {
      case 0:
        boxes.W = filled(n, rank) * filled(rank, n);
        break;
      case 1:
        boxes.W = filled(n, n);
        boxes.W.row(pick(0, static_cast<int>(n) - 1)) = (pick(0, 1) == 0 ? 1e-3 : -2.0) * boxes.W.row(0);
        break;
      case 2:
        boxes.W = filled(n, n);
        boxes.W.col(pick(0, static_cast<int>(n) - 1)).setZero();
        boxes.W.col(pick(0, static_cast<int>(n) - 1)).setZero();
        break;
      case 3: {
        const Eigen::MatrixXd factor = filled(n, rank);
        boxes.W = factor * factor.transpose();
        break;
      }
      default: {
        const Eigen::MatrixXd any = filled(n, n);
        boxes.W = any - any.transpose();
      }
    }
    if (pick(0, 2) == 0) boxes.W *= std::pow(10.0, pick(-6, 6));
    boxes.lower = -Eigen::VectorXd::Ones(n);
    boxes.upper = Eigen::VectorXd::Ones(n);
    const bool bounded = pick(0, 1) == 0;
    for (Index i = 0; i < n; ++i) {
      const int kind = pick(0, bounded ? 4 : 7);
      if (kind == 3 || kind == 5) boxes.lower[i] = 0.0;
      if (kind == 4) boxes.upper[i] = (boxes.lower[i] = real()) + std::abs(real());
      if (kind == 6 || kind == 7) boxes.lower[i] = -infinity;
      if (kind == 5 || kind == 6) boxes.upper[i] = infinity;
    }
    boxes.q = Eigen::VectorXd::Zero(n);
    const int load = pick(0, 4);
    if (load == 1) {  // of any size, round-off included
      const double size = std::pow(10.0, -pick(0, 18));
      for (double& entry : boxes.q) entry = size * real();
    } else if (load > 1) {  // a planted solution, exact or with round-off
      Eigen::VectorXd r(n), u = Eigen::VectorXd::Zero(n);
      for (Index i = 0; i < n; ++i) {
        const double low = std::max(boxes.lower[i], -2.0), high = std::min(boxes.upper[i], 2.0);
        const int place = pick(0, 6);
        r[i] = low + 0.25 * std::min(place, 4) * (high - low);
        if (place == 5 && boxes.lower[i] > -infinity) r[i] = low, u[i] = pick(0, 1);
        if (place == 6 && boxes.upper[i] < infinity) r[i] = high, u[i] = -pick(0, 1);
      }
      boxes.q = u - boxes.W * r;
      if (load == 3)
        for (double& entry : boxes.q) entry *= 1.0 + 2.2e-16 * pick(-3, 3);
      if (load == 4)
        for (double& entry : boxes.q) entry += 1e-16 * real();
    }
    const mixed::Problem problem = boxes.problem();
    expect_right(boxes, problem, solve(problem));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace nonsmooth::degenerate_boxes_test
