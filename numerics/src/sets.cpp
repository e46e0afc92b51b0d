// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/sets.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <nonsmooth/numerics/error.hpp>

#include "rolling_cone.hpp"
#include "set_kernels.hpp"

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
         kind == SetKind::DruckerPrager || kind == SetKind::Rolling;
}

[[nodiscard]] bool is_elliptic(const BlockSet& set) noexcept {
  return set.kind == SetKind::Coulomb3D && set.mu_2 >= 0.0 && set.mu_2 != set.mu;
}

/// Projects z on {|z_G| <= bound_G z_0}.
ConeCase project_on_groups(const detail::RollingGroups& groups, double* z, Index n,
                           detail::RollingProjection<double>& projection) noexcept {
  double length[3] = {};
  for (int k = 0; k < groups.count; ++k) length[k] = norm(z + groups.groups[k].first, groups.groups[k].size);
  projection = detail::project_on_rolling_cone(groups, z[0], length);
  if (projection.apex) {
    std::fill_n(z, n, 0.0);
    return ConeCase::Apex;
  }
  if (projection.inside()) return ConeCase::Inside;
  z[0] = projection.axial;
  for (int k = 0; k < groups.count; ++k) {
    if (!projection.outside[k]) continue;
    const detail::RollingGroup& group = groups.groups[k];
    const double factor = length[k] > 0.0 ? group.bound * projection.axial / length[k] : 0.0;
    for (Index i = 0; i < group.size; ++i) z[group.first + i] *= factor;
  }
  return ConeCase::Boundary;
}

/// Projects z on {|(z_1 / a, z_2 / b)| <= z_0}, a, b > 0: p_0 = w(t), p_1 = z_1 / (1 + t / a^2), p_2 likewise, with
/// w(t) = |(z_1 / (a + t / a), z_2 / (b + t / b))| and t > 0 the only root of the decreasing (1 - t) w(t) - z_0. Times
/// (a b + t), which makes it linear where a = b, a Newton method kept in its bracket finds it.
ConeCase project_on_elliptic_cone(double a, double b, double* z) noexcept {
  if (z[0] <= 0.0 && std::hypot(a * z[1], b * z[2]) <= -z[0]) {
    z[0] = z[1] = z[2] = 0.0;
    return ConeCase::Apex;
  }
  if (std::hypot(z[1] / a, z[2] / b) <= z[0]) return ConeCase::Inside;
  if (std::isnan(z[0]) || std::isnan(z[1]) || std::isnan(z[2])) {  // NaN stays NaN
    z[0] = z[1] = z[2] = std::numeric_limits<double>::quiet_NaN();
    return ConeCase::Boundary;
  }
  double low = 0.0, high = std::numeric_limits<double>::infinity(), t = 0.0;
  const double mean = a * b;
  for (int k = 0; k < 200; ++k) {
    const double d_1 = a + t / a, d_2 = b + t / b, x_1 = z[1] / d_1, x_2 = z[2] / d_2;
    const double w = std::hypot(x_1, x_2), drop = -(x_1 * (x_1 / (d_1 * a)) + x_2 * (x_2 / (d_2 * b))) / w;
    const double value = (1.0 - t) * w - z[0];
    if (value == 0.0) break;
    (value > 0.0 ? low : high) = t;
    const double slope = ((1.0 - t) * drop - w) * (mean + t) + value;
    double next = t - value * (mean + t) / slope;
    if (!(next > low && next < high)) next = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * t + mean + 1.0;
    const bool converged = std::abs(next - t) <= 2.0 * std::numeric_limits<double>::epsilon() * next;
    t = next;
    if (converged) break;
  }
  z[0] = std::hypot(z[1] / (a + t / a), z[2] / (b + t / b));
  z[1] /= 1.0 + t / a / a;
  z[2] /= 1.0 + t / b / b;
  return ConeCase::Boundary;
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

void check_friction(const BlockSet& set, Index size) {
  const bool contact = set.kind == SetKind::Coulomb2D || set.kind == SetKind::Coulomb3D || set.kind == SetKind::Rolling;
  check_parameter("ProductSet::push_back: rolling", set.rolling);
  check_parameter("ProductSet::push_back: spinning", set.spinning);
  check_parameter("ProductSet::push_back: cohesion", set.cohesion);
  const auto only = [](const char* argument, double value, const char* kinds) {
    throw InvalidArgument(argument, std::to_string(value), kinds);
  };
  if (set.kind != SetKind::Rolling && set.rolling != 0.0)
    only("ProductSet::push_back: rolling", set.rolling, "0 but for Rolling");
  if (set.kind != SetKind::Rolling && set.spinning != 0.0)
    only("ProductSet::push_back: spinning", set.spinning, "0 but for Rolling");
  if (!contact && set.kind != SetKind::DruckerPrager && set.cohesion != 0.0)
    only("ProductSet::push_back: cohesion", set.cohesion, "0 but for Coulomb2D, Coulomb3D, Rolling and DruckerPrager");
  if (set.kind == SetKind::Rolling && (size < 3 || size > 6)) {
    throw InvalidArgument("ProductSet::push_back: size", std::to_string(size),
                          "3 rows (N, T, R), 4 (N, T1, T2, S), 5 (N, T1, T2, R1, R2) or 6 (all) for Rolling");
  }
  if (set.mu_2 < 0.0) return;
  if (set.kind != SetKind::Coulomb3D) only("ProductSet::push_back: mu_2", set.mu_2, "negative but for Coulomb3D");
  check_parameter("ProductSet::push_back: mu_2", set.mu_2);
  if ((set.mu_2 > 0.0) != (set.mu > 0.0))
    only("ProductSet::push_back: mu_2", set.mu_2, "> 0 beside mu > 0, 0 beside mu = 0, or negative");
}

void check_unit(const BlockSet& set, Index size) {
  if (set.kind != SetKind::Box || size != 1) {
    throw InvalidArgument("ProductSet::push_back: unit",
                          std::to_string(set.unit) + " of " + std::to_string(size) + " rows",
                          "1 but for a Box of one row");
  }
  if (!(set.unit > 0.0 && std::isfinite(set.unit)))
    throw InvalidArgument("ProductSet::push_back: unit", std::to_string(set.unit), "a finite number > 0");
}

void check_block(const BlockSet& set, Index size) {
  if (size < 1) throw InvalidArgument("ProductSet::push_back: size", std::to_string(size), "at least 1");
  if (is_cone(set.kind)) check_parameter("ProductSet::push_back: mu", set.mu);
  check_friction(set, size);
  if (set.kind == SetKind::DruckerPrager) check_parameter("ProductSet::push_back: lift", set.lift);
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
  if (set.unit != 1.0) check_unit(set, size);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (set.kind == SetKind::Box && !(set.lower <= set.upper && set.lower < infinity && set.upper > -infinity)) {
    throw InvalidArgument("ProductSet::push_back: bounds",
                          "[" + std::to_string(set.lower) + ", " + std::to_string(set.upper) + "]",
                          "lower <= upper, neither NaN, lower < +inf, upper > -inf");
  }
}

/// Elliptic or cohesive.
[[nodiscard]] bool is_special(const BlockSet& set) noexcept { return set.cohesion != 0.0 || set.mu_2 >= 0.0; }

/// Elliptic cones, groups of rows, cohesion: z - c e_0 is projected on the cone itself and shifted back.
void project_special(const BlockSet& set, double* z, Index n) noexcept {
  detail::RollingProjection<double> projection;
  z[0] += set.cohesion;
  if (is_elliptic(set))
    project_on_elliptic_cone(set.mu, set.mu_2, z);
  else if (set.kind == SetKind::Rolling)
    project_on_groups(detail::rolling_groups(set, n), z, n, projection);
  else
    project_on_cone(set.mu, z, n);
  z[0] -= set.cohesion;
}

/// Groups that the projection leaves alone, and row 0 where it does, have e = û without the round-off of a difference.
void rolling_error(const BlockSet& set, double rho, const double* r, const double* u, double* error, Index n) noexcept {
  const double normal = u[0] + velocity_lift(set, u, n), axial = r[0] + set.cohesion;
  error[0] = axial - rho * normal;
  for (Index i = 1; i < n; ++i) error[i] = r[i] - rho * u[i];
  const detail::RollingGroups groups = detail::rolling_groups(set, n);
  detail::RollingProjection<double> projection;
  project_on_groups(groups, error, n, projection);
  const bool kept = !projection.apex && !projection.moved;
  error[0] = kept ? normal : (axial - error[0]) / rho;
  for (int k = 0; k < groups.count; ++k)
    for (Index i = groups.groups[k].first; i < groups.groups[k].first + groups.groups[k].size; ++i)
      error[i] = projection.apex || projection.outside[k] ? (r[i] - error[i]) / rho : u[i];
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
      if (n == 0) return;
      if (is_special(set)) [[unlikely]]
        return project_special(set, z, n);
      project_on_cone(set.mu, z, n);
      return;
    case SetKind::Rolling:
      if (n > 0) project_special(set, z, n);
      return;
    case SetKind::VonMises:
      if (n > 1) project_on_ball(set.radius, z + 1, n - 1);
      return;
  }
}

void project(const BlockSet& set, VectorRef z) { project(set, z.data(), z.size()); }

double velocity_lift(const BlockSet& set, const double* u, Index n) noexcept {
  if (set.kind == SetKind::Rolling) {
    double lift = 0.0;
    for (const detail::RollingGroup& group : detail::rolling_groups(set, n))
      lift += group.bound * norm(u + group.first, group.size);
    return lift;
  }
  if (is_elliptic(set)) return std::hypot(set.mu * u[1], set.mu_2 * u[2]);
  const double gain = lift_factor(set);
  return gain != 0.0 ? gain * norm(u + 1, n - 1) : 0.0;
}

void modify_velocity(const BlockSet& set, VectorRef u) {
  if (const double lift = velocity_lift(set, u.data(), u.size()); lift != 0.0) u[0] += lift;
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
    case SetKind::Rolling:
      return rolling_error(set, rho, r, u, error, n);
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
  const double normal = u[0] + velocity_lift(set, u, n), axial = r[0] + set.cohesion;
  error[0] = axial - rho * normal;
  for (Index i = 1; i < n; ++i) error[i] = r[i] - rho * u[i];
  switch (is_elliptic(set) ? project_on_elliptic_cone(set.mu, set.mu_2, error) : project_on_cone(set.mu, error, n)) {
    case ConeCase::Apex:
      error[0] = axial / rho;
      for (Index i = 1; i < n; ++i) error[i] = r[i] / rho;
      return;
    case ConeCase::Inside:
      error[0] = normal;
      for (Index i = 1; i < n; ++i) error[i] = u[i];
      return;
    case ConeCase::Boundary:
      error[0] = (axial - error[0]) / rho;
      for (Index i = 1; i < n; ++i) error[i] = (r[i] - error[i]) / rho;
      return;
  }
}

void natural_error(const BlockSet& set, double rho, ConstVectorRef r, ConstVectorRef u, VectorRef error) {
  natural_error(set, rho, r.data(), u.data(), error.data(), r.size());
}

void ProductSet::push_back(const BlockSet& set, Index size) {
  // One like the block before was looked at there: thousands of contacts of one law follow each other.
  if (sets_.empty() || this->size(num_blocks() - 1) != size || sets_.back() != set) check_block(set, size);
  if (offsets_.empty()) offsets_.push_back(0);  // a moved-from product
  if (size > std::numeric_limits<Index>::max() - offsets_.back()) {
    throw InvalidArgument("ProductSet::push_back: size",
                          std::to_string(size) + " behind " + std::to_string(offsets_.back()) + " rows",
                          "a sum of rows that an Index holds");
  }
  offsets_.push_back(offsets_.back() + size);
  try {
    sets_.push_back(set);
  } catch (...) {
    offsets_.pop_back();
    throw;
  }
  ++counts_[static_cast<std::size_t>(set.kind)];
  if (!nonsmooth::is_canonical(set, size)) ++num_other_;
}

void ProductSet::clear() noexcept {
  sets_.clear();
  if (!offsets_.empty()) offsets_.resize(1);
  std::fill(std::begin(counts_), std::end(counts_), Index{0});
  num_other_ = 0;
}

void ProductSet::reserve(Index blocks) {
  if (blocks < 0) throw InvalidArgument("ProductSet::reserve: blocks", std::to_string(blocks), "at least 0");
  constexpr Index most = Index{1} << 40;  // 100 TB
  if (blocks > most)
    throw InvalidArgument("ProductSet::reserve: blocks", std::to_string(blocks), "at most " + std::to_string(most));
  sets_.reserve(static_cast<std::size_t>(blocks));
  offsets_.reserve(static_cast<std::size_t>(blocks) + 1);
}

}  // namespace nonsmooth
