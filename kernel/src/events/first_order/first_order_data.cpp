// SPDX-License-Identifier: Apache-2.0
#include "first_order_data.hpp"

#include <algorithm>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "dynamics/factors/pivots.hpp"
#include "model/inclusions/process_with_law.hpp"
#include "model/switched/filippov.hpp"
#include "smooth/small_products.hpp"

namespace nonsmooth::events {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& found, const char* expected) {
  throw InvalidArgument("EventDriven", found + " on " + name, expected);
}

/// The law of an interaction, if its sets are intervals. @throws InvalidArgument otherwise.
void check_law(const std::string& name, const PreparedLaw& law) {
  if (law.varies != LawVaries::Never || !law.is_its_block()) {
    refuse(
        name, law.law->name(),
        "ComplementarityLaw, PiecewiseLinearLaw or another law whose sets stand: a mode needs the branches of its law");
  }
  for (const LawBlock::Part& part : law.parts) {
    const SetKind kind = part.set.kind;
    if (kind != SetKind::Free && kind != SetKind::Orthant && kind != SetKind::Box)
      refuse(name, "a law with a curved set", "sets that are intervals row by row: a mode is a branch of each row");
  }
}

}  // namespace

FirstOrderData::FirstOrderData(const NonSmoothDynamicalSystem& model) : layout_(model.layout()) {
  const Layout& layout = *layout_;
  add_systems(model);
  std::vector<Index> x_of_system(layout.systems.size(), -1);
  for (const System& system : systems_) x_of_system[static_cast<std::size_t>(system.place)] = system.x;
  for (const Layout::Interaction& place : layout.interactions) {
    if (!place.first_order) continue;
    const auto& record = model.interactions()[place.slot];
    const FirstOrderRelationEvaluator relation = FirstOrderRelationEvaluator::of(record);
    if (dynamic_cast<const FilippovRelation*>(record.first_order)) continue;
    for (const LinkedSystem& linked : linked_systems(layout, record.systems)) {
      const Layout::System& own = layout.systems[static_cast<std::size_t>(linked.system)];
      if (!dynamic_cast<const FilippovProcess*>(model.systems()[own.slot].first_order)) continue;
      refuse(record.name + " on " + own.name, "a relation to a FilippovSystem",
             "its own fields alone, or time-stepping: its modes are those of its surfaces");
    }
    if (!relation.linear) {
      refuse(record.name, "FirstOrderRelation",
             "FirstOrderLinearRelation: multipliers of a mode follow from a linear solve");
    }
    check_law(record.name, *record.law);
    Interaction interaction{.name = record.name,
                            .handle = {layout.model, place.slot, layout.interaction_generation[place.slot]},
                            .row = m,
                            .rows = place.rows,
                            .extended = place.rows + place.auxiliary,
                            .state_row = place.row,
                            .systems = linked_systems(layout, record.systems),
                            .relation = relation};
    for (LinkedSystem& linked : interaction.systems) linked.z = x_of_system[static_cast<std::size_t>(linked.system)];
    const Index columns = interaction.systems.back().column + interaction.systems.back().n;
    interaction.C.resize(place.rows, columns);
    interaction.B.resize(columns, place.rows);
    interaction.D.resize(place.rows, place.rows);
    matrices_vary = matrices_vary || !relation.has_constant_matrices();
    const bool drives = has_descriptors_ && (drive_varies || relation.linear->C.function());  // e holds C Z b
    offsets_vary = offsets_vary || relation.linear->e.function() || drives;
    const double feature = relation.linear->smallest_feature;
    if (feature > 0.0) smallest_feature = smallest_feature > 0.0 ? std::min(smallest_feature, feature) : feature;
    m += interaction.extended;
    interactions.push_back(std::move(interaction));
  }
  add_constraints();
  C = Eigen::MatrixXd::Zero(m, n);
  if (has_descriptors_) given_C_ = C;
  B_ = P = Eigen::MatrixXd::Zero(n, m);
  D = relation_D_ = given_D_ = coupling = Eigen::MatrixXd::Zero(m, m);
  e = offset = Eigen::VectorXd::Zero(m);
  for (std::size_t i = 0; i < interactions.size(); ++i) {
    const auto slot = interactions[i].handle.slot;
    add_rows(*model.interactions()[slot].law, static_cast<Index>(i));
  }
}

/// M^-1, or the descriptor form of a singular M.
void FirstOrderData::add_mass(System& system) {
  const MatrixData& mass = system.description.mass();
  if (mass.empty()) return;
  const Eigen::MatrixXd M = mass.to_dense(system.n, true);
  Pivots pivots;
  pivots.find(M);
  if (pivots.rank == system.n) {
    DenseFactorization factor;
    if (!factor.factorize(M)) refuse(system.name, "a mass that is singular to round-off", "a regular one");
    system.inverse_mass = Eigen::MatrixXd::Identity(system.n, system.n);
    factor.solve_in_place(system.inverse_mass);
    return;
  }
  const FirstOrderLinearSystem* linear = system.description.linear;
  if (!linear) {
    refuse(system.name, "a singular mass of a FirstOrderSystem",
           "a FirstOrderLinearSystem, or time-stepping: the algebraic part of f(t, x) has no closed form");
  }
  if (linear->A.function()) {
    refuse(system.name, "a singular mass with A(t)",
           "a constant A, or time-stepping: which unknowns are algebraic may change with A(t)");
  }
  const Eigen::MatrixXd A = linear->A.to_dense(system.n);
  require_regular_pencil(system.name, M, A);
  const Index index = pencil_index(M, A).index;
  const auto refuse_lost = [&] {
    refuse(system.name, "a pencil s M - A whose index is lost in round-off",
           "rows and columns that are not combinations of others but for round-off");
  };
  if (index < 1) refuse_lost();
  if (index > 2) {
    const std::string found = "a pencil s M - A of index " + std::to_string(index);
    refuse(system.name, found.c_str(),
           "index 1 or 2, or time-stepping: its multipliers would be derivatives of data and impulses");
  }
  system.form = DescriptorForm::of(M, A);
  if ((index == 1) != (system.form->R.rows() == 0)) refuse_lost();
  system.inverse_mass = system.form->W;
}

void FirstOrderData::add_systems(const NonSmoothDynamicalSystem& model) {
  for (const Layout::System& place : layout_->systems) {
    if (!place.first_order) continue;
    const auto& record = model.systems()[place.slot];
    if (dynamic_cast<const FilippovProcess*>(record.first_order)) continue;  // FilippovPart
    System system{.place = &place - layout_->systems.data(),
                  .x = n,
                  .z = layout_->num_positions + place.z,
                  .n = place.n,
                  .name = record.name,
                  .description = FirstOrderSystemEvaluator::of(record),
                  .x_scratch = Eigen::VectorXd::Zero(place.n),
                  .f = Eigen::VectorXd::Zero(place.n)};
    if (system.description.empty()) {
      refuse(system.name, std::string("a ") + record.with_law->kind(),
             "a first-order system with relations: of a set that is known by its projection no branch is known");
    }
    if (system.description.feedback()) {
      refuse(system.name, "Feedback", "an input f(t, x): sampled feedback needs a step to be held over");
    }
    add_mass(system);
    has_descriptors_ = has_descriptors_ || system.form;
    const FirstOrderLinearSystem* linear = system.description.linear;
    drift_linear = drift_linear && system.description.has_constant_matrix();
    drive_varies = drive_varies || (linear && linear->b.function());
    if (linear && !linear->A.empty()) {
      system.A.resize(place.n, place.n);
      if (!linear->A.function()) system.A = system.form ? system.form->A : linear->A.to_dense(place.n);
    }
    n += place.n;
    systems_.push_back(std::move(system));
  }
  if (!systems_.empty()) first_in_z_ = systems_.front().z;
  for (const System& system : systems_) {
    if (system.z != systems_.front().z + system.x) first_in_z_ = -1;
  }
  if (!drift_linear) return;
  G = Eigen::MatrixXd::Zero(n, n);
  for (const System& system : systems_) {
    if (system.A.size() > 0) system.divide_by_mass(system.A, G.block(system.x, system.x, system.n, system.n));
  }
}

void FirstOrderData::add_rows(const PreparedLaw& law, Index index) {
  const Interaction& interaction = interactions[static_cast<std::size_t>(index)];
  Index auxiliary = interaction.rows;
  for (Index first = 0; first < interaction.rows; first += law.size) {
    const Index first_auxiliary = auxiliary;
    Index local = first, within = 0;
    for (const LawBlock::Part& part : law.parts) {
      for (Index k = 0; k < part.size; ++k, ++within) {
        const Index at = within < law.size ? local++ : auxiliary++;
        FirstOrderRow& row = rows[static_cast<std::size_t>(interaction.row + at)];
        row = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), index, at, {}};
        if (part.set.kind == SetKind::Orthant) row.lower = 0.0;
        if (part.set.kind == SetKind::Box) {
          row.lower = part.set.lower;
          row.upper = part.set.upper;
        }
      }
    }
    const auto place = [&](Index i) {
      return interaction.row + (i < law.size ? first + i : first_auxiliary + i - law.size);
    };
    for (Index i = 0; i < law.offset.size(); ++i) offset[place(i)] = law.offset[i];
    for (Index i = 0; i < law.coupling.rows(); ++i)
      for (Index j = 0; j < law.coupling.cols(); ++j) coupling(place(i), place(j)) = law.coupling(i, j);
  }
}

void FirstOrderData::evaluate_matrices(double t, Interaction& interaction, bool first) {
  const FirstOrderRelationEvaluator& relation = interaction.relation;
  const Index size = interaction.rows;
  Eigen::MatrixXd& given = has_descriptors_ ? given_C_ : C;
  if (first || relation.linear->C.function()) {
    relation.C(t, interaction.C);
    for (const LinkedSystem& linked : interaction.systems)
      given.block(interaction.row, linked.z, size, linked.n) = interaction.C.middleCols(linked.column, linked.n);
  }
  if (first || relation.linear->B.function()) {
    relation.B(t, interaction.B);
    for (const LinkedSystem& linked : interaction.systems)
      B_.block(linked.z, interaction.row, linked.n, size) = interaction.B.middleRows(linked.column, linked.n);
  }
  if (first || relation.linear->D.function()) {
    relation.D(t, interaction.D);
    given_D_.block(interaction.row, interaction.row, size, size) = interaction.D;
  }
}

void FirstOrderData::evaluate(double t) {
  const bool first = std::isnan(time_);
  if (time_ == t || (!first && !matrices_vary && !offsets_vary)) return;
  if (first || matrices_vary) {
    as_remembered_ = false;
    for (Interaction& interaction : interactions) evaluate_matrices(t, interaction, first);
    relation_D_ = given_D_;
    for (const System& system : systems_)
      system.divide_by_mass(B_.middleRows(system.x, system.n), P.middleRows(system.x, system.n));
    if (has_descriptors_) reduce_matrices();
    D = relation_D_ + coupling;
  }
  if (first || offsets_vary) evaluate_offsets(t, e);
  if (matrices_vary && remembered_.C.size() == C.size()) as_remembered_ = is(remembered_);
  time_ = t;
}

void FirstOrderData::evaluate_offsets(double t, Eigen::VectorXd& value) {
  value.setZero(m);
  for (const Interaction& interaction : interactions)
    interaction.relation.e(t, value.segment(interaction.row, interaction.rows));
  value += offset;
  for (System& system : systems_) {
    if (!system.form) continue;
    system.description.b(t, system.f);
    system.x_scratch.noalias() = system.form->Z * system.f;
    value.noalias() -= given_C_.middleCols(system.x, system.n) * system.x_scratch;
    if (const Index count = system.form->R.rows(); count > 0)
      value.segment(system.first_row, count).noalias() -= system.form->R * system.f;
  }
}

void FirstOrderData::functions_of_time(double t, Eigen::VectorXd& value) const {
  value.setZero(m + n);
  for (const Interaction& interaction : interactions) {
    if (interaction.relation.linear->e.function())
      interaction.relation.e(t, value.segment(interaction.row, interaction.rows));
  }
  for (const System& system : systems_) {
    const auto* linear = system.description.linear;
    if (linear && linear->b.function()) system.description.b(t, value.segment(m + system.x, system.n));
  }
}

void FirstOrderData::drift(double t, const Eigen::VectorXd& x, Eigen::VectorXd& g) {
  g.resize(n);
  for (System& system : systems_) {
    const FirstOrderSystemEvaluator& description = system.description;
    if (description.linear) {
      description.b(t, system.f);
      if (description.linear->A.function()) description.A(t, system.A);
      if (system.A.size() > 0) smooth::add_product(system.A, x.data() + system.x, system.f.data());
    } else {
      system.x_scratch = x.segment(system.x, system.n);
      description.f(t, system.x_scratch, system.f);
    }
    system.divide_by_mass(system.f, g.segment(system.x, system.n));
  }
}

void FirstOrderData::drive(double t, Eigen::VectorXd& beta) {
  beta.resize(n);
  for (System& system : systems_) {
    system.description.b(t, system.f);
    system.divide_by_mass(system.f, beta.segment(system.x, system.n));
  }
}

void FirstOrderData::relation_outputs(const Eigen::VectorXd& x, const Eigen::VectorXd& lambda,
                                      Eigen::VectorXd& y) const {
  y = e - offset;
  y.noalias() += C * x;
  y.noalias() += relation_D_ * lambda;
}

void FirstOrderData::gather(const Eigen::VectorXd& z, Eigen::VectorXd& x) const {
  x.resize(n);
  stack_unknowns(systems_, z.data(), x.data());
}

void FirstOrderData::scatter(const Eigen::VectorXd& x, Eigen::VectorXd& z) const {
  for (const System& system : systems_) z.segment(system.z, system.n) = x.segment(system.x, system.n);
}

}  // namespace nonsmooth::events
