// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <internal/disjoint_sets.hpp>

#include "analysis/examine_start.hpp"
#include "dynamics/mechanics/diagonal_batch.hpp"
#include "filippov/filippov_unit.hpp"
#include "model/linked_systems.hpp"
#include "stepping/problem/one_step_solver.hpp"

namespace nonsmooth {

/// Work of one block's impulses in its impact, and what of it may be rounding or the forces'.
struct ImpactWork {
  double work = 0.0, doubt = 0.0;
  bool approaches = false;
};

/// Where two shapes meet on a way, or are in each other as it begins.
struct Touch {
  static constexpr double kBack = 0.5;  ///< cosine: what pushes farther aside than by 60 degrees does not hold
  double depth = 0.0;                   ///< that the rest of the way goes along the normal [m]
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();

  /// With this gap and normal at its end they overlap as they met: the contact pushes them back.
  [[nodiscard]] bool is_held_by(double gap_at_end, const Eigen::Vector3d& normal_at_end) const {
    return gap_at_end < 0.0 && normal.dot(normal_at_end) > kBack;
  }
};

/// What a simulation keeps to notice multipliers that are impulses, and energy from nowhere.
struct RunWatch {
  /// First-order systems that interactions with unbounded multipliers tie together.
  struct Island {
    std::vector<Index> systems, interactions;
    // A step that may have been an impulse: known when the next is made.
    bool pending = false, second = false;       ///< second: two steps may have been
    bool told = false;                          ///< at the end of a run: the step after may raise its size alone
    Index z = -1;                               ///< the unknown that jumped
    double t = 0.0, jump = 0.0, impulse = 0.0;  ///< when, how far, and h |lambda|
    Index interaction = 0, local = 0;           ///< of the multiplier that moved y most
  };
  std::vector<Island> islands;
  Eigen::VectorXd sizes, moved;  ///< by unknown: largest |z| so far, and how far it went in the last step

  /// First-order systems without inputs under a scheme that dissipation does not follow from, with a storage
  /// x^T P x / 2.
  struct Storage {
    std::vector<Index> systems;
    Index interaction = 0;  ///< the first, for the name
    Eigen::MatrixXd P;
    Eigen::VectorXd before, after, product;
  };
  std::vector<Storage> storages;

  std::vector<DiagonalRun> runs;           ///< of mechanical systems whose matrices are diagonal
  std::vector<Index> coupled;              ///< the other mechanical systems
  bool mechanics = false;                  ///< the energy of the mechanical systems is looked at
  bool only_falls = false;                 ///< without contacts it does not rise: no stiffness, theta >= 1/2
  Eigen::VectorXd mass, stiffness, force;  ///< by unknown; mass and stiffness of diagonal systems
  Eigen::VectorXd way, mean, product;      ///< scratch, by unknown

  /// Impacts whose contacts do more work than they take.
  struct Impacts {
    bool looked_at = false;            ///< some law of the model may do so
    double gain = 0.0;                 ///< of the last step, the largest of an island [J]
    double fastest = 0.0;              ///< largest |u-| of a contact so far: roundings of others are of its size
    std::string place;                 ///< of its contact that does most
    std::vector<ImpactWork> of_block;  ///< scratch
    DisjointSets systems{0};           ///< scratch, with what follows: by system
    std::vector<double> work, doubt, most;
    std::vector<Index> block, block_members;
    std::vector<char> approaches;

    /// Room for that many systems, each apart, and blocks.
    void reserve(Index count, std::size_t blocks) {
      of_block.reserve(blocks);
      systems.reset(count);
      systems.list(block, block_members);
      clear(count);
    }
    void clear(Index count) {
      work.assign(static_cast<std::size_t>(count), 0.0);
      most = doubt = work;
      block.assign(static_cast<std::size_t>(count), -1);
      approaches.assign(static_cast<std::size_t>(count), 0);
    }
  } impacts;
  double terms = 0.0;  ///< largest sizes of the terms of a step's change of energy so far

  /// Rigid contacts that are deeper inside than their approaches explain.
  struct Depth {
    bool looked_at = false;
    double steps_of_approach = 1.0;  ///< how many times h |u_N| the scheme lets a contact in
    bool began = false;              ///< a step was made since the state was written
    double left_alone = 0.0;         ///< by a projection [m]
    double allowed = 0.0;            ///< by these, the start and approaches so far
    bool exceeded = false;           ///< in the last step
    std::string place;               ///< of the first contact that was deeper; empty: none
    std::string room_to_tell;        ///< the same, until the findings of the run take it
  } depth;

  /// Contacts that bodies go through within a step, where they move so far.
  struct Passages {
    /// Two shapes that touch on the way.
    struct Meeting {
      std::uint64_t pair = 0;        ///< their features without what of them meets
      Index first = 0, second = -1;  ///< bodies of the source
      Touch touch;
    };
    /// A contact that is linked, of two shapes.
    struct Link {
      Index interaction = 0;  ///< in the layout
      double depth = 0.0;     ///< MechanicalRelation::passage_depth() [m]
      double steepness = 0.0;
    };
    bool looked_at = false;   ///< the model has sources of contacts
    std::vector<Link> links;  ///< empty: nothing is looked at
    std::string unwatched;    ///< linked contacts of shapes that are not looked at, until it is told; empty: none
    [[nodiscard]] bool any() const { return looked_at || !links.empty() || !unwatched.empty(); }
    State path;            ///< scratch, with what follows: where bodies are on the way
    Eigen::VectorXd back;  ///< by unknown
    ContactBatches found;
    std::vector<Meeting> meetings;
    std::vector<Index> bodies;
    Eigen::VectorXd numbers;  ///< y, q, v and H of a link
  } passages;

  /// An angle that counts its turns.
  struct Turning {
    Index interaction = 0;  ///< in the layout
    double within = 0.0;    ///< MechanicalRelation::follows_within()
  };
  std::vector<Turning> turnings;

  /// A higher-order process whose growth has a bound.
  struct Growth {
    std::vector<LinkedSystem> systems;
    std::string name;
    double rate = 0.0, forcing = 0.0;  ///< of HigherOrderForm
    Eigen::MatrixXd metric{};          ///< |metric x + offset| is bounded
    Eigen::VectorXd offset{};
    const FirstOrderDynamicalSystem* nonlinear = nullptr;  ///< in coordinates that begin with the levels; no metric
    Eigen::VectorXd x{}, size{};                           ///< scratch
  };
  std::vector<Growth> growths;

  /// A FilippovSystem that nothing else acts on: what it slides along, and its motions from there.
  struct Switched {
    filippov::FilippovUnit unit;
    Index z = 0, row = 0;                   ///< first of its unknowns and multipliers
    bool beside_others = false;             ///< other relations act on it too
    std::vector<char> held{};               ///< by surface: x slides along it since the last step
    bool pending = false;                   ///< for one step: a surface that x crosses is held for one too
    Eigen::VectorXd largest{};              ///< |x| so far
    Eigen::VectorXd x{}, input{}, field{};  ///< scratch
    std::vector<char> now{};                ///< scratch
  };
  std::vector<Switched> switched;
};

/// A step that was taken, and the caches as it left them.
struct TakenStep {
  const StepReport& report;
  const State& state;
  const Discretisation& discretisation;
  const RelationCaches& relations;
  const StepSolution& solution;  ///< z holds the unknowns that the step started from
};

/// What a simulation notices while it runs. Nothing here changes a result.
namespace stages {

/// What is to be looked at in a model that starts from a state; the caches are prepared.
[[nodiscard]] RunWatch prepare_watch(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                     const State& state, const Discretisation& discretisation,
                                     const SystemCaches& systems, const RelationCaches& relations,
                                     const ContactSearch& search);
/// The part of it that is about the depth of contacts.
void prepare_depth_watch(const Discretisation& discretisation, const ProjectionOptions& projection,
                         RunWatch::Depth& watch);
/// The run goes on from a state that somebody wrote.
void watch_anew(RunWatch& watch);
/// Appends what is to be said of a step, and of the step before. Cost: one pass over the unknowns; what
/// watch_passages() takes.
void watch_step(const NonSmoothDynamicalSystem& model, const TakenStep& step, SystemCaches& systems,
                ContactSearch& search, RunWatch& watch, RunRemarks& noticed);
/// Shapes that are in each other's way in the step by more than ContactSource::passage_depth(), and are apart, on the
/// other side or pushed aside at its end. Cost: one pass over the bodies; where one moves so far, some calls of
/// detect().
void watch_passages(const NonSmoothDynamicalSystem& model, const TakenStep& step, SystemCaches& systems,
                    ContactSearch& search, RunWatch::Passages& watch, RunRemarks& noticed);
/// The same of contacts that are linked, whose relations say their passage_depth(). Cost: one pass over them; where one
/// may close so fast, some calls of its relation.
void watch_linked_passages(const TakenStep& step, SystemCaches& systems, RunWatch::Passages& watch,
                           RunRemarks& noticed);
/// The contacts that are looked at, and those of shapes that are not.
void prepare_linked_passages(const RelationCaches& relations, RunWatch::Passages& watch);
/// A law of the model may give energy in an impact: Newton's or Poisson's with e > 0 and friction, or with coefficients
/// that differ, and users'. Beside these: matrices of coefficients and rules for them.
[[nodiscard]] bool impacts_may_gain(const RelationCaches& relations, const ContactSearch& search);
/// watch.impacts.gain of the step whose problem is solved and whose state is still that of t_k. Of each island of
/// systems that the blocks connect, p·(u+ + u-) / 2 over its contacts, where one of them approaches faster than the
/// forces explain: beyond 1e-8 of the terms, |p| |what the forces change in u| and |p| times ten errors of the
/// problem, and |p| 64 eps of the fastest u- so far. Cost: one pass over the blocks.
void measure_impacts(const StepView& step, const ActingRows& acting, const OneStepNSProblem& problem,
                     RunWatch::Impacts& watch);
/// StepReport::penetration, approach and deepest_row of a step whose problem is solved and whose state is still that of
/// t_k; not of contacts that joined, which were apart then. Cost: one pass over the blocks and their normal rows.
void measure_penetration(const StepView& step, const ActingRows& acting, const Joining& joining,
                         const Eigen::VectorXd& z_free, StepReport& report);
/// watch.exceeded of a step of length h at most that was measured, and whose problem it is. Nothing is allocated.
void watch_penetration(const TakenStep& step, double h, const ActiveSet& active, RelationCaches& relations,
                       const OneStepNSProblem& problem, RunWatch::Depth& watch);
/// Angles that went by half a turn or more. Cost: one pass over those that count turns.
void watch_turns(const TakenStep& step, const std::vector<RunWatch::Turning>& turnings, RunRemarks& noticed);
/// The FilippovSystems that are looked at.
[[nodiscard]] std::vector<RunWatch::Switched> switched_systems(const NonSmoothDynamicalSystem& model);
/// FilippovSystems that slide along other surfaces than before for the second step, from where several motions go on
/// (RunRemark::Kind::SeveralAnswers), as EventDriven finds them: the step goes on with one and does not know of the
/// others. Cost: a pass over its multipliers; where the surfaces are others, its motions are looked for.
void watch_switched(const TakenStep& step, std::vector<RunWatch::Switched>& switched, RunRemarks& noticed);
/// Higher-order processes against their bound. Cost: n^2 a process of n states.
void watch_growth(const TakenStep& step, std::vector<RunWatch::Growth>& growths, RunRemarks& noticed);
/// The part of it that is about first-order systems.
void watch_first_order(const TakenStep& step, RunWatch& watch, RunRemarks& noticed);

/// At the end of a run: the impulses of its last steps that are known by the step after alone. That step, and one more
/// where an impulse may take two, is made on a copy of the state, in a workspace of its own: what the run would see if
/// it went on is what decides. Nothing is told where it cannot be made, or subdivided. A run that goes on does not tell
/// it again. Cost: nothing where no impulse is waited for; up to two steps otherwise.
[[nodiscard]] RunRemarks tell_last_impulses(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                            const State& state, Workspace& workspace, RunWatch& watch);

/// 0 belongs to every set of the law, and nothing shifts it: multipliers take energy out, and never put any in.
[[nodiscard]] bool is_passive(const PreparedLaw& law);
/// The storage of a passive island without inputs whose scheme may add to it: theta below 1/2, or weights below 1. With
/// theta >= 1/2 and weights of 1 a step's storage rises by second order at most, whatever it meets, and nothing is
/// looked for.
[[nodiscard]] std::optional<RunWatch::Storage> storage_of(const Island& island, const NonSmoothDynamicalSystem& model,
                                                          const Discretisation& discretisation,
                                                          const RelationCaches& relations);

/// StepReport::subdivision_difference of a step from `before` to `after` that ends at `halves` when it is made as two.
[[nodiscard]] double subdivision_difference(const State& before, const State& after, const State& halves);
/// StepReport::multiplier_growth of the same, by way of `middle`.
[[nodiscard]] double multiplier_growth(const State& before, const TakenStep& step, const State& middle,
                                       const State& halves, const RunWatch& watch);

}  // namespace stages
}  // namespace nonsmooth
