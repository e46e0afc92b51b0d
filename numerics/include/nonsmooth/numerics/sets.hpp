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
  DruckerPrager,    ///< K = {|r_T| <= mu r_0}, û = u + dilation |u_T| e_0: plastic flow; any n >= 2
  VonMises,         ///< K = {|r_T| <= radius}, r_0 of any sign, û = u; any n >= 2
};

/// One block's set. Bounds serve boxes only, mu serves cones only, radius von Mises only.
struct BlockSet {
  SetKind kind = SetKind::Orthant;
  double mu = 0.0;                                          ///< aperture, >= 0 [-]
  double dilation = 0.0;                                    ///< DruckerPrager: 0 associated flow, mu none; >= 0 [-]
  double radius = 0.0;                                      ///< VonMises, >= 0 [unit of r]
  double lower = -std::numeric_limits<double>::infinity();  ///< may be -inf; <= upper
  double upper = std::numeric_limits<double>::infinity();   ///< may be +inf

  friend bool operator==(const BlockSet&, const BlockSet&) = default;
};

/// P_K(z), in place. Exact up to round-off; cost O(n), no branch on data beyond the set's own cases.
void project(const BlockSet& set, VectorRef z);
/// The same on n entries behind a pointer, for inner loops.
void project(const BlockSet& set, double* z, Index n) noexcept;

/// The factor g of û = u + g |u_T| e_0: mu for Coulomb, dilation for Drucker-Prager, 0 for the other kinds.
[[nodiscard]] constexpr double dilatancy(const BlockSet& set) noexcept {
  switch (set.kind) {
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
      return set.mu;
    case SetKind::DruckerPrager:
      return set.dilation;
    case SetKind::Free:
    case SetKind::Orthant:
    case SetKind::Box:
    case SetKind::SecondOrderCone:
    case SetKind::VonMises:
      break;
  }
  return 0.0;
}

/// û from u: adds dilatancy(set) |u_T| to row 0.
void modify_velocity(const BlockSet& set, VectorRef u);

/// e = (r - P_K(r - rho û)) / rho into `error`; for a Free block, and row 0 of a von Mises block, e = u. rho > 0.
/// Where the projection returns its argument or the apex, e is u or r / rho without the round-off of the difference.
void natural_error(const BlockSet& set, double rho, ConstVectorRef r, ConstVectorRef u, VectorRef error);
/// The same on n entries behind pointers; error overlaps neither r nor u.
void natural_error(const BlockSet& set, double rho, const double* r, const double* u, double* error, Index n) noexcept;

/// A product of blocks K_0 x K_1 x ...: block i owns rows offset(i) .. offset(i+1) - 1.
class ProductSet {
 public:
  ProductSet() = default;

  /// @throws InvalidArgument size < 1, mu, dilation or radius < 0 or not finite, lower > upper, NaN, a Coulomb block of
  /// the wrong size, a Drucker-Prager or von Mises block of one row.
  void push_back(const BlockSet& set, Index size);
  void clear() noexcept;
  void reserve(Index blocks);

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

 private:
  std::vector<BlockSet> sets_;
  std::vector<Index> offsets_ = {0};
  Index counts_[8] = {};
};

}  // namespace nonsmooth
