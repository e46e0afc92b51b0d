// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/decompositions.hpp>
#include <nonsmooth/kernel/one_step_ns_problem.hpp>
#include <nonsmooth/kernel/staged_integrator.hpp>
#include <nonsmooth/kernel/workspace.hpp>
#include <nonsmooth/numerics/any_solver.hpp>

#include "dynamics/relations/relation_caches.hpp"

namespace nonsmooth {

/// Where a row is whose lambda is one number between two bounds.
enum class StageBranch : unsigned char {
  Lower,  ///< lambda at its lower bound, u >= 0
  Held,   ///< u = 0, lambda between its bounds
  Upper,  ///< lambda at its upper bound, u <= 0
  Any,    ///< between two of them, to rounding
};

/// The step of a StagedIntegrator: all systems and rows as one, dense. x has n entries; the m rows of an instant are
/// those of the interactions, each with the auxiliary ones of its law behind, so that u = h + (what the law adds) is
/// what sets are about. Linearised at an iterate,
///
///     f + g = J x + G lambda + k,    u = H x + D lambda + w.
struct Staged {
  /// At one stage.
  struct Linearised {
    Eigen::MatrixXd J, G, H, D;
    Eigen::VectorXd k, w;
  };
  /// A block of the model at a stage of a group.
  struct BlockAtStage {
    Index stage = 0, block = 0, row = 0;  ///< stage: from the group's first; row: the first in the group's u
  };
  /// Stages that are solved together, or an instant whose x is known: X = X_free + P Lambda, U = W Lambda + q.
  struct Group {
    Index first = 0, count = 1;
    bool is_explicit = true;
    double h = 0.0;  ///< that P and W are of, where they are constant; 0: none
    LuFactors factor;
    Eigen::MatrixXd A, P, W;
    std::vector<BlockAtStage> blocks;  ///< of the problem
    OneStepNSProblem problem;
    AnySolverWorkspace solver;
    bool matrix_stands = false;
    Eigen::VectorXd free, x, iterate;     ///< X_free, X, and X before it; count n
    Eigen::VectorXd lambda, q, u, guess;  ///< and Lambda before it; count m
    Eigen::MatrixXd held;                 ///< of a mode
    LuFactors held_factor;
  };
  /// A table, and what is solved for it.
  struct Stages {
    StageTable table;
    double ratio = -1.0;            ///< that the table is of
    bool stiffly_accurate = false;  ///< x_{k+1} is the last stage
    std::vector<Group> groups;
    Group point;                                     ///< lambda at x_{k+1} or x_k
    std::vector<char> needs_slope;                   ///< by stage
    std::vector<Eigen::VectorXd> base, x, F;         ///< by stage: x_k + u_i d + h sum of earlier F, X, F
    std::vector<Eigen::VectorXd> lambda;             ///< by stage
    std::vector<std::vector<StageBranch>> branches;  ///< by stage, and of the end
  };
  /// A point of the motion.
  struct Point {
    double t = 0.0;
    Eigen::VectorXd x, lambda, u;
  };

  const StagedIntegrator* scheme = nullptr;  ///< null: the model's schemes have no stages
  Index n = 0, m = 0;
  bool constant = false;    ///< J, G, H and D are
  bool linear = false;      ///< one solution is the answer
  bool from_state = false;  ///< some lambda is solved from x
  bool selects = false;     ///< some relay's is, without D
  std::vector<FirstOrderSystemEvaluator> systems;
  std::vector<Index> first_row;       ///< by interaction
  std::vector<Index> island;          ///< by row: rows of systems that nothing links have different numbers
  std::vector<double> lower, upper;   ///< by row
  std::vector<char> selected;         ///< by row: of a relay without D, where x is known
  std::vector<char> selected_blocks;  ///< by block of the model
  std::vector<Linearised> at;         ///< by stage, and of an instant whose x is known
  Eigen::MatrixXd mass;
  LuFactors mass_factor;
  Stages whole, part;      ///< of steps of the grid, and of their parts
  Point start, stop;       ///< of what is being solved
  Eigen::VectorXd kept;    ///< d
  double kept_step = 0.0;  ///< length of the step before; 0: none that counts
  Eigen::VectorXd slope;   ///< h F_0 of what was solved last
  Eigen::VectorXd z_free;  ///< x at its end, but for what multipliers did in it
  Eigen::VectorXd f, values, multipliers;
  Eigen::MatrixXd matrix, input_matrix, rates;
  std::vector<Index> at_zero;                    ///< rows that are selected, at y = 0
  std::vector<StageBranch> before, mode, other;  ///< by row
  std::vector<double> buffer;
  const OneStepNSProblem* last = nullptr;  ///< that was solved last
};

/// What the parts of a step are solved with.
struct StagedWork {
  const TimeSteppingOptions& options;
  const Discretisation& discretisation;
  const SystemInputs& inputs;
  RelationCaches& relations;
  ThreadPool& threads;
  Staged& staged;
  StepReport& report;
};

namespace stages {

[[nodiscard]] inline bool is_staged(const Staged& staged) { return staged.scheme != nullptr; }
/// What steps leave for the next one.
[[nodiscard]] inline StagedIntegrator::Kept kept_by(const Staged& staged) {
  return is_staged(staged) ? staged.scheme->kept() : StagedIntegrator::Kept::Nothing;
}

/// After systems and interactions; nothing where no scheme has stages. @throws InvalidArgument where a system, a law, a
/// relation or an option cannot have the scheme, with the one that can.
void prepare_staged(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                    Workspace::Implementation& caches);
/// Room for the stages of the table for a step of `ratio` times the length of the one before. Where it is laid anew no
/// problem was solved last.
void lay_stages(const Discretisation& discretisation, const RelationCaches& relations, double ratio, Staged& staged,
                Staged::Stages& stages);
/// What is constant of J, G, H and D.
void write_constants(const Discretisation& discretisation, RelationCaches& relations, Staged& staged,
                     Staged::Linearised& at);
/// k and w at (t, x, lambda), and what varies of J, G, H and D.
void linearise_stage(const StagedWork& work, double t, const Eigen::VectorXd& x, const Eigen::VectorXd& lambda,
                     Staged::Linearised& at);
/// From `start` over h to `stop`, by the law; or in a mode, also beyond where the law would leave it. False where a
/// problem was not solved, as the report says.
bool solve_part(const StagedWork& work, double h, const std::vector<StageBranch>* mode, Staged::Stages& stages);
/// lambda and u of a point whose t and x are known. False likewise.
bool solve_point(const StagedWork& work, const std::vector<StageBranch>* mode, Staged::Stages& stages,
                 Staged::Point& point);
/// From `start` over h to `stop`, divided where modes change. False likewise.
bool solve_located(const StagedWork& work, double h);
/// The sum of the sizes of what u of row r is the sum of.
[[nodiscard]] double terms_of(const Staged::Linearised& at, const Eigen::VectorXd& x, const double* lambda, Index r);
/// M^-1 (J x + G lambda + k) of a stage.
void slope_at(Staged& staged, const Staged::Linearised& at, const Eigen::VectorXd& x, const Eigen::VectorXd& lambda,
              Eigen::VectorXd& F);
/// Of the step of length h that was solved last: the first of the scheme's looks, counted from 1, from `first` on, at
/// which a row is out of `mode`, as a part of h; 0: none. Overwrites `f`, the point's vectors and the last
/// linearisation.
[[nodiscard]] double next_outside(const StagedWork& work, double h, Index first, Staged::Stages& stages);
/// On which branch each row is.
void find_branches(const Staged& staged, const Staged::Linearised& at, const Eigen::VectorXd& x, const double* lambda,
                   const double* u, std::vector<StageBranch>& branches);
/// One step; the state changes where it is taken. Throws CallableFailure before.
StepReport solve_staged(const TimeSteppingOptions& options, double t_next, State& state,
                        Workspace::Implementation& caches);

}  // namespace stages
}  // namespace nonsmooth
