// SPDX-License-Identifier: Apache-2.0
#include "source_laws.hpp"

#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/prepared_law.hpp"

namespace nonsmooth::describe {

std::vector<Index> rows_of_laws(const char* source, const std::vector<Law>& laws, const ContactMaterials& pairs,
                                const char* (*refused)(Index rows, bool rolling)) {
  check::at_least(source + std::string(": laws"), static_cast<Index>(laws.size()), pairs.largest_law() + 1);
  std::vector<Index> rows;
  for (const Law& law : laws) {
    const PreparedLaw own = prepare_law(law.pointer(), {});
    if (const char* const expected = refused(own.size, own.parts.front().set.kind == SetKind::Rolling)) {
      throw InvalidArgument(source + std::string(": law"),
                            own.law->name() + " of " + std::to_string(own.size) + " rows", expected);
    }
    rows.push_back(own.size);
  }
  return rows;
}

}  // namespace nonsmooth::describe
