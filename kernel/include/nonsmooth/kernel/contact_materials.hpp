// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// Which law two bodies in contact obey, by their materials: the number of a law in ContactSource::laws() for each pair
/// of materials, in either order.
///
///     ContactMaterials pairs({"steel", "rubber"});
///     pairs.set_law(0, 1, 0);                    // where steel may touch steel, that is refused
///
/// Pairs have no law but those that are set: a source whose shapes may touch without one is refused by the names of
/// both materials. A law for all the others is asked for:
///
///     ContactMaterials pairs(2, 0);              // 0: steel, 1: rubber; every pair obeys law 0 but for
///     pairs.set_law(0, 1, 1).set_law(1, 1, 2);   // steel on rubber, rubber on rubber
///
/// A source of one material and one law takes ContactMaterials{}.
class ContactMaterials {
 public:
  static constexpr Index no_law = -1;

  /// One material, 0, on itself by law 0.
  ContactMaterials() : ContactMaterials(1, 0) {}
  /// Materials 0 to `materials` - 1; pairs that are not set have no_law. @throws InvalidArgument: materials not in 1 to
  /// 1024.
  explicit ContactMaterials(Index materials);
  /// Pairs that are not set obey `default_law`. @throws InvalidArgument likewise; default_law < 0.
  ContactMaterials(Index materials, Index default_law);
  /// Material i is called names[i]; pairs that are not set have no_law.
  /// @throws InvalidArgument: no name or more than 1024, an empty one, one twice.
  explicit ContactMaterials(std::vector<std::string> names);

  /// Of both orders. @throws InvalidArgument: a material out of range, law < 0.
  ContactMaterials& set_law(Index first, Index second, Index law);
  /// no_law: none was set. @throws InvalidArgument: a material out of range.
  [[nodiscard]] Index law(Index first, Index second) const {
    if (first < 0 || first >= num_materials_ || second < 0 || second >= num_materials_) refuse(first, second);
    return laws_[static_cast<std::size_t>(first * num_materials_ + second)];
  }
  [[nodiscard]] Index num_materials() const noexcept { return num_materials_; }
  /// Its name, or "material 2". @throws InvalidArgument: a material out of range.
  [[nodiscard]] std::string name(Index material) const;
  [[nodiscard]] Index largest_law() const;

 private:
  [[noreturn]] void refuse(Index first, Index second) const;

  Index num_materials_;
  std::vector<std::string> names_{};  ///< empty: they have none
  std::vector<Index> laws_{};         ///< num_materials_^2, symmetric
};

}  // namespace nonsmooth
