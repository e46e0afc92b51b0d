// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/planar_contacts.hpp>

#include <utility>

#include "planar/in_plane.hpp"

namespace nonsmooth {

PlanarContacts::PlanarContacts(const std::vector<PlanarBodyShapes>& bodies,
                               const std::vector<PlanarShapeOnBody>& ground, const Law& law)
    : PlanarContacts(bodies, ground, std::vector<Law>{law}, ContactMaterials{}) {}

PlanarContacts::PlanarContacts(const std::vector<PlanarBodyShapes>& bodies,
                               const std::vector<PlanarShapeOnBody>& ground, std::vector<Law> laws,
                               ContactMaterials pairs)
    : ShapeContactsOf("PlanarContacts", std::move(laws), std::move(pairs), planar::refused_law),
      shapes_(take_shapes<InPlane>(bodies, ground)) {}

void PlanarContacts::detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
                            ContactBatches& found) const {
  ShapeSearch<InPlane>(*this, *shapes_, bodies, horizon, scratch, found).run();
}

double PlanarContacts::passage_depth(const BodyView& bodies, double horizon) const {
  return shapes_->passage_depth(bodies, horizon);
}

}  // namespace nonsmooth
