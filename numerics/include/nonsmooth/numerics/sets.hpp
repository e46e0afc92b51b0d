// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// The convex sets K that the law of a block is made of. With û the (possibly modified) velocity of the block,
/// every law reads  -û in N_K(r),  that is  r = P_K(r - rho û)  for any rho > 0.
enum class SetKind : unsigned char {
  Free,             ///< K = R^n: û = u = 0 (bilateral constraint)
  Orthant,          ///< K = R^n_+: 0 <= u ⟂ r >= 0 (ideal diode, unilateral contact)
  Box,              ///< K = [lower, upper]^n: relay, Zener; -u in N_K(r)
  SecondOrderCone,  ///< K = {|r_1..| <= mu r_0}, û = u; any n >= 1
  Coulomb2D,        ///< K = {|r_T| <= mu r_N}, n = 2, rows (N, T), û = u + mu |u_T| e_N
  Coulomb3D,        ///< the same with n = 3, rows (N, T1, T2)
  DruckerPrager,    ///< K = {|r_T| <= mu r_0}, û = u + lift |u_T| e_0: plastic flow; any n >= 2
  VonMises,         ///< K = {|r_T| <= radius}, r_0 of any sign, û = u; any n >= 2
  /// K = {|r_T| <= mu r_N, |r_R| <= rolling r_N, |r_S| <= spinning r_N}: sliding, rolling and spinning friction,
  /// û = u + (mu |u_T| + rolling |u_R| + spinning |u_S|) e_N. Rows by size: 3 planar (N, T, R), 4 (N, T1, T2, S),
  /// 5 (N, T1, T2, R1, R2), 6 (N, T1, T2, R1, R2, S). Rows R, S of r are moments, those of u angular velocities.
  Rolling,
};

/// One block's set. Bounds serve boxes only, mu serves cones only, radius von Mises only.
///
/// An elliptic contact (mu_2 >= 0) has K = {(r_T1 / mu)^2 + (r_T2 / mu_2)^2 <= r_N^2} and the associated sliding rule:
/// û = u + |(mu u_T1, mu_2 u_T2)| e_N, so that -u_T is in the normal cone of the ellipse at r_T.
/// Cohesion c shifts the cone: -û in N_K(r + c e_N), û as without it; a contact pulls with up to r_N = -c.
///
/// Every such block is a canonical one in other units: with r = D r' - c e_N and u' = D u (D diagonal, 1 on row N) the
/// law between r' and u' is the isotropic one without cohesion, D_T2 = mu_2 / mu, and that of Rolling with
/// rolling = spinning = mu, D_R = rolling / mu, D_S = spinning / mu (1 where either is 0), so that all rows have the
/// unit of a force; and that of a Box with a unit d is the Box of bounds / d, D = d. Solvers work on W' = D W D and
/// q' = D (q - W c e_N), and certificates are those of that form.
struct BlockSet {
  SetKind kind = SetKind::Orthant;
  double mu = 0.0;        ///< aperture, >= 0 [-]
  double mu_2 = -1.0;     ///< Coulomb3D: of T2, an elliptic cone, > 0 (0 with mu = 0); < 0: as mu [-]
  double rolling = 0.0;   ///< Rolling with rows R, >= 0 [m]
  double spinning = 0.0;  ///< Rolling with a row S, >= 0 [m]
  double cohesion = 0.0;  ///< Coulomb, Rolling, DruckerPrager: K - cohesion e_0, >= 0 [unit of r]
  double lift = 0.0;      ///< DruckerPrager: of û above u, mu less the flow's dilation (0 associated); >= 0 [-]
  double radius = 0.0;    ///< VonMises, >= 0 [unit of r]
  double lower = -std::numeric_limits<double>::infinity();  ///< may be -inf; <= upper
  double upper = std::numeric_limits<double>::infinity();   ///< may be +inf
  /// Box of one row: what its u and q count by in tolerances beside other rows, > 0 and finite [-]. Below 1 where r
  /// changes u by far more than it changes theirs, as a soft spring's row u = W r + p / (h a) + q.
  double unit = 1.0;

  friend bool operator==(const BlockSet&, const BlockSet&) = default;
};

/// P_K(z), in place, the nearest point in the Euclidean norm of the block's own units. Exact up to round-off; cost
/// O(n), no branch on data beyond the set's own cases; an elliptic cone takes a few steps of a scalar Newton method.
void project(const BlockSet& set, VectorRef z);

/// û from u, in place; only row 0 changes.
void modify_velocity(const BlockSet& set, VectorRef u);

/// e = (r - P_K(r - rho û)) / rho into `error` (K shifted by the cohesion); for a Free block, and row 0 of a von Mises
/// block, e = u. rho > 0. Where the projection returns its argument or the apex, e is u or r / rho without the
/// round-off of the difference.
void natural_error(const BlockSet& set, double rho, ConstVectorRef r, ConstVectorRef u, VectorRef error);

/// A product of blocks K_0 x K_1 x ...: block i owns rows offset(i) .. offset(i+1) - 1.
class ProductSet {
 public:
  ProductSet() = default;

  /// @throws InvalidArgument size < 1, or more rows in all than an Index counts; mu, lift, radius, rolling,
  /// spinning or cohesion < 0 or not finite; rolling, spinning, cohesion, mu_2 or a unit other than 1 on a kind without
  /// them, a unit <= 0, not finite or of several rows; mu_2 = 0 beside mu > 0 or the reverse; lower > upper, NaN; a
  /// Coulomb block of the wrong size, a Rolling block of other than 3 to 6 rows, a Drucker-Prager or von Mises block of
  /// one row.
  void push_back(const BlockSet& set, Index size);
  void clear() noexcept;
  void reserve(Index blocks);  ///< @throws InvalidArgument blocks < 0 or above 2^40

  [[nodiscard]] Index num_blocks() const noexcept { return static_cast<Index>(sets_.size()); }
  [[nodiscard]] Index num_rows() const noexcept { return offsets_.empty() ? 0 : offsets_.back(); }
  [[nodiscard]] Index offset(Index block) const noexcept { return offsets_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] Index size(Index block) const noexcept { return offset(block + 1) - offset(block); }
  [[nodiscard]] const BlockSet& operator[](Index block) const noexcept {
    return sets_[static_cast<std::size_t>(block)];
  }

  /// True if every block is of this kind (true for an empty product).
  [[nodiscard]] bool all(SetKind kind) const noexcept { return count(kind) == num_blocks(); }
  [[nodiscard]] Index count(SetKind kind) const noexcept { return counts_[static_cast<std::size_t>(kind)]; }
  /// True if every block is canonical (see BlockSet). O(1).
  [[nodiscard]] bool is_canonical() const noexcept { return num_other_ == 0; }

 private:
  std::vector<BlockSet> sets_;
  std::vector<Index> offsets_ = {0};
  Index counts_[9] = {};
  Index num_other_ = 0;  // blocks that are not canonical
};

}  // namespace nonsmooth
