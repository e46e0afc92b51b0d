// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>

#include "events/automata/automaton_part.hpp"
#include "events/filippov_part.hpp"
#include "events/first_order/first_order_part.hpp"
#include "events/mechanics/impact_map.hpp"
#include "events/mechanics/mechanical_part.hpp"
#include "events/variation.hpp"

namespace nonsmooth::events {

/// EventDriven::sensitivity(): a Variation of mechanics, one of first-order systems, one of each FilippovSystem, driven
/// by the loop.
class EventSensitivities {
 public:
  /// The parts have to live as long as this. @throws InvalidArgument: what has no derivative here, by its name.
  EventSensitivities(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options,
                     MechanicalPart& mechanics, FirstOrderPart& first_order, FilippovPart& filippov,
                     const AutomatonPart& automata);
  EventSensitivities(const EventSensitivities&) = delete;
  EventSensitivities& operator=(const EventSensitivities&) = delete;

  void begin();
  void along(const smooth::DensePolynomial& dense);
  /// At (t, z) before anything is resolved. `crossed`: guards of all parts; `first`: where the window of t began.
  void before(double t, const Eigen::VectorXd& z, const std::vector<Index>& crossed, double first);
  void after(double t, const Eigen::VectorXd& z);
  /// before() failed: nothing is known behind the instant.
  void lose();

  [[nodiscard]] Sensitivity of(SystemHandle system, SystemHandle by) const;
  [[nodiscard]] Eigen::VectorXd along(SystemHandle system, ConstVectorRef direction) const;
  [[nodiscard]] Eigen::VectorXd by_restitution(SystemHandle system, InteractionHandle contact) const;

 private:
  struct Place {
    std::size_t variation = 0;
    std::vector<Index> entries;  ///< in its own
  };
  [[nodiscard]] Place place_of(SystemHandle system) const;
  void add_mechanics();
  void add_first_order(const NonSmoothDynamicalSystem& model);
  void add_filippov(FilippovUnit& unit);
  void carry_over(double t, const Eigen::VectorXd& z);
  void after_filippov(double t, const Eigen::VectorXd& z, std::size_t variation);
  void after_mechanics(double t, const Eigen::VectorXd& z, Variation& variation);

  const Layout* layout_;
  MechanicalPart* mechanics_;
  FirstOrderPart* first_order_;
  FilippovPart* filippov_;
  double tolerance_, smallest_;
  std::vector<Variation> variations_;
  std::vector<std::function<Index()>> guards_;  ///< how many, by variation
  std::vector<FilippovUnit*> units_;            ///< by variation; null: of another part
  std::vector<std::vector<signed char>> signs_;
  std::vector<Eigen::VectorXd> rates_;  ///< of FilippovSystems before the instant, by variation
  bool has_mechanics_ = false;
  ImpactMap impact_;
  Eigen::VectorXd z_before_, change_;
  bool known_ = false;
};

}  // namespace nonsmooth::events
