// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nonsmooth/io/run_file.hpp>

namespace nonsmooth {

struct ParaviewOptions {
  Index frames = 1000;   ///< at most, >= 2; evenly over time, the first and the last step among them
  bool contacts = true;  ///< contacts and their network too, which take most of the room
  bool doubles = false;  ///< numbers of 8 bytes, with all their bits; false: of 4, to 6e-8 of each
  /// 0 (none) to 9, of zlib; at 1 what would shrink by less than a fifth is stored as it is, which 2 and more shrink
  int compression = 1;

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// What became of a folder.
struct ParaviewReport {
  Index frames = 0, steps = 0;  ///< written, of so many recorded
  Index bodies = 0;             ///< that are drawn in some part of the run
  Index most_contacts = 0;      ///< in a frame
  Index files = 0;
  std::uintmax_t bytes = 0;
  std::string left_out{};  ///< in words; empty: nothing
};

/// Writes a run as a folder for ParaView 5.11 or later (and what else reads VTK's XML files), which must not exist or
/// be empty, and appears under its name when it is complete:
///
/// - bodies.pvd: a point each at its centre: number (`body`) and `name`, `orientation` (w, x, y, z), `velocity`, its
///   length `speed`, `angular_velocity` in the axes of space, `size` (no point of its shapes is farther away), how many
///   `contacts` it has and the sum of their forces, `contact_force`;
/// - shapes.vtp: all shapes once, in the axes of their bodies, `body` telling whose; ground.vtp: those of the ground;
/// - contacts.pvd: a point each where it touches: `force` on the first body, its parts `normal_force` (positive where
///   it presses) and `tangential_force`, `normal`, `gap`, `first` and `second` body (-1: the ground, -2: a system that
///   is not drawn); of event-driven runs `impulse` too;
/// - network.pvd: of each contact with a force a line between the bodies' centres, ending on the ground where it
///   touches, with the same numbers and `force_norm`;
/// - values.pvd: of systems that are not drawn (circuits, lumped ones) a line of points, the entry to the right:
///   `q`, `v`, `x` of first order, NaN where there is none;
/// - NAME.pvd of each mesh that the run keeps (keep_mesh(), field_mesh.hpp): its nodes where they are, its cells, and
/// of
///   each node `q` and `v`, of first order `x`; two numbers are a vector in the plane;
/// - scene.py: makes ParaView show all this, the shapes in their places; for File > Load State, or pvpython.
///
/// What a run has nothing of has no file. Each frame's file has the columns of its step as field data. The plane is
/// z = 0; units are those of the run. Of several steps at one time, as event-driven runs have, the last is taken, as
/// ParaView knows one data set a time.
/// @throws InvalidArgument: an option; a run without steps, or whose model has no numbers; FileError naming the folder
/// or file: it exists, cannot be made or written to the end (nothing is left of it then); what reading throws.
ParaviewReport write_paraview(const RunFile& run, const std::filesystem::path& folder,
                              const ParaviewOptions& options = {});

}  // namespace nonsmooth
