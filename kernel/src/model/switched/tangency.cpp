// SPDX-License-Identifier: Apache-2.0
// The rate of a switching function as one more of them.
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "filippov.hpp"
#include "model/equations/differences.hpp"

namespace nonsmooth {

FilippovSystem with_tangency(FilippovSystem system, Index surface, const std::vector<int>& beside) {
  const auto fields = std::make_shared<const FilippovFields>(system);
  const Index p = fields->num_surfaces();
  check::within("with_tangency: surface", surface, 0, p - 1);
  if (!beside.empty()) check::size("with_tangency: beside", static_cast<Index>(beside.size()), p, "one sign a surface");
  Index pattern = 0;
  for (Index j = 0; j < p; ++j) {
    const int sign = beside.empty() ? 1 : beside[static_cast<std::size_t>(j)];
    if (sign != 1 && sign != -1 && j != surface)
      throw InvalidArgument("with_tangency: beside", std::to_string(sign), "1 or -1 of each other surface");
    if (sign == 1 && j != surface) pattern |= Index{1} << j;
  }
  const Index below = fields->region_of(pattern), above = fields->region_of(pattern | Index{1} << surface);
  system.switches.push_back(
      {.name = "rate of " + fields->surface_name(surface),
       .value = [fields, surface, below, above](double t, ConstVectorRef x) {
         constexpr double ever = std::numeric_limits<double>::infinity();
         differences::Scratch scratch(3 * x.size());
         auto normal = scratch.vector(x.size()), one = scratch.vector(x.size()), other = scratch.vector(x.size());
         fields->gradient(surface, t, x, normal);
         fields->field(below, t, x, one);
         fields->field(above, t, x, other);
         return 0.5 * (normal.dot(one) + normal.dot(other)) + fields->rate(surface, t, x, -ever, ever);
       }});
  for (FilippovRegion& region : system.regions) region.signs.push_back(0);
  return system;
}

}  // namespace nonsmooth
