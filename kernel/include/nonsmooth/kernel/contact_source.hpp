// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <nonsmooth/kernel/handles.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

class State;

/// One planar contact between two bodies of three coordinates (x, y, angle), or a body and the ground.
/// u = (u_N, u_T) = H_first v_first + H_second v_second; rows (N, T), both stored row by row.
struct PlanarContact {
  std::uint64_t feature = 0;  ///< identity over time (which pair, which corner): warm start goes by it
  Index first = 0;            ///< position of the body in the source's list of bodies
  Index second = -1;          ///< the other body, -1: the ground
  double gap = 0.0;           ///< >= 0 is admissible [m]
  double restitution = 0.0;   ///< e in [0, 1]
  double friction = 0.0;      ///< mu >= 0
  std::array<double, 6> H_first{}, H_second{};
};

/// Finds contacts between bodies at the configuration of a state, each step anew: they are no model interactions.
/// detect() must depend on its arguments alone and append contacts sorted by feature.
class ContactSource {
 public:
  virtual ~ContactSource() = default;
  ContactSource() = default;
  ContactSource(const ContactSource&) = default;
  ContactSource& operator=(const ContactSource&) = default;

  /// The bodies that contacts refer to by position in this list; each has three coordinates.
  [[nodiscard]] virtual const std::vector<SystemHandle>& bodies() const = 0;

  /// Appends to `contacts` every pair whose gap may close within `horizon` seconds.
  /// q and v hold the bodies' coordinates, 3 a body, in the order of bodies(); `scratch` is kept between calls.
  virtual void detect(ConstVectorRef q, ConstVectorRef v, double horizon, std::vector<Index>& scratch,
                      std::vector<PlanarContact>& contacts) const = 0;
};

}  // namespace nonsmooth
