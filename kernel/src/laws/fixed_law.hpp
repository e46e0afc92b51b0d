// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/kernel/nonsmooth_law.hpp>
#include <nonsmooth/numerics/error.hpp>

/// What the built-in laws share.
namespace nonsmooth::laws {

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// All there is to a law that never varies.
struct Fixed {
  LawShape shape{};
  LawBlock block{};
};

/// A law that never varies, from its description and the function that checks it and says what it is.
template <class Description>
class FixedLaw : public NonSmoothLaw {
 public:
  using Reading = Fixed (*)(const Description&, LawUse);
  FixedLaw(Description description, Reading read, const char* name)
      : description_(std::move(description)), read_(read), name_(name) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] LawShape shape(LawUse use) const override { return read_(description_, use).shape; }
  void block(const LawContext& context, LawBlock& block) const override {
    block = read_(description_, context.use).block;
  }

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
