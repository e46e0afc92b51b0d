// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/kernel/handles.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

class ContactSource;

/// Where each system and interaction of one revision of a model lies in the state's arrays. A state keeps the layout
/// it was made for; every change of a model takes a new revision number, copies keep theirs.
struct Layout {
  struct System {
    Index q = 0, nq = 0;  ///< first entry and number of entries in State::positions (nq = 0: first order)
    Index z = 0, n = 0;   ///< first entry and number of entries in State::unknowns (v, or x for first order)
    bool first_order = false;
    std::uint32_t slot = 0;
    std::string name;
  };
  struct Interaction {
    Index row = 0, rows = 0;  ///< in State::outputs, velocities and multipliers
    /// Rows behind these that the law's own unknowns take (faces of a polyhedron, segments of a graph).
    Index auxiliary = 0;
    Index memory = 0;  ///< first entry in State::law_memory, those of one block after those of the other
    bool first_order = false;
    std::uint32_t slot = 0;
    std::string name{};
  };
  /// A source of contacts of this revision: what its features name when a state goes over to a later one.
  struct Source {
    std::uint32_t number = 0;  ///< in SourceHandle
    std::shared_ptr<const ContactSource> source;
  };

  std::uint32_t model = 0;
  std::uint64_t revision = 0;
  std::uint64_t sources_linked_in = 0;  ///< the revision whose sources were linked, which made this one; 0: none
  std::vector<System> systems;
  std::vector<Interaction> interactions;
  std::vector<Source> sources;                                           ///< in the order of ContactMemory::source
  std::vector<Index> system_of_slot, interaction_of_slot;                ///< -1: removed
  std::vector<std::uint32_t> system_generation, interaction_generation;  ///< by slot
  Index num_positions = 0, num_unknowns = 0, num_rows = 0, num_memory = 0;

  /// @throws InvalidArgument for a handle of another model, or of a system (interaction) that was removed.
  [[nodiscard]] const System& at(SystemHandle handle) const;
  [[nodiscard]] const Interaction& at(InteractionHandle handle) const;
  [[nodiscard]] Index index(SystemHandle handle) const;
  [[nodiscard]] Index index(InteractionHandle handle) const;
};

}  // namespace nonsmooth
