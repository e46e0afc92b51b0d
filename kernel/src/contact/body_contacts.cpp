// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/body_contacts.hpp>

#include <utility>

#include "contact/contact_rows.hpp"
#include "space/in_space.hpp"

namespace nonsmooth {
namespace {

/// What is wrong with a law of so many rows for contacts in space; nullptr: nothing.
const char* refused_in_space(Index rows, bool rolling) {
  if (rows == 1 || (rolling ? rows >= 4 : rows == contact_rows::kSlidingRows)) return nullptr;
  return "one of 1 row (N), of 3 (N, T1, T2), or of 4 to 6 with rolling friction";
}

}  // namespace

BodyContacts::BodyContacts(const std::vector<BodyShapes>& bodies, const std::vector<ShapeOnBody>& ground,
                           const Law& law)
    : BodyContacts(bodies, ground, std::vector<Law>{law}, ContactMaterials{}) {}

BodyContacts::BodyContacts(const std::vector<BodyShapes>& bodies, const std::vector<ShapeOnBody>& ground,
                           std::vector<Law> laws, ContactMaterials pairs)
    : ShapeContactsOf("BodyContacts", std::move(laws), std::move(pairs), refused_in_space),
      shapes_(take_shapes<InSpace>(bodies, ground)) {}

void BodyContacts::detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
                          ContactBatches& found) const {
  ShapeSearch<InSpace>(*this, *shapes_, bodies, horizon, scratch, found).run();
}

double BodyContacts::passage_depth(const BodyView& bodies, double horizon) const {
  return shapes_->passage_depth(bodies, horizon);
}

}  // namespace nonsmooth
