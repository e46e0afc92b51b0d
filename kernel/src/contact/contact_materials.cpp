// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/contact_materials.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

constexpr Index kMostMaterials = 1024;  ///< a table of 8 MB

}  // namespace

ContactMaterials::ContactMaterials(Index materials) : num_materials_(materials) {
  check::within("ContactMaterials: materials", materials, 1, kMostMaterials);
  laws_.assign(static_cast<std::size_t>(materials * materials), no_law);
}

ContactMaterials::ContactMaterials(Index materials, Index default_law) : ContactMaterials(materials) {
  check::at_least("ContactMaterials: default_law", default_law, 0);
  laws_.assign(laws_.size(), default_law);
}

ContactMaterials::ContactMaterials(std::vector<std::string> names)
    : num_materials_(static_cast<Index>(names.size())), names_(std::move(names)) {
  check::within("ContactMaterials: names", num_materials_, 1, kMostMaterials);
  for (auto name = names_.begin(); name != names_.end(); ++name) {
    if (name->empty()) throw InvalidArgument("ContactMaterials: names", "an empty one", "a name for each material");
    if (std::find(names_.begin(), name, *name) != name)
      throw InvalidArgument("ContactMaterials: names", *name + " twice", "each name once");
  }
  laws_.assign(static_cast<std::size_t>(num_materials_ * num_materials_), no_law);
}

ContactMaterials& ContactMaterials::set_law(Index first, Index second, Index law) {
  (void)this->law(first, second);
  check::at_least("ContactMaterials::set_law: law", law, 0);
  laws_[static_cast<std::size_t>(first * num_materials_ + second)] = law;
  laws_[static_cast<std::size_t>(second * num_materials_ + first)] = law;
  return *this;
}

std::string ContactMaterials::name(Index material) const {
  (void)law(material, material);
  return names_.empty() ? "material " + std::to_string(material) : names_[static_cast<std::size_t>(material)];
}

Index ContactMaterials::largest_law() const { return *std::max_element(laws_.begin(), laws_.end()); }

void ContactMaterials::refuse(Index first, Index second) const {
  throw InvalidArgument("ContactMaterials: material", std::to_string(first) + " and " + std::to_string(second),
                        "0 to " + std::to_string(num_materials_ - 1));
}

}  // namespace nonsmooth
