// SPDX-License-Identifier: Apache-2.0
// The problem of a projection: W = H A^-1 H^T of its rows, and where these come from.
#include <algorithm>

#include "dynamics/mechanics/common_motion.hpp"
#include "projection.hpp"

namespace nonsmooth::stages {
namespace {

/// H and P = A^-1 H^T of one row on one system, behind those that are there.
double* add_jacobian(Index system, const Layout::System& place, Index row, ProjectionProblem& own) {
  const std::size_t at = own.H.size();
  own.jacobians.push_back({system, place.n, place.z, row, static_cast<Index>(at)});
  own.H.resize(at + static_cast<std::size_t>(place.n));
  own.P.resize(at + static_cast<std::size_t>(place.n));
  return own.H.data() + at;
}

void solve_last(SystemCaches& systems, MovesInStep* within, ProjectionProblem& own) {
  const ProjectionJacobian& jacobian = own.jacobians.back();
  std::copy_n(own.H.data() + jacobian.at, jacobian.n, own.P.data() + jacobian.at);
  apply_inverse(systems, jacobian.system, Eigen::Map<Eigen::MatrixXd>(own.P.data() + jacobian.at, jacobian.n, 1));
  if (within == nullptr) return;
  within->responses.resize(own.P.size());
  double* const response = within->responses.data() + jacobian.at;
  std::copy_n(own.P.data() + jacobian.at, jacobian.n, response);
  const SystemCaches::Place& at = systems.at(jacobian.system);
  at.batch->respond_to_move(within->h, at.place, Eigen::Map<Eigen::MatrixXd>(response, jacobian.n, 1));
}

/// Takes the Jacobians of systems that sleep out of a row, as nobody moves them, where something else of it moves.
void hold_sleepers(const std::vector<char>& asleep, ProjectionRow& row, ProjectionProblem& own) {
  if (asleep.empty()) return;
  const auto first = own.jacobians.begin() + row.first_jacobian;
  const auto sleeps = [&](const ProjectionJacobian& one) { return asleep[static_cast<std::size_t>(one.system)] != 0; };
  const auto moves = [&](const ProjectionJacobian& one) {
    const double* P = own.P.data() + one.at;
    return !sleeps(one) && std::any_of(P, P + one.n, [](double entry) { return entry != 0.0; });
  };
  if (std::any_of(first, own.jacobians.end(), moves))
    own.jacobians.erase(std::remove_if(first, own.jacobians.end(), sleeps), own.jacobians.end());
}

void write_jacobians(const Discretisation& discretisation, const RelationCaches& relations,
                     const std::vector<char>& asleep, SystemCaches& systems, MovesInStep* within,
                     ProjectionProblem& own) {
  own.jacobians.clear();
  own.H.clear();
  own.P.clear();
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    ProjectionRow& row = own.rows[i];
    row.first_jacobian = static_cast<Index>(own.jacobians.size());
    if (row.place) {
      const ContactBatch& batch = *row.place->batch;
      const DetectedContact& contact = contact_of(row);
      const auto add = [&](Index system, Index columns, const double* H) {
        std::copy_n(H, columns, add_jacobian(system, discretisation.system(system), static_cast<Index>(i), own));
        solve_last(systems, within, own);
      };
      add(contact.first, batch.columns_first, batch.H_first(row.contact));
      if (contact.second >= 0) add(contact.second, batch.columns_second, batch.H_second(row.contact));
    } else {
      const InteractionPlan& interaction = relations.interaction(row.interaction);
      for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
        double* H = add_jacobian(jacobian.system, discretisation.system(jacobian.system), static_cast<Index>(i), own);
        for (Index k = 0; k < jacobian.n; ++k) {
          // What the last outputs were computed with: the state's own positions.
          H[k] = interaction.offset
                     ? relations.jacobians.hu[static_cast<std::size_t>(jacobian.hu + k * interaction.rows + row.local)]
                     : interaction.jacobian(row.local, jacobian.column + k);
        }
        if (interaction.constant) {
          std::copy_n(relations.jacobians.p.data() + jacobian.p + row.local * jacobian.n, jacobian.n,
                      own.P.data() + own.jacobians.back().at);
        } else {
          solve_last(systems, within, own);
        }
      }
    }
    hold_sleepers(asleep, row, own);
    row.num_jacobians = static_cast<Index>(own.jacobians.size()) - row.first_jacobian;
  }
}

/// What acts on each system, in the order of the rows (compressed).
void list_rows_by_system(std::size_t systems, ProjectionProblem& own) {
  own.system_begin.assign(systems + 2, 0);
  for (const ProjectionJacobian& jacobian : own.jacobians)
    ++own.system_begin[static_cast<std::size_t>(jacobian.system) + 2];
  for (std::size_t s = 2; s < own.system_begin.size(); ++s) own.system_begin[s] += own.system_begin[s - 1];
  own.jacobians_by_system.resize(own.jacobians.size());
  for (std::size_t l = 0; l < own.jacobians.size(); ++l) {
    Index& next = own.system_begin[static_cast<std::size_t>(own.jacobians[l].system) + 1];
    own.jacobians_by_system[static_cast<std::size_t>(next++)] = static_cast<Index>(l);
  }
}

/// Calls visit(block, other) for each pair of a Jacobian block of row i and one of any row on the same system.
template <class Visit>
void for_each_pair(const ProjectionProblem& own, const ProjectionRow& row, Visit&& visit) {
  for (Index a = row.first_jacobian; a < row.first_jacobian + row.num_jacobians; ++a) {
    const ProjectionJacobian& jacobian = own.jacobians[static_cast<std::size_t>(a)];
    const auto system = static_cast<std::size_t>(jacobian.system);
    for (Index l = own.system_begin[system]; l < own.system_begin[system + 1]; ++l)
      visit(jacobian, own.jacobians[static_cast<std::size_t>(own.jacobians_by_system[static_cast<std::size_t>(l)])]);
  }
}

/// Where the rows come from; each is a block.
void list_origins_of_rows(const Discretisation& discretisation, ProjectionProblem& own) {
  OneStepNSProblem& problem = own.problem;
  problem.level = OneStepNSProblem::Level::Projection;
  if (problem.layout != discretisation.layout) problem.layout = discretisation.layout;
  problem.blocks.clear();
  problem.systems.clear();
  for (const ProjectionJacobian& jacobian : own.jacobians) problem.systems.push_back(jacobian.system);
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    const ProjectionRow& row = own.rows[i];
    OneStepNSProblem::Block block;
    block.row = static_cast<Index>(i);
    block.interaction = row.interaction;
    block.local = row.local;
    if (row.place) {
      block.source = row.place->source;
      block.feature = contact_of(row).feature;
    }
    block.first_system = row.first_jacobian;
    block.systems = row.num_jacobians;
    problem.blocks.push_back(block);
  }
}

/// As of the rows of a step; where systems of it are held, it measures what stands.
bool measures_ground(const InteractionPlan& interaction, const ProjectionRow& row, const ProjectionProblem& own) {
  if (row.num_jacobians < interaction.num_jacobians) return true;
  if (interaction.measure != RowsMeasure::ByJacobian) return interaction.measure == RowsMeasure::Ground;
  const ProjectionJacobian* const first = own.jacobians.data() + row.first_jacobian;
  return sees_common_motion(row.num_jacobians, first->n,
                            [&](Index s, Index k) { return own.H[static_cast<std::size_t>(first[s].at + k)]; });
}

/// Equality rows that depend on others, with the gaps as what they have to take away.
void settle_redundant_rows(const RelationCaches& relations, const SystemInputs& inputs, double dependent,
                           ProjectionProblem& own) {
  own.redundant.candidates().clear();
  const auto count = static_cast<Index>(own.rows.size());
  if (own.gaps.size() < count) own.gaps.resize(count);
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    const ProjectionRow& row = own.rows[i];
    if (row.bilateral) {
      own.redundant.candidates().push_back(
          {static_cast<Index>(i), 1, measures_ground(relations.interaction(row.interaction), row, own)});
    }
    own.gaps[static_cast<Index>(i)] = row.gap;
  }
  own.redundant.find_loops(own.problem, inputs);
  if (own.redundant.any_loops()) static_cast<void>(own.redundant.settle(own.gaps, dependent, false, own.problem));
}

/// gap - H moved of each row.
void take_back(const Eigen::VectorXd& moved, ProjectionProblem& own) {
  for (const ProjectionJacobian& jacobian : own.jacobians) {
    double& gap = own.rows[static_cast<std::size_t>(jacobian.row)].gap;
    for (Index k = 0; k < jacobian.n; ++k)
      gap -= own.H[static_cast<std::size_t>(jacobian.at + k)] * moved[jacobian.z + k];
  }
}

}  // namespace

void sum_moves(const Discretisation& discretisation, ProjectionProblem& own) {
  own.move.setZero(discretisation.layout->num_unknowns);
  for (const ProjectionJacobian& jacobian : own.jacobians) {
    const double mu = own.problem.result.r[jacobian.row];
    for (Index k = 0; k < jacobian.n; ++k)
      own.move[jacobian.z + k] += own.P[static_cast<std::size_t>(jacobian.at + k)] * mu;
  }
}

void assemble_projection(const Discretisation& discretisation, const RelationCaches& relations,
                         const std::vector<char>& asleep, SystemCaches& systems, double dependent, MovesInStep* within,
                         ProjectionProblem& own) {
  const auto count = static_cast<Index>(own.rows.size());
  own.redundant.put_back(own.problem);
  if (within != nullptr) within->responses.clear();
  write_jacobians(discretisation, relations, asleep, systems, within, own);
  if (within != nullptr) take_back(within->sum, own);
  const std::vector<double>& moves = within != nullptr ? within->responses : own.P;
  list_rows_by_system(discretisation.layout->systems.size(), own);
  list_origins_of_rows(discretisation, own);
  own.sizes.assign(own.rows.size(), 1);
  own.stamp.assign(own.rows.size(), -1);
  BlockSparseMatrix& W = own.problem.reduced.W;
  W.begin_pattern(own.sizes);
  for (Index i = 0; i < count; ++i) {
    for_each_pair(own, own.rows[static_cast<std::size_t>(i)],
                  [&](const ProjectionJacobian&, const ProjectionJacobian& other) {
                    if (own.stamp[static_cast<std::size_t>(other.row)] == i) return;
                    own.stamp[static_cast<std::size_t>(other.row)] = i;
                    W.insert(other.row);
                  });
    W.next_row();
  }
  W.end_pattern();
  own.problem.reduced.q.resize(count);
  own.problem.reduced.K.clear();
  own.problem.result.r.setZero(count);
  own.problem.start = own.problem.result.r;
  for (Index i = 0; i < count; ++i) {
    const ProjectionRow& row = own.rows[static_cast<std::size_t>(i)];
    own.problem.reduced.q[i] = row.gap;
    BlockSet set;
    set.kind = row.bilateral ? SetKind::Free : SetKind::Orthant;
    own.problem.reduced.K.push_back(set, 1);
    for_each_pair(own, row, [&](const ProjectionJacobian& jacobian, const ProjectionJacobian& other) {
      double sum = 0.0;
      for (Index k = 0; k < jacobian.n; ++k)
        sum += own.H[static_cast<std::size_t>(jacobian.at + k)] * moves[static_cast<std::size_t>(other.at + k)];
      *W.values(W.find(i, other.row)) += sum;
    });
  }
  settle_redundant_rows(relations, systems.inputs, dependent, own);
}

}  // namespace nonsmooth::stages
