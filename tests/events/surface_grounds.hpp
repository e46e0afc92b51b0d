// SPDX-License-Identifier: Apache-2.0
// Triangle meshes and height fields of the ground, for tests of what touches them by events.
#pragma once

#include <array>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::surface_grounds {

using Eigen::Vector3d;

/// Flat, of 6 by 6 squares of 0.4 m cut in two, about the origin, in the plane of x and y turned by `turn`.
inline TriangleMesh flat(const Eigen::Matrix3d& turn = Eigen::Matrix3d::Identity()) {
  constexpr Index n = 6;
  std::vector<Vector3d> corners;
  std::vector<std::array<Index, 3>> triangles;
  for (Index i = 0; i <= n; ++i) {
    for (Index j = 0; j <= n; ++j)
      corners.emplace_back(turn * Vector3d(0.4 * static_cast<double>(i) - 1.2, 0.4 * static_cast<double>(j) - 1.2, 0));
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const Index a = i * (n + 1) + j, b = a + n + 1;
      triangles.push_back({a, b, b + 1});
      triangles.push_back({a, b + 1, a + 1});
    }
  }
  return {corners, triangles};
}
/// A ridge along y in x = z = 0, slopes of 45 degrees down to x = +-1.
inline TriangleMesh roof() {
  return {
      {{-1.0, -1.0, -1.0}, {0.0, -1.0, 0.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {0.0, 1.0, 0.0}, {1.0, 1.0, -1.0}},
      {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}}};
}
/// A valley along y in x = z = 0, slopes of 45 degrees up to x = +-1.
inline TriangleMesh valley() {
  return {{{-1.0, -1.0, 1.0}, {0.0, -1.0, 0.0}, {1.0, -1.0, 1.0}, {-1.0, 1.0, 1.0}, {0.0, 1.0, 0.0}, {1.0, 1.0, 1.0}},
          {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}}};
}
/// Of 2 m by 2 m about the origin, with flat parts, slopes, ridges and valleys along y.
inline ShapeOnBody hills() {
  return {.shape = HeightField(
              Eigen::MatrixXd{
                  {0.5, 0.5, 0.5}, {0.0, 0.0, 0.0}, {0.6, 0.6, 0.6}, {0.6, 0.6, 0.6}, {0.2, 0.2, 0.2}, {1.0, 1.0, 1.0}},
              {0.4, 1.0}),
          .position = {-1.0, -1.0, -0.5}};
}
/// Of 2 m by 2 m about the origin, four triangles up to a peak in the origin.
inline ShapeOnBody peak() {
  return {.shape = HeightField(Eigen::MatrixXd{{-0.8, -0.6, -0.7}, {-0.7, 0.0, -0.8}, {-0.9, -0.6, -0.8}}, {1.0, 1.0}),
          .position = {-1.0, -1.0, 0.0}};
}

/// A shape on the ground, its contacts linked.
struct Scene {
  NonSmoothDynamicalSystem model{};
  SystemHandle body;
  std::vector<LinkedContact> contacts;

  Scene(const RigidBody& moving, const Shape& shape, const ShapeOnBody& ground, const Law& law)
      : body(model.add(moving)),
        contacts(link_contacts(model, BodyContacts({{body, {{.shape = shape}}}}, {ground}, law))) {}
  [[nodiscard]] double load(const State& state) const {
    double sum = 0.0;
    for (const LinkedContact& contact : contacts) sum += state.force(contact.interaction)[0];
    return sum;
  }
};

/// The nearest that a source of one body in space finds.
struct Found {
  double gap = 1e9;
  Vector3d normal = Vector3d::Zero();
};
inline Found nearest_found(State state, const BodyContacts& source) {
  state.unknowns.setOnes();
  Found nearest;
  for (const ContactBatch& batch : contacts_at(state, source, 5.0)) {
    for (Index c = 0; c < batch.size(); ++c) {
      const double gap = batch.contacts[static_cast<std::size_t>(c)].gap, *const n = batch.H_first(c);
      if (gap < nearest.gap) nearest = {gap, {n[0], n[1], n[2]}};
    }
  }
  return nearest;
}

}  // namespace nonsmooth::surface_grounds
