// SPDX-License-Identifier: Apache-2.0
#include "frame_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace nonsmooth::paraview {
namespace {

constexpr Index kGround = -1, kNotDrawn = -2;

void append(std::vector<double>& values, const Eigen::Vector3d& vector) {
  values.insert(values.end(), vector.begin(), vector.end());
}

/// Finite, as a float too.
bool is_drawn(const Eigen::Vector3d& vector) {
  return vector.cwiseAbs().maxCoeff() <= static_cast<double>(std::numeric_limits<float>::max());
}

std::vector<std::int32_t> as_int32(const std::vector<Index>& numbers) {
  std::vector<std::int32_t> narrow;
  narrow.reserve(numbers.size());
  for (const Index number : numbers) narrow.push_back(static_cast<std::int32_t>(number));
  return narrow;
}

/// Forces of contacts, taken apart.
struct Parts {
  std::vector<double> normal, tangential, gap;
  void add(const ActingContact& contact) {
    const double pressing = contact.force.dot(contact.normal);
    normal.push_back(pressing);
    tangential.push_back((contact.force - pressing * contact.normal).norm());
    gap.push_back(contact.gap);
  }
  void append_to(std::vector<VtkArray>& arrays, const VtkEncoder& encoder) const {
    arrays.push_back(encoder.numbers("normal_force", 1, normal));
    arrays.push_back(encoder.numbers("tangential_force", 1, tangential));
    arrays.push_back(encoder.numbers("gap", 1, gap));
  }
};

}  // namespace

FrameBodies bodies_at(const RunFile& run, const scene::PageBodies& bodies, Index step) {
  const auto part = static_cast<std::size_t>(run.part_of(step));
  const Eigen::VectorXd q = run.positions(step), z = run.unknowns(step);
  FrameBodies frame;
  frame.row_of.assign(bodies.names.size(), -1);
  const std::vector<RunSystem>& systems = run.parts()[part].systems;
  for (std::size_t s = 0; s < systems.size(); ++s) {
    const Index body = bodies.of_system[part][s];
    if (body < 0) continue;
    const scene::Placement place = scene::placement_of(q.data() + systems[s].q, systems[s].nq);
    const Eigen::Vector3d position = Eigen::Vector3d::Map(place.position.data());
    const Eigen::Vector4d turn = Eigen::Vector4d::Map(place.turn.data());
    const auto [velocity, angular] = scene::motion_of(z.data() + systems[s].z, systems[s].n, systems[s].nq, place);
    if (!is_drawn(position) || !turn.allFinite() || !is_drawn(velocity) || !is_drawn(angular)) {
      ++frame.not_finite;
      continue;
    }
    frame.row_of[static_cast<std::size_t>(body)] = static_cast<Index>(frame.numbers.size());
    frame.numbers.push_back(body);
    append(frame.positions, position);
    frame.orientations.insert(frame.orientations.end(), turn.begin(), turn.end());
    append(frame.velocities, velocity);
    frame.speeds.push_back(velocity.norm());
    append(frame.angular_velocities, angular);
  }
  return frame;
}

FrameContacts contacts_at(const RunFile& run, const scene::PageBodies& bodies, Index step) {
  const std::vector<Index>& numbers = bodies.of_system[static_cast<std::size_t>(run.part_of(step))];
  const auto body_of = [&](Index system) {
    if (system < 0) return kGround;
    const Index body = numbers[static_cast<std::size_t>(system)];
    return body < 0 ? kNotDrawn : body;
  };
  FrameContacts frame;
  for (ActingContact& contact : run.contacts(step)) {
    if (!is_drawn(contact.point) || !is_drawn(contact.force) || !is_drawn(contact.normal) ||
        !is_drawn(contact.impulse)) {
      ++frame.not_finite;
      continue;
    }
    contact.first = body_of(contact.first);
    contact.second = body_of(contact.second);
    frame.contacts.push_back(contact);
  }
  return frame;
}

PolyData FrameWriter::bodies(const FrameBodies& frame, const FrameContacts& contacts) {
  if (last_arrays_.empty() || frame.numbers != last_numbers_) {
    std::vector<std::string> names;
    std::vector<double> sizes;
    for (const Index body : frame.numbers) {
      names.push_back(bodies_.names[static_cast<std::size_t>(body)]);
      sizes.push_back(bodies_.sizes[static_cast<std::size_t>(body)]);
    }
    last_numbers_ = frame.numbers;
    last_arrays_ = {encoder_.integers("body", as_int32(frame.numbers)), encoder_.texts("name", names),
                    encoder_.numbers("size", 1, sizes)};
    last_vertices_ = vtk_cells_in_order(encoder_, 1, static_cast<Index>(frame.numbers.size()));
  }
  std::vector<std::int32_t> counts(frame.numbers.size(), 0);
  std::vector<double> forces(3 * frame.numbers.size(), 0.0);
  const auto act = [&](Index body, const Eigen::Vector3d& force) {
    const Index row = body < 0 ? -1 : frame.row_of[static_cast<std::size_t>(body)];
    if (row < 0) return;
    ++counts[static_cast<std::size_t>(row)];
    Eigen::Vector3d::Map(forces.data() + 3 * row) += force;
  };
  for (const ActingContact& contact : contacts.contacts) {
    act(contact.first, contact.force);
    act(contact.second, -contact.force);
  }
  PolyData data{.num_points = static_cast<Index>(frame.numbers.size()),
                .points = encoder_.numbers("Points", 3, frame.positions),
                .vertices = last_vertices_,
                .point_data = last_arrays_};
  data.point_data.push_back(encoder_.numbers("orientation", 4, frame.orientations));
  data.point_data.push_back(encoder_.numbers("velocity", 3, frame.velocities));
  data.point_data.push_back(encoder_.numbers("speed", 1, frame.speeds));
  data.point_data.push_back(encoder_.numbers("angular_velocity", 3, frame.angular_velocities));
  data.point_data.push_back(encoder_.integers("contacts", counts));
  data.point_data.push_back(encoder_.numbers("contact_force", 3, forces));
  return data;
}

PolyData FrameWriter::contacts(const FrameContacts& frame, bool impulses) const {
  std::vector<double> points, forces, normals, impacts;
  std::vector<Index> first, second;
  Parts parts;
  for (const ActingContact& contact : frame.contacts) {
    append(points, contact.point);
    append(forces, contact.force);
    append(normals, contact.normal);
    if (impulses) append(impacts, contact.impulse);
    parts.add(contact);
    first.push_back(contact.first);
    second.push_back(contact.second);
  }
  const auto count = static_cast<Index>(frame.contacts.size());
  PolyData data{.num_points = count,
                .points = encoder_.numbers("Points", 3, points),
                .vertices = vtk_cells_in_order(encoder_, 1, count)};
  data.point_data = {encoder_.numbers("force", 3, forces), encoder_.numbers("normal", 3, normals),
                     encoder_.integers("first", as_int32(first)), encoder_.integers("second", as_int32(second))};
  parts.append_to(data.point_data, encoder_);
  if (impulses) data.point_data.push_back(encoder_.numbers("impulse", 3, impacts));
  return data;
}

PolyData FrameWriter::network(const FrameBodies& frame, const FrameContacts& contacts) const {
  std::vector<double> points, norms;
  std::vector<Index> first, second;
  Parts parts;
  const auto end_of = [&](Index body, const Eigen::Vector3d& point) {
    const Index row = body < 0 ? -1 : frame.row_of[static_cast<std::size_t>(body)];
    return row < 0 ? point : frame.position(row);
  };
  for (const ActingContact& contact : contacts.contacts) {
    if (!(contact.force.squaredNorm() > 0.0)) continue;
    append(points, end_of(contact.first, contact.point));
    append(points, end_of(contact.second, contact.point));
    norms.insert(norms.end(), 2, contact.force.norm());  // of points, from which tubes take their width
    parts.add(contact);
    first.push_back(contact.first);
    second.push_back(contact.second);
  }
  const auto count = static_cast<Index>(first.size());
  PolyData data{
      .num_points = 2 * count,
      .points = encoder_.numbers("Points", 3, points),
      .lines = vtk_cells_in_order(encoder_, 2, count),
      .point_data = {encoder_.numbers("force_norm", 1, norms)},
      .cell_data = {encoder_.integers("first", as_int32(first)), encoder_.integers("second", as_int32(second))}};
  parts.append_to(data.cell_data, encoder_);
  return data;
}

std::vector<Index> undrawn_systems(const RunFile& run, const scene::PageBodies& bodies, Index part) {
  std::vector<Index> undrawn;
  const RunPart& of_run = run.parts()[static_cast<std::size_t>(part)];
  for (std::size_t s = 0; s < of_run.systems.size(); ++s) {
    const RunSystem& system = of_run.systems[s];
    if (bodies.of_system[static_cast<std::size_t>(part)][s] < 0 && std::max(system.nq, system.n) > 0)
      undrawn.push_back(static_cast<Index>(s));
  }
  return undrawn;
}

PolyData values_at(const RunFile& run, const std::vector<Index>& systems, Index step, const VtkEncoder& encoder) {
  const RunPart& part = run.parts()[static_cast<std::size_t>(run.part_of(step))];
  const Eigen::VectorXd q = run.positions(step), z = run.unknowns(step);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> points, positions, velocities, states;
  std::vector<std::int32_t> system_numbers, entries, vertices, lines;
  std::vector<std::string> names;
  for (std::size_t place = 0; place < systems.size(); ++place) {
    const auto s = static_cast<std::size_t>(systems[place]);
    const RunSystem& system = part.systems[s];
    const Index count = std::max(system.nq, system.n);
    for (Index k = 0; k < count; ++k) {
      const auto here = static_cast<std::int32_t>(names.size());
      append(points, {static_cast<double>(k), static_cast<double>(place), 0.0});
      positions.push_back(k < system.nq ? q[system.q + k] : none);
      velocities.push_back(!system.first_order && k < system.n ? z[system.z + k] : none);
      states.push_back(system.first_order && k < system.n ? z[system.z + k] : none);
      system_numbers.push_back(static_cast<std::int32_t>(s));
      entries.push_back(static_cast<std::int32_t>(k + 1));
      names.push_back(system.name.empty() ? "system " + std::to_string(s) : system.name);
      vertices.push_back(here);
      if (k > 0) lines.insert(lines.end(), {here - 1, here});
    }
  }
  PolyData data{.num_points = static_cast<Index>(names.size()),
                .points = encoder.numbers("Points", 3, points),
                .vertices = vtk_cells(encoder, 1, vertices),
                .lines = vtk_cells(encoder, 2, lines)};
  data.point_data = {encoder.numbers("q", 1, positions), encoder.numbers("v", 1, velocities),
                     encoder.numbers("x", 1, states),    encoder.integers("system", system_numbers),
                     encoder.integers("entry", entries), encoder.texts("name", names)};
  return data;
}

}  // namespace nonsmooth::paraview
