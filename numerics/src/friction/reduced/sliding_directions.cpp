// SPDX-License-Identifier: Apache-2.0
#include "sliding_directions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include <internal/decompositions.hpp>

namespace nonsmooth::detail {
namespace {

constexpr Index kHarmonics = 5;               ///< 1, cos, sin, cos 2, sin 2 of each angle
constexpr double kTrigonometricZero = 1e-13;  ///< of the sum of a polynomial's coefficients
constexpr double kLeastBox = 1e-6;            ///< half width below which two roots are one
constexpr double kInfinite = 1e-11;           ///< |D| of its coefficients at a root, where N is not zero
constexpr double kMostSensitive = 1e4;        ///< |J^-1| of P in units of its coefficients
constexpr Index kMostBoxes = 100'000;

using Basis = std::array<double, kHarmonics>;

Basis basis_at(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {1.0, c, s, c * c - s * s, 2.0 * s * c};
}
Basis slope_at(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {0.0, -s, c, -4.0 * s * c, 2.0 * (c * c - s * s)};
}

/// A value, its gradient, and how far it may go within a box around the place.
struct Local {
  double value = 0.0;
  Eigen::VectorXd gradient;
};

/// A trigonometric polynomial in k angles with harmonics to 2, its coefficients scaled to the sum 1.
class TrigonometricPolynomial {
 public:
  /// From its values on the grid of 5^k places 2 pi i / 5, the first angle fastest: interpolation is exact there.
  TrigonometricPolynomial(Index k, std::vector<double> values) : k_(k), coefficients_(std::move(values)) {
    Index stride = 1;
    for (Index l = 0; l < k_; ++l, stride *= kHarmonics) transform(stride);
    double sum = 0.0;
    for (const double x : coefficients_) sum += std::abs(x);
    zero_ = !(sum > 0.0);
    if (!zero_)
      for (double& x : coefficients_) x /= sum;
    bound_curvature();
  }

  [[nodiscard]] Local at(const Eigen::VectorXd& angles) const {
    Local local{.value = contract(angles, -1), .gradient = Eigen::VectorXd(k_)};
    for (Index l = 0; l < k_; ++l) local.gradient[l] = contract(angles, l);
    return local;
  }
  /// Of its second derivatives by angles l and m, anywhere.
  [[nodiscard]] const Eigen::MatrixXd& curvature() const noexcept { return curvature_; }
  /// How far it goes from its value at the middle of a box of half widths w, and what rounding adds.
  [[nodiscard]] double reach(const Local& local, const Eigen::VectorXd& w) const {
    return local.gradient.cwiseAbs().dot(w) + 0.5 * w.dot(curvature_ * w) + kTrigonometricZero;
  }
  [[nodiscard]] bool is_zero() const noexcept { return zero_; }

 private:
  /// Values on five places to coefficients, along one angle.
  void transform(Index stride) {
    const Index size = static_cast<Index>(coefficients_.size());
    for (Index first = 0; first < size; ++first) {
      if (first / stride % kHarmonics != 0) continue;
      Basis sum{};
      for (Index i = 0; i < kHarmonics; ++i) {
        const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / kHarmonics;
        const Basis at = basis_at(angle);
        const double value = coefficients_[static_cast<std::size_t>(first + i * stride)];
        for (std::size_t j = 0; j < kHarmonics; ++j) sum[j] += (j == 0 ? 0.2 : 0.4) * at[j] * value;
      }
      for (Index i = 0; i < kHarmonics; ++i)
        coefficients_[static_cast<std::size_t>(first + i * stride)] = sum[static_cast<std::size_t>(i)];
    }
  }

  /// The value, or the derivative by one angle.
  [[nodiscard]] double contract(const Eigen::VectorXd& angles, Index by) const {
    std::vector<double>& rest = scratch_;
    rest = coefficients_;
    std::size_t size = rest.size();
    for (Index l = k_ - 1; l >= 0; --l) {
      const Basis basis = l == by ? slope_at(angles[l]) : basis_at(angles[l]);
      size /= kHarmonics;
      for (std::size_t i = 0; i < size; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < kHarmonics; ++j) sum += basis[j] * rest[i + j * size];
        rest[i] = sum;
      }
    }
    return rest[0];
  }

  void bound_curvature() {
    constexpr std::array<double, kHarmonics> frequency{0.0, 1.0, 1.0, 2.0, 2.0};
    curvature_ = Eigen::MatrixXd::Zero(k_, k_);
    for (std::size_t i = 0; i < coefficients_.size(); ++i) {
      std::size_t rest = i;
      Eigen::VectorXd of(k_);
      for (Index l = 0; l < k_; ++l, rest /= kHarmonics) of[l] = frequency[rest % kHarmonics];
      curvature_ += std::abs(coefficients_[i]) * of * of.transpose();
    }
  }

  Index k_;
  std::vector<double> coefficients_;
  mutable std::vector<double> scratch_;
  Eigen::MatrixXd curvature_;
  bool zero_ = false;
};

/// D, N and D v_T of the angles, by Cramer's rule. The 2 k equations v_N = 0, v_T × t = 0 are linear in r_N, and (r_N,
/// 1) is in the kernel of their matrix: all its minors of k + 1 rows are 0. Those of v_N = 0 and one v_T × t are
/// across; they vanish with D and N as well, where the others need not.
struct Sliding {
  double D = 0.0;
  Eigen::VectorXd N, across, along;  ///< r_N = N / D; D v_T × t, D v_T · t
  std::vector<double> minors;        ///< the others
};

double determinant_of(const Eigen::MatrixXd& matrix) {
  const LuFactors factors(matrix);
  return factors.matrix().diagonal().prod() * static_cast<double>(factors.permutation().determinant());
}

void add_minors(const SlidingContacts& contacts, const Eigen::VectorXd& angles, const Eigen::MatrixXd& normal,
                const Eigen::MatrixXd& tangential, std::vector<double>& minors) {
  const Index k = angles.size();
  Eigen::MatrixXd equations(2 * k, k + 1);
  for (Index i = 0; i < k; ++i) {
    const double c = std::cos(angles[i]), s = std::sin(angles[i]);
    equations.row(i) << normal.row(i), contacts.c[3 * i];
    equations.row(k + i) << s * tangential.row(2 * i) - c * tangential.row(2 * i + 1),
        s * contacts.c[3 * i + 1] - c * contacts.c[3 * i + 2];
  }
  const unsigned all_normal = (1U << k) - 1U;
  for (unsigned rows = 0; rows < 1U << 2 * k; ++rows) {
    if (std::popcount(rows) != static_cast<int>(k + 1) || (rows & all_normal) == all_normal) continue;
    Eigen::MatrixXd chosen(k + 1, k + 1);
    Index at = 0;
    for (Index i = 0; i < 2 * k; ++i)
      if ((rows >> i & 1U) != 0) chosen.row(at++) = equations.row(i);
    minors.push_back(determinant_of(chosen));
  }
}

Sliding sliding_at(const SlidingContacts& contacts, const Eigen::VectorXd& angles) {
  const Index k = contacts.mu.size();
  Eigen::MatrixXd normal(k, k), tangential(2 * k, k);
  for (Index j = 0; j < k; ++j) {
    const double c = std::cos(angles[j]), s = std::sin(angles[j]);
    const Eigen::VectorXd column =
        contacts.V.col(3 * j) - contacts.mu[j] * (c * contacts.V.col(3 * j + 1) + s * contacts.V.col(3 * j + 2));
    for (Index i = 0; i < k; ++i) {
      normal(i, j) = column[3 * i];
      tangential.col(j).segment(2 * i, 2) = column.segment(3 * i + 1, 2);
    }
  }
  Sliding result{.D = determinant_of(normal), .N = Eigen::VectorXd(k), .across = {}, .along = {}, .minors = {}};
  for (Index j = 0; j < k; ++j) {
    Eigen::MatrixXd replaced = normal;
    for (Index i = 0; i < k; ++i) replaced(i, j) = -contacts.c[3 * i];
    result.N[j] = determinant_of(replaced);
  }
  Eigen::VectorXd rate = tangential * result.N;
  for (Index i = 0; i < k; ++i) rate.segment(2 * i, 2) += result.D * contacts.c.segment(3 * i + 1, 2);
  result.across.resize(k);
  result.along.resize(k);
  for (Index j = 0; j < k; ++j) {
    const double c = std::cos(angles[j]), s = std::sin(angles[j]);
    result.across[j] = rate[2 * j] * s - rate[2 * j + 1] * c;
    result.along[j] = rate[2 * j] * c + rate[2 * j + 1] * s;
  }
  add_minors(contacts, angles, normal, tangential, result.minors);
  return result;
}

struct Box {
  Eigen::VectorXd middle, half;
};

enum class Content : unsigned char { Nothing, OneRoot, Unknown };

/// The torus of angles, cut into boxes.
class Bisection {
 public:
  explicit Bisection(const SlidingContacts& contacts) : k_(contacts.mu.size()) {
    Index places = 1;
    for (Index l = 0; l < k_; ++l) places *= kHarmonics;
    std::vector<std::vector<double>> values;
    Eigen::VectorXd angles(k_);
    for (Index place = 0; place < places; ++place) {
      Index rest = place;
      for (Index l = 0; l < k_; ++l, rest /= kHarmonics)
        angles[l] = 2.0 * std::numbers::pi * static_cast<double>(rest % kHarmonics) / kHarmonics;
      const Sliding at = sliding_at(contacts, angles);
      values.resize(static_cast<std::size_t>(3 * k_ + 1) + at.minors.size());
      for (Index j = 0; j < k_; ++j) {
        values[static_cast<std::size_t>(j)].push_back(at.across[j]);
        values[static_cast<std::size_t>(k_ + j)].push_back(at.along[j]);
        values[static_cast<std::size_t>(2 * k_ + j)].push_back(at.N[j]);
      }
      values[static_cast<std::size_t>(3 * k_)].push_back(at.D);
      for (std::size_t i = 0; i < at.minors.size(); ++i)
        values[static_cast<std::size_t>(3 * k_ + 1) + i].push_back(at.minors[i]);
    }
    for (auto& of : values) polynomials_.emplace_back(k_, std::move(of));
  }

  SlidingDirections run() {
    SlidingDirections found;
    std::vector<Box> boxes{
        {.middle = Eigen::VectorXd::Zero(k_), .half = Eigen::VectorXd::Constant(k_, std::numbers::pi)}};
    for (Index taken = 0; !boxes.empty(); ++taken) {
      if (taken == kMostBoxes) {
        found.complete = false;
        return found;
      }
      const Box box = std::move(boxes.back());
      boxes.pop_back();
      Eigen::VectorXd root;
      const Content content = examine(box, root);
      if (content == Content::OneRoot && has_finite(root)) add(root, found);
      if (content != Content::Unknown) continue;
      Index widest = 0;
      if (box.half.maxCoeff(&widest) < kLeastBox) {
        found.complete = false;
        continue;
      }
      for (const double side : {-0.5, 0.5}) {
        Box part = box;
        part.middle[widest] += side * box.half[widest];
        part.half[widest] *= 0.5;
        boxes.push_back(std::move(part));
      }
    }
    return found;
  }

 private:
  [[nodiscard]] const TrigonometricPolynomial& polynomial(Index i) const {
    return polynomials_[static_cast<std::size_t>(i)];
  }

  Content examine(const Box& box, Eigen::VectorXd& root) const {
    // -1 or 1 where a polynomial has that sign on all of the box.
    const auto sign_of = [&](Index i) {
      if (polynomial(i).is_zero()) return 0;
      const Local at = polynomial(i).at(box.middle);
      if (std::abs(at.value) <= polynomial(i).reach(at, box.half)) return 0;
      return at.value > 0.0 ? 1 : -1;
    };
    for (Index j = 0; j < k_; ++j)
      if (sign_of(j) != 0) return Content::Nothing;
    if (const int D = sign_of(3 * k_); D != 0) {
      for (Index i = k_; i < 3 * k_; ++i)
        if (sign_of(i) == -D) return Content::Nothing;  // r_N < 0, or v_T against t
    }
    if (has_one(box, root)) return Content::OneRoot;
    for (Index i = 3 * k_ + 1; i < static_cast<Index>(polynomials_.size()); ++i)
      if (sign_of(i) != 0) return Content::Nothing;
    return Content::Unknown;
  }

  /// Whether P is injective on twice the box, by its derivative at the middle, and has a root there.
  bool has_one(const Box& box, Eigen::VectorXd& root) const {
    Eigen::VectorXd value(k_);
    Eigen::MatrixXd slope(k_, k_);
    evaluate(box.middle, value, slope);
    FullPivotLu factors(slope);
    if (!factors.is_invertible()) return false;
    const Eigen::MatrixXd inverse = factors.inverse(), size = inverse.cwiseAbs();
    if (!(size.rowwise().sum().maxCoeff() < kMostSensitive)) return false;
    const Eigen::VectorXd reach = 2.0 * box.half;
    Eigen::MatrixXd change(k_, k_);  // of row j of the derivative, at most
    for (Index j = 0; j < k_; ++j) change.row(j) = (polynomial(j).curvature() * reach).transpose();
    // In units of the half widths, in which the box is a ball of the largest norm.
    const Eigen::MatrixXd off = box.half.cwiseInverse().asDiagonal() * (size * change) * box.half.asDiagonal();
    if (!(off.rowwise().sum().maxCoeff() < 0.5)) return false;
    root = box.middle;
    for (int step = 0; step < 40; ++step) {
      const Eigen::VectorXd move = inverse * value;  // contracts by 1/2 at least while it stays there
      root -= move;
      if (((root - box.middle).cwiseAbs() - reach).maxCoeff() > 0.0) return false;
      if (move.lpNorm<Eigen::Infinity>() <= 1e-15) break;
      evaluate(root, value, slope);
    }
    return true;
  }

  /// No r satisfies v_N = 0 where D = 0 and N is not: the direction that r -> infinity has.
  [[nodiscard]] bool has_finite(const Eigen::VectorXd& root) const {
    if (std::abs(polynomial(3 * k_).at(root).value) > kInfinite) return true;
    for (Index j = 0; j < k_; ++j)
      if (std::abs(polynomial(2 * k_ + j).at(root).value) > 1e5 * kInfinite) return false;
    return true;
  }

  void evaluate(const Eigen::VectorXd& angles, Eigen::VectorXd& value, Eigen::MatrixXd& slope) const {
    for (Index j = 0; j < k_; ++j) {
      const Local at = polynomial(j).at(angles);
      value[j] = at.value;
      slope.row(j) = at.gradient.transpose();
    }
  }

  /// Boxes beside each other find one root twice.
  void add(const Eigen::VectorXd& root, SlidingDirections& found) const {
    constexpr double turn = 2.0 * std::numbers::pi;
    Eigen::VectorXd angles = root;
    for (Index l = 0; l < k_; ++l) angles[l] -= turn * std::floor((angles[l] + std::numbers::pi) / turn);
    const auto same = [&](const Eigen::VectorXd& other) {
      double worst = 0.0;
      for (Index l = 0; l < k_; ++l) worst = std::max(worst, std::abs(std::remainder(angles[l] - other[l], turn)));
      return worst < 1e-9;
    };
    if (std::none_of(found.angles.begin(), found.angles.end(), same)) found.angles.push_back(angles);
  }

  Index k_;
  std::vector<TrigonometricPolynomial> polynomials_;  ///< across, along, N of each contact, D, minors
};

}  // namespace

SlidingDirections sliding_directions(const SlidingContacts& contacts) {
  SlidingDirections found = Bisection(contacts).run();
  std::sort(found.angles.begin(), found.angles.end(), [](const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  return found;
}

}  // namespace nonsmooth::detail
