// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/kernel/nonsmooth_law.hpp>
#include <nonsmooth/kernel/row_kinds.hpp>
#include <nonsmooth/numerics/error.hpp>

/// What the built-in laws share.
namespace nonsmooth::laws {

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// All there is to a law that never varies.
struct Fixed {
  LawShape shape{};
  LawBlock block{};
  std::vector<RowKinds> rows{};  ///< that it takes, by row of a block; empty: any
};

/// What a unilateral law takes, by which a row has one direction.
inline constexpr RowKinds kOneSided{RowKind::Gap, RowKind::Coordinate, RowKind::Rate};
/// What has no row of any other.
inline constexpr RowKinds kNoFriction = RowKinds::all_but(RowKind::Rubbing);

/// The rows of a contact with friction: what has a gap, and size - 1 of slip.
inline std::vector<RowKinds> contact_rows(Index size) {
  std::vector<RowKinds> rows(static_cast<std::size_t>(size), RowKinds{RowKind::Slip});
  rows[0] = kOneSided;
  return rows;
}

/// A law that never varies, from its description and the function that checks it and says what it is.
template <class Description>
class FixedLaw : public NonSmoothLaw, public LawOfRows {
 public:
  using Reading = Fixed (*)(const Description&, LawUse);
  FixedLaw(Description description, Reading read, const char* name)
      : description_(std::move(description)), read_(read), name_(name) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] LawShape shape(LawUse use) const override { return read_(description_, use).shape; }
  void block(const LawContext& context, LawBlock& block) const override {
    block = read_(description_, context.use).block;
  }
  [[nodiscard]] std::vector<RowKinds> row_kinds(LawUse use) const override { return read_(description_, use).rows; }

 private:
  Description description_;
  Reading read_;
  const char* name_;
};

template <class Description>
std::shared_ptr<const NonSmoothLaw> fixed_law(const Description& description,
                                              std::type_identity_t<typename FixedLaw<Description>::Reading> read,
                                              const char* name) {
  return std::make_shared<const FixedLaw<Description>>(description, read, name);
}

inline BlockSet set_of(SetKind kind) {
  BlockSet set;
  set.kind = kind;
  return set;
}

inline BlockSet box(double lower, double upper) {
  BlockSet set = set_of(SetKind::Box);
  set.lower = lower;
  set.upper = upper;
  return set;
}

inline void at_least_zero(const char* argument, double value) {
  check::range(argument, value, 0.0, std::numeric_limits<double>::max());
}

/// Coulomb's cone of a law's parameters. @throws InvalidArgument where they are none.
inline BlockSet coulomb(const char* argument, double friction, Index dimension, const char* dimension_argument) {
  at_least_zero(argument, friction);
  if (dimension != 2 && dimension != 3)
    throw InvalidArgument(dimension_argument, std::to_string(dimension), "2 (rows N, T) or 3 (rows N, T1, T2)");
  BlockSet set = set_of(dimension == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D);
  set.mu = friction;
  return set;
}

/// @throws InvalidArgument where a law of forces and displacements is linked to a first-order relation.
inline void require_mechanics(LawUse use) {
  if (use.first_order) {
    throw InvalidArgument("law", "a law of forces and displacements on a first-order relation",
                          "a mechanical relation, or ComplementarityLaw, RelayLaw, PiecewiseLinearLaw...");
  }
}

}  // namespace nonsmooth::laws
