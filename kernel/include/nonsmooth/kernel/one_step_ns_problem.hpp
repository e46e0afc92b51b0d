// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nonsmooth/kernel/layout.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth {

/// The nonsmooth problem of one step: find r, u with
///
///     u = W r + q    (or A dv = H^T r, u = H dv + q in the global form),    -û_i in N_{K_i}(r_i) on each block i,
///
/// what numerics was handed, what it found, and where each row comes from: of a step, or of an instant of event-driven
/// simulation. A simulation shows its own by reference until its next step; a copy is a value as any other.
struct OneStepNSProblem {
  /// What u and r are of a mechanical row. Rows of first-order systems are y and lambda at the end of the step, but for
  /// Mode and Jump.
  enum class Level : unsigned char {
    Velocity,      ///< u: velocity after the step, with e u- (or y / h) added [m/s]; r: impulse [N s]
    Position,      ///< of SchatzmanPaoli: u: gap over the step length [m/s]; r: the multiplier over the step
    Impact,        ///< u: velocity after an impact [m/s]; r: percussion [N s]
    Acceleration,  ///< u: acceleration [m/s^2]; r: force [N]
    Projection,    ///< u: y moved back to its constraint [unit of y]; r: mu, by which q := q + A^-1 H^T mu
    Mode,          ///< of an instant: u: y of first-order rows behind a step of vanishing length; r: lambda
    Jump,          ///< of first-order rows: u: y after a jump of x [unit of y]; r: impulse [unit of lambda s]
  };
  /// Rows of one block of K and what they act on. A law is about one, or in Mode and Jump about a block for each row.
  struct Block {
    Index row = 0, size = 1;            ///< in the problem
    Index interaction = -1, local = 0;  ///< in the layout, with the first row within the interaction; or
    Index source = -1;                  ///< of a detected contact, by number in the model, with its
    /// name in the source. Neither: a prescribed velocity, of component `local`; of Mode and Jump constraints of a
    /// descriptor system, from number `local` on.
    std::uint64_t feature = 0;
    Index first_system = 0, systems = 0;  ///< in OneStepNSProblem::systems
  };
  /// Where a row comes from.
  struct Origin {
    std::optional<InteractionHandle> interaction;  ///< empty: a detected contact, or see Block
    Index local = 0;                               ///< row within the interaction or the contact; component of v
    Index source = -1;                             ///< of a detected contact
    std::uint64_t feature = 0;                     ///< of a detected contact
    std::vector<std::string> systems;              ///< names of what the row acts on
  };

  Level level = Level::Velocity;
  /// W, q, K; of the global form after a failure alone, which its W explains. Equality rows that depend on others
  /// (TimeSteppingOptions::dependent_rows) are the nearest ones that do so exactly, u theirs; of loops of more than 400
  /// rows W is what it was, their q alone is changed, and the certificate is that of r before it was shared.
  mixed::Problem reduced;
  /// A, H, w = q, K where that form was solved (TimeSteppingOptions::form). It is written for the change of velocity
  /// v - v_free by r, so that f = 0. For each equality row that depends on others (StepReport::redundant_rows) A has a
  /// last row of unit mass, whose velocity is 0 where these rows share their reactions as in the reduced form.
  std::optional<friction::GlobalProblem> global;
  GrowingVector start;                        ///< r that the solver started from
  mixed::Result result;                       ///< r, u, status, certificate, and the algorithm by name
  std::vector<friction::Decision> decisions;  ///< of friction::Automatic and GlobalAutomatic as the step's solver
  std::vector<Block> blocks;                  ///< one for each block of sets(), in its order
  std::vector<Index> systems;                 ///< of all blocks, by number in the layout
  std::shared_ptr<const Layout> layout;

  [[nodiscard]] Index num_rows() const noexcept { return blocks.empty() ? 0 : blocks.back().row + blocks.back().size; }
  [[nodiscard]] bool empty() const noexcept { return blocks.empty(); }
  /// K of the form that was solved.
  [[nodiscard]] const ProductSet& sets() const noexcept { return global ? global->K : reduced.K; }
  /// @throws InvalidArgument for a row outside [0, num_rows()).
  [[nodiscard]] Origin origin(Index row) const;
  /// "row 0 of stop on ball and box"; "the contact of ball and the ground" of a detected one; "the prescribed velocity
  /// of crank"; "constraint 0 of circuit". @throws as origin().
  [[nodiscard]] std::string place(Index row) const;
};

}  // namespace nonsmooth
