// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/sets.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

/// |x| of n entries without overflow or harmful underflow: the plain sum of squares where it is safe.
double norm(const double* x, Index n) noexcept {
  if (n == 0) return 0.0;
  if (n == 1) return std::abs(x[0]);
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += x[i] * x[i];
  if (sum > 1e-280 && sum < 1e280) return std::sqrt(sum);
  double largest = 0.0;
  for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
  if (!(largest > 0.0) || !std::isfinite(largest)) return largest > 0.0 ? largest : std::sqrt(sum);
  double scaled = 0.0;
  for (Index i = 0; i < n; ++i) scaled += (x[i] / largest) * (x[i] / largest);
  return largest * std::sqrt(scaled);
}

enum class ConeCase : unsigned char { Apex, Inside, Boundary };

/// Projects z on {|z_1..| <= mu z_0} and says which of the three cases held. The apex is tested first: with mu = 0 the
/// test of the inside alone would accept a negative z_0.
ConeCase project_on_cone(double mu, double* z, Index n) noexcept {
  const double axial = z[0];
  const double radial = norm(z + 1, n - 1);
  if (axial <= 0.0 && mu * radial <= -axial) {
    for (Index i = 0; i < n; ++i) z[i] = 0.0;
    return ConeCase::Apex;
  }
  if (radial <= mu * axial) return ConeCase::Inside;
  // Orthogonal projection on the ray (1, mu x/|x|) of the half-plane through z and the axis, written so that a large
  // mu does not overflow: both products stay of the size of z.
  const double secant = std::hypot(1.0, mu), cosine = 1.0 / secant, sine = mu / secant;
  const double length = cosine * axial + sine * radial;  // along the ray, > 0
  z[0] = cosine * length;
  const double factor = radial > 0.0 ? sine * length / radial : 0.0;
  for (Index i = 1; i < n; ++i) z[i] *= factor;
  return ConeCase::Boundary;
}

bool is_cone(SetKind kind) noexcept {
  return kind == SetKind::SecondOrderCone || kind == SetKind::Coulomb2D || kind == SetKind::Coulomb3D ||
         kind == SetKind::DruckerPrager;
}

/// Projects x on the ball of that radius. True where it lay outside.
bool project_on_ball(double radius, double* x, Index n) noexcept {
  const double size = norm(x, n);
  if (size <= radius) return false;
  const double factor = radius / size;
  for (Index i = 0; i < n; ++i) x[i] *= factor;
  return true;
}

void check_parameter(const char* argument, double value) {
  if (!(value >= 0.0 && std::isfinite(value)))
    throw InvalidArgument(argument, std::to_string(value), "a finite number >= 0");
}

}  // namespace

void project(const BlockSet& set, double* z, Index n) noexcept {
  switch (set.kind) {
    case SetKind::Free:
      return;
    case SetKind::Orthant:
      for (Index i = 0; i < n; ++i) z[i] = z[i] < 0.0 ? 0.0 : z[i];
      return;
    case SetKind::Box:
      for (Index i = 0; i < n; ++i) z[i] = z[i] < set.lower ? set.lower : (z[i] > set.upper ? set.upper : z[i]);
      return;
    case SetKind::SecondOrderCone:
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::DruckerPrager:
      if (n > 0) project_on_cone(set.mu, z, n);
      return;
    case SetKind::VonMises:
      if (n > 1) project_on_ball(set.radius, z + 1, n - 1);
      return;
  }
}

void project(const BlockSet& set, VectorRef z) { project(set, z.data(), z.size()); }

void modify_velocity(const BlockSet& set, VectorRef u) {
  const double gain = dilatancy(set);
  if (gain != 0.0) u[0] += gain * norm(u.data() + 1, u.size() - 1);
}

void natural_error(const BlockSet& set, double rho, const double* r, const double* u, double* error, Index n) noexcept {
  switch (set.kind) {
    case SetKind::Free:
      for (Index i = 0; i < n; ++i) error[i] = u[i];
      return;
    case SetKind::Orthant:  // r - max(0, r - rho u) = min(r, rho u), without the cancellation
      for (Index i = 0; i < n; ++i) {
        const double a = r[i] / rho;
        error[i] = std::isnan(u[i]) ? u[i] : (u[i] < a ? u[i] : a);
      }
      return;
    case SetKind::Box:  // the same with two sides; an infinite bound drops out of the minimum and of the maximum
      for (Index i = 0; i < n; ++i) {
        const double below = (r[i] - set.lower) / rho, above = (r[i] - set.upper) / rho;
        const double a = std::isnan(u[i]) || u[i] < below ? u[i] : below;
        error[i] = std::isnan(a) || a > above ? a : above;
      }
      return;
    case SetKind::SecondOrderCone:
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::DruckerPrager:
      break;
    case SetKind::VonMises: {
      if (n == 0) return;
      error[0] = u[0];
      for (Index i = 1; i < n; ++i) error[i] = r[i] - rho * u[i];
      const bool outside = project_on_ball(set.radius, error + 1, n - 1);
      for (Index i = 1; i < n; ++i) error[i] = outside ? (r[i] - error[i]) / rho : u[i];
      return;
    }
  }
  if (n == 0) return;
  double normal = u[0];
  if (const double gain = dilatancy(set); gain != 0.0) normal += gain * norm(u + 1, n - 1);
  error[0] = r[0] - rho * normal;
  for (Index i = 1; i < n; ++i) error[i] = r[i] - rho * u[i];
  switch (project_on_cone(set.mu, error, n)) {
    case ConeCase::Apex:
      for (Index i = 0; i < n; ++i) error[i] = r[i] / rho;
      return;
    case ConeCase::Inside:
      error[0] = normal;
      for (Index i = 1; i < n; ++i) error[i] = u[i];
      return;
    case ConeCase::Boundary:
      for (Index i = 0; i < n; ++i) error[i] = (r[i] - error[i]) / rho;
      return;
  }
}

void natural_error(const BlockSet& set, double rho, ConstVectorRef r, ConstVectorRef u, VectorRef error) {
  natural_error(set, rho, r.data(), u.data(), error.data(), r.size());
}

void ProductSet::push_back(const BlockSet& set, Index size) {
  if (size < 1) throw InvalidArgument("ProductSet::push_back: size", std::to_string(size), "at least 1");
  if (is_cone(set.kind)) check_parameter("ProductSet::push_back: mu", set.mu);
  if (set.kind == SetKind::DruckerPrager) check_parameter("ProductSet::push_back: dilation", set.dilation);
  if (set.kind == SetKind::VonMises) check_parameter("ProductSet::push_back: radius", set.radius);
  if ((set.kind == SetKind::DruckerPrager || set.kind == SetKind::VonMises) && size < 2) {
    throw InvalidArgument("ProductSet::push_back: size", std::to_string(size),
                          "at least 2 rows (mean, deviatoric) for DruckerPrager and VonMises");
  }
  if (set.kind == SetKind::Coulomb2D && size != 2) {
    throw InvalidArgument("ProductSet::push_back: size", std::to_string(size), "2 rows (N, T) for Coulomb2D");
  }
  if (set.kind == SetKind::Coulomb3D && size != 3) {
    throw InvalidArgument("ProductSet::push_back: size", std::to_string(size), "3 rows (N, T1, T2) for Coulomb3D");
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (set.kind == SetKind::Box && !(set.lower <= set.upper && set.lower < infinity && set.upper > -infinity)) {
    throw InvalidArgument("ProductSet::push_back: bounds",
                          "[" + std::to_string(set.lower) + ", " + std::to_string(set.upper) + "]",
                          "lower <= upper, neither NaN, lower < +inf, upper > -inf");
  }
  if (offsets_.empty()) offsets_.push_back(0);  // a moved-from product
  offsets_.push_back(offsets_.back() + size);
  try {
    sets_.push_back(set);
  } catch (...) {
    offsets_.pop_back();
    throw;
  }
  ++counts_[static_cast<std::size_t>(set.kind)];
}

void ProductSet::clear() noexcept {
  sets_.clear();
  if (!offsets_.empty()) offsets_.resize(1);
  std::fill(std::begin(counts_), std::end(counts_), Index{0});
}

void ProductSet::reserve(Index blocks) {
  if (blocks < 0) throw InvalidArgument("ProductSet::reserve: blocks", std::to_string(blocks), "at least 0");
  sets_.reserve(static_cast<std::size_t>(blocks));
  offsets_.reserve(static_cast<std::size_t>(blocks) + 1);
}

}  // namespace nonsmooth
