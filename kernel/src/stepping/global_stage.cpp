// SPDX-License-Identifier: Apache-2.0
// Stages 4 and 5 in the global form: A (v - v_free) = H^T r and u = H v + w with their sets, no Delassus matrix.
#include <algorithm>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/global_automatic.hpp>

#include "plan.hpp"

namespace nonsmooth::stages {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

bool is_global(SetKind kind) {
  return kind == SetKind::Coulomb2D || kind == SetKind::Coulomb3D || kind == SetKind::Rolling ||
         kind == SetKind::Orthant || kind == SetKind::Free;
}

void check_laws(Plan& plan) {
  if (plan.global_checked) return;
  for (const BlockPlan& block : plan.blocks) {
    const InteractionPlan& interaction = plan.interactions[static_cast<std::size_t>(block.interaction)];
    const auto refuse = [&](const char* what) {
      throw InvalidArgument("TimeSteppingOptions::form", "Form::Global with " + interaction.name + ", " + what,
                            "Form::Reduced, or contact, friction and equalities between velocities");
    };
    if (interaction.first_order) refuse("which is of first order");
    if (interaction.coupling.size() > 0) refuse("whose multipliers are coupled by a compliance or by its law");
    if (!is_global(block.set.kind)) refuse("whose law bounds forces or is plastic");
  }
  plan.global_checked = true;
}

bool is_dictated(const Plan& plan, Index system, Index component) {
  return std::any_of(plan.dictated.begin(), plan.dictated.end(),
                     [&](const Dictated& d) { return d.system == system && d.component == component; });
}

/// The rows of A of one system, prescribed components cut out as in its factor.
void add_iteration_matrix(Index system, Index offset, const Plan& plan, Triplets& entries) {
  const auto& place = plan.system(system);
  const auto index = static_cast<std::size_t>(plan.place[static_cast<std::size_t>(system)]);
  const auto add = [&](Index row, Index column, double value) {
    if (value != 0.0) entries.emplace_back(static_cast<int>(offset + row), static_cast<int>(offset + column), value);
  };
  const auto add_dense = [&](const Eigen::MatrixXd& A) {
    for (Index j = 0; j < place.n; ++j) {
      for (Index i = 0; i < place.n; ++i) add(i, j, A(i, j));
    }
  };
  switch (plan.kind[static_cast<std::size_t>(system)]) {
    case SystemKind::Diagonal:
      for (Index i = 0; i < place.n; ++i) {
        const double inverse = plan.a_inverse[static_cast<std::size_t>(place.z + i)];
        add(i, i, inverse > 0.0 ? 1.0 / inverse : 1.0);
      }
      return;
    case SystemKind::Dense:
      add_dense(plan.dense[index].factor.reconstructed());
      return;
    case SystemKind::Sparse: {
      const Eigen::SparseMatrix<double>& A = plan.sparse[index].iteration;
      std::vector<char> cut(static_cast<std::size_t>(place.n), 0);
      for (const Dictated& d : plan.dictated) {
        if (d.system == system) cut[static_cast<std::size_t>(d.component)] = 1;
      }
      for (Index j = 0; j < place.n; ++j) {
        if (cut[static_cast<std::size_t>(j)]) {
          add(j, j, 1.0);
          continue;
        }
        for (Eigen::SparseMatrix<double>::InnerIterator entry(A, j); entry; ++entry) {
          if (!cut[static_cast<std::size_t>(entry.row())]) add(entry.row(), j, entry.value());
        }
      }
      return;
    }
    case SystemKind::Nonlinear:
      add_dense(plan.nonlinear[index].iteration);
      return;
    case SystemKind::NonlinearFirstOrder:
    case SystemKind::Sweeping:
      return;  // no block of a law that check_laws() lets through acts on these
  }
}

/// A, where the systems that are acted on are not those of the last time, or one of them is nonlinear.
void write_iteration_matrix(Plan& plan) {
  const auto systems = plan.layout->systems.size();
  plan.stamp.assign(systems, 0);
  for (const ActiveLeg& leg : plan.active_legs) plan.stamp[static_cast<std::size_t>(leg.system)] = 1;
  bool stands = !plan.global_systems.empty();
  std::size_t known = 0;
  for (std::size_t s = 0; s < systems; ++s) {
    if (plan.stamp[s] == 0) continue;
    stands = stands && known < plan.global_systems.size() && plan.global_systems[known] == static_cast<Index>(s) &&
             plan.kind[s] != SystemKind::Nonlinear;
    ++known;
  }
  if (stands && known == plan.global_systems.size()) return;
  plan.global_systems.clear();
  plan.global_offset.assign(systems, -1);
  Triplets entries;
  Index rows = 0;
  for (std::size_t s = 0; s < systems; ++s) {
    if (plan.stamp[s] == 0) continue;
    plan.global_systems.push_back(static_cast<Index>(s));
    plan.global_offset[s] = rows;
    add_iteration_matrix(static_cast<Index>(s), rows, plan, entries);
    rows += plan.system(static_cast<Index>(s)).n;
  }
  plan.global.A.resize(rows, rows);
  plan.global.A.setFromTriplets(entries.begin(), entries.end());
}

/// H and w, which is q of the reduced form: the problem is written for v - z_free, so that f = 0, and what u loses by
/// rounding is measured by u. A prescribed component is no unknown.
void write_rows(const State& state, Index rows, Plan& plan) {
  Triplets entries;
  plan.global.w.resize(rows);
  for (const ActiveBlock& block : plan.active) {
    law_terms(state, block, plan, plan.global.w.segment(block.row, block.size));
    for (Index l = block.first_leg; l < block.first_leg + block.num_legs; ++l) {
      const ActiveLeg& leg = plan.active_legs[static_cast<std::size_t>(l)];
      const Index offset = plan.global_offset[static_cast<std::size_t>(leg.system)];
      for (Index k = 0; k < leg.n; ++k) {
        const bool dictated = !plan.dictated.empty() && is_dictated(plan, leg.system, k);
        for (Index r = 0; r < block.size; ++r) {
          const double value = leg.weight * leg.hu[r * leg.row_stride + k * leg.column_stride];
          if (value == 0.0) continue;
          plan.global.w[block.row + r] += value * plan.z_free[leg.z + k];
          if (!dictated) entries.emplace_back(static_cast<int>(block.row + r), static_cast<int>(offset + k), value);
        }
      }
    }
  }
  plan.global.H.resize(rows, plan.global.A.rows());
  plan.global.H.setFromTriplets(entries.begin(), entries.end());
  plan.global.f.setZero(plan.global.A.rows());
}

}  // namespace

void solve_global(const TimeSteppingOptions& options, const State& state, Plan& plan) {
  check_laws(plan);
  const Index rows = plan.active.back().row + plan.active.back().size;
  forget_active_set(plan);  // the reduced problem in the plan is another step's
  plan.result.r.resize(rows);
  warm_start(state, plan);
  write_iteration_matrix(plan);
  write_rows(state, rows, plan);
  fill_sets(state, plan, plan.global.K);

  plan.z = plan.z_free;
  mixed::Result& result = plan.result;
  result.status = Status::NumericalFailure;
  result.at_round_off = false;
  result.certificate = {};
  result.iterations = 0;
  if (!plan.global.w.allFinite() || !plan.global.H.coeffs().allFinite()) return;

  friction::GlobalAutomatic choice;
  if (const auto* automatic = std::get_if<mixed::Automatic>(&options.solver)) {
    choice.tolerance = automatic->tolerance;
    choice.max_iterations = automatic->max_iterations;
    choice.time_limit = automatic->time_limit;
  }
  choice.start = result.r;
  const friction::GlobalResult found = friction::solve(plan.global, choice);
  result.r = found.r;
  result.u = found.u;
  result.status = found.status;
  result.at_round_off = found.at_round_off;
  result.certificate = found.certificate;
  result.iterations = found.iterations;
  result.solver = found.solver;
  result.reason = found.reason;
  for (const Index s : plan.global_systems) {
    const auto& place = plan.system(s);
    plan.z.segment(place.z, place.n) += found.v.segment(plan.global_offset[static_cast<std::size_t>(s)], place.n);
  }
  // A prescribed velocity is what it is, to the last bit.
  for (const Dictated& d : plan.dictated) plan.z[d.z] = plan.z_free[d.z];
  if (!plan.any_iterates) return;
  plan.lambda.setZero();
  for (const ActiveBlock& block : plan.active) {
    if (block.model_block < 0) continue;
    const Index row = plan.blocks[static_cast<std::size_t>(block.model_block)].row;
    for (Index k = 0; k < block.size; ++k) plan.lambda[row + k] = result.r[block.row + k];
  }
}

}  // namespace nonsmooth::stages
