// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nonsmooth/kernel/contact_materials.hpp>
#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/floor_profile.hpp>

namespace nonsmooth {

/// Contacts between disks of the plane, each a body with coordinates (x, y, angle), and with a floor.
///
/// Gaps are exact distances: |c_j - c_i| - r_i - r_j, and the distance of a centre to the closest point of the floor
/// minus the radius (Newton on (s - x) + (height - y) slope = 0 from s = x). Pairs are found on grids, one a
/// class of radii. Cost: O(disks + pairs). All contacts share one law, or their materials choose it: any that contacts
/// found anew can have, of one row (N), two (N, T), or three where it is one of rolling friction (N, T, R), R the
/// relative angular velocity. Laws of different rows may stand side by side. Without disks it finds nothing, as a
/// BodyContacts.
class DiskContacts final : public ContactSource {
 public:
  /// @throws InvalidArgument: sizes that differ, a radius that is not positive, a floor without derivatives, a law with
  /// parameters out of range or of other rows.
  DiskContacts(std::vector<SystemHandle> disks, std::vector<double> radii, const Law& law, FloorProfile floor = {});
  /// The law of a contact is laws[pairs.law(...)] of the materials that touch. `materials`: one a disk.
  /// @throws InvalidArgument likewise; a material or a law that is not there.
  DiskContacts(std::vector<SystemHandle> disks, std::vector<double> radii, std::vector<Law> laws,
               ContactMaterials pairs, std::vector<Index> materials, FloorProfile floor = {});

  [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return disks_; }
  [[nodiscard]] const std::vector<Law>& laws() const override { return laws_; }
  [[nodiscard]] BodySize body_size() const override { return {3, 3}; }
  [[nodiscard]] std::array<Index, 2> materials_of(const DetectedContact& contact) const override;
  /// A floor that moves by itself.
  [[nodiscard]] bool depends_on_time() const override { return static_cast<bool>(floor_.surface_velocity); }
  /// Disks are the same where their bodies are; pairs whose disks changed their order begin anew.
  [[nodiscard]] std::vector<std::optional<std::uint64_t>> features_after(
      const ContactSource& before, std::span<const std::uint64_t> features) const override;
  void detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
              ContactBatches& found) const override;
  [[nodiscard]] std::vector<Interaction> pairs(const NonSmoothDynamicalSystem& model) const override;
  [[nodiscard]] std::vector<DrawnShape> drawn_shapes() const override;
  [[nodiscard]] double passage_depth(const BodyView& bodies, double horizon) const override;
  /// The laws of pairs of materials.
  [[nodiscard]] const ContactMaterials& material_pairs() const { return pairs_; }

 private:
  using BatchesByRows = std::array<ContactBatch*, 4>;
  void require_laws() const;
  void add_floor_contact(Index disk, const double* q, double t, double reach, const BatchesByRows& batches) const;

  std::vector<SystemHandle> disks_;
  std::vector<double> radii_;
  std::vector<Law> laws_;
  std::vector<std::size_t> rows_;  ///< by law
  ContactMaterials pairs_;
  std::vector<Index> materials_;  ///< by disk
  FloorProfile floor_;
  double largest_radius_ = 0.0;
};

}  // namespace nonsmooth
