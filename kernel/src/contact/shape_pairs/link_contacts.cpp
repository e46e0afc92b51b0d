// SPDX-License-Identifier: Apache-2.0
// Contacts of sources as interactions: all pairs that may ever touch.
#include <nonsmooth/kernel/link_contacts.hpp>

#include <algorithm>
#include <utility>

#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>

#include "contact_pairs.hpp"

namespace nonsmooth {

std::vector<Interaction> DiskContacts::pairs(const NonSmoothDynamicalSystem& model) const {
  shape_pairs::ContactPairs made(model, *this);
  const auto count = static_cast<Index>(disks_.size());
  const auto disk = [&](Index i) { return DiskOnBody{.radius = radii_[static_cast<std::size_t>(i)]}; };
  const auto material = [&](Index i) { return materials_[static_cast<std::size_t>(i)]; };
  const auto rows_of = [&](Index law) { return static_cast<Index>(rows_[static_cast<std::size_t>(law)]); };
  for (Index i = 0; i < count; ++i) {
    if (floor_.height) {
      const Index law = pairs_.law(material(i), floor_.material);
      made.begin({{ShapePlace{i, 0}, ShapePlace{}}, {material(i), floor_.material}});
      made.add(i, -1, DiskOnFloor{disk(i), floor_, rows_of(law)}, law, "floor");
    }
    for (Index j = i + 1; j < count; ++j) {
      const Index law = pairs_.law(material(i), material(j));
      made.begin({{ShapePlace{i, 0}, ShapePlace{j, 0}}, {material(i), material(j)}});
      made.add(i, j, DiskPair{disk(i), disk(j), rows_of(law)}, law, "contact");
    }
  }
  return made.take();
}

std::vector<LinkedContact> link_contacts(NonSmoothDynamicalSystem& model, const ContactSource& source) {
  const std::vector<SystemHandle>& bodies = source.bodies();
  const auto number_of = [&](SystemHandle body) {
    return static_cast<Index>(std::find(bodies.begin(), bodies.end(), body) - bodies.begin());
  };
  std::vector<LinkedContact> linked;
  try {
    for (Interaction& pair : source.pairs(model)) {
      LinkedContact contact;
      contact.first = number_of(pair.systems.front());
      if (pair.systems.size() > 1) contact.second = number_of(pair.systems.back());
      contact.interaction = model.add(std::move(pair));
      linked.push_back(contact);
    }
  } catch (...) {
    for (const LinkedContact& contact : linked) model.remove(contact.interaction);
    throw;
  }
  return linked;
}

}  // namespace nonsmooth
