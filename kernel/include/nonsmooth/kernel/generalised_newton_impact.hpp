// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/kernel/handles.hpp>
#include <nonsmooth/kernel/interaction.hpp>

namespace nonsmooth {

/// Newton's impact law with a matrix of coefficients, for contacts that are hit at once (generalised Newton law):
///
///     0 <= u+ + E min(u-, 0) ⟂ p >= 0,   u, p in N^m: the normal rows of the contacts, in their order,
///
/// in the place of the law's own e u- in these rows; friction and tangential rows stay as the contacts' laws say.
/// E_ij is what an approach of contact j asks of contact i as departure: E = diag(e) is Newton's law for contacts that
/// approach, (0 1; 1 0) sends the last of three balls away and stops the others, as the reversed identity does for N
/// equal ones. Contacts that separate before (u-_j > 0) ask for nothing, and of contacts that are open (in a step:
/// whose forecast gap is) neither row nor column counts. E >= 0, so that what is asked for is no penetration.
///
/// Where all contacts approach and p > 0, u+ = -E u- and the kinetic energy of the relative motion changes from
/// u-^T W^-1 u- / 2 to u-^T E^T W^-1 E u- / 2: none is gained, whatever u- is, where restitution_energy_ratio() <= 1. A
/// closed contact that opens slower than forces close it within a step h is stopped: that gains up to (g h)^2 / 8 a
/// mass under gravity. Both simulations know it: TimeStepping under MoreauJean. Sources: Brogliato 2016, chapter 6
/// [brogliato2016]; Glocker 2001, chapter 8 [glocker2001].
struct GeneralisedNewtonImpact {
  std::vector<InteractionHandle> contacts{};  ///< m >= 1 mechanical ones of one block each, under a law of Newton's
  Eigen::MatrixXd restitution{};              ///< E, m x m, finite, >= 0 [-]
};

/// A contact as a GeneralisedNewtonRule is asked about it, of either simulation: linked, found anew in a step, or the
/// pair of a source that EventDriven links. Text and references count during the call alone.
struct ImpactingContact {
  Index number = 0;         ///< in this step or at this instant: one contact with itself has equal ones
  std::string_view name{};  ///< of the interaction; empty: found anew
  std::optional<InteractionHandle> interaction{};  ///< empty: found anew
  Index block = 0;                                 ///< of an interaction of several contacts: which
  std::optional<SourceHandle> source{};            ///< that found it or whose pair it is; empty: linked by itself
  std::optional<std::uint64_t> feature{};          ///< of a contact found anew, in its source
  SystemHandle first{};                            ///< of a source: that of its bodies() which comes first
  std::optional<SystemHandle> second{};            ///< empty: the ground, or a relation of one system
  std::string_view first_name{}, second_name{};
  ContactShapes shapes{};    ///< of a source: of `first` and `second`, with their materials
  double restitution = 0.0;  ///< e of its own law [-]
};

/// The law of GeneralisedNewtonImpact for whichever contacts there are, E_ij by a function of the two: of contacts
/// found anew in each step as of those that are linked, and of both together.
///
///     // Five balls in a row, whose contacts a source finds: as many go as come. Contact i is of balls i and i + 1.
///     const auto source = model.detect(DiskContacts(balls, radii, NewtonImpactLaw{}));
///     model.add(GeneralisedNewtonRule{.restitution =
///                                         [](const ImpactingContact& i, const ImpactingContact& j) {
///                                           const Index sum = i.shapes.places[0].body + j.shapes.places[0].body;
///                                           return sum == 3 ? 1.0 : 0.0;
///                                         },
///                                     .sources = {source}});
///
/// It stands for e u- of all contacts of its sources and interactions; friction and tangential rows stay as their laws
/// say. In a step (an impact) it is asked for each contact i that acts (is closed) and each j of these that approaches
/// and that may act on i: by way of bodies that contacts and rigid joints connect, but for bodies all of whose
/// velocities are prescribed. Other E_ij are nothing. In EventDriven the contacts of its sources are the pairs that
/// these may find. What energy it gains is told (RunRemark::Kind::ImpactGain). It must depend on its arguments alone;
/// several threads may call it at once where several simulations run. Cost: of m contacts that act on one another, k of
/// which approach, m k calls a step.
struct GeneralisedNewtonRule {
  /// E_ij: what an approach of contact j asks of contact i as departure, finite and >= 0 [-]; what it throws, and any
  /// other number, fails the step or ends the run.
  using Coefficient = std::function<double(const ImpactingContact& i, const ImpactingContact& j)>;
  Coefficient restitution{};
  std::vector<SourceHandle> sources{};        ///< whose laws are all Newton's
  std::vector<InteractionHandle> contacts{};  ///< mechanical ones under a law of Newton's
};

}  // namespace nonsmooth
