// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <internal/decompositions.hpp>

#include "mechanical_rows.hpp"
#include "row_basis.hpp"

namespace nonsmooth::analysis::detail {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// What has to be left of a row for it to be independent; of Jacobians that may come from differences, their error.
constexpr double kDependent = 1e-10, kDependentByDifferences = 1e-6;
constexpr double kAgree = 1e-8;  ///< of the terms that two rows make of the same position or velocity
constexpr double kHeld = 1e-10;  ///< what bilateral rows leave of a contact's own W_NN, where they hold its normal

/// The rows that are bilateral, made orthogonal, and what is known of them.
struct Constraints {
  RowBasis basis;
  Matrix E;  ///< basis.rows()
  bool velocities_agree = true;
  bool at_their_position = true;  ///< every y is 0
  bool prescribed = false;
};

bool is_bilateral(const MechanicalRow& row) {
  return row.role == RowRole::Bilateral || row.role == RowRole::Prescribed;
}

double dependent_below(const MechanicalRow& row) { return row.exact ? kDependent : kDependentByDifferences; }

std::vector<Index> rows_that(const MechanicalRows& rows, auto&& wanted) {
  std::vector<Index> chosen;
  for (Index r = 0; r < static_cast<Index>(rows.rows.size()); ++r) {
    if (wanted(rows.rows[static_cast<std::size_t>(r)])) chosen.push_back(r);
  }
  return chosen;
}

/// Row r as c^T of the rows kept before: does it ask for the same position, the same velocity?
void compare_dependent(const MechanicalRows& rows, Index r, const std::vector<Index>& kept, const Vector& c,
                       Constraints& constraints, MechanicalIsland& result) {
  const MechanicalRow& row = rows.rows[static_cast<std::size_t>(r)];
  double y = row.y, drift = row.drift, y_terms = row.terms, drift_terms = std::abs(row.drift);
  bool of_positions = row.role == RowRole::Bilateral;
  RowDependence dependence{.row = row.name, .terms = {}};
  for (Index k = 0; k < c.size(); ++k) {
    const Index at = kept[static_cast<std::size_t>(k)];
    const MechanicalRow& other = rows.rows[static_cast<std::size_t>(at)];
    const double share = std::abs(c[k]) * rows.H.row(at).norm() / rows.H.row(r).norm();
    if (!(share > kDependent)) continue;
    if (share > dependent_below(row)) dependence.terms.push_back({other.name, c[k]});
    y -= c[k] * other.y;
    y_terms += std::abs(c[k]) * other.terms;
    drift -= c[k] * other.drift;
    drift_terms += std::abs(c[k] * other.drift);
    of_positions = of_positions && other.role == RowRole::Bilateral;
  }
  result.redundant.push_back(row.name);
  result.dependences.push_back(std::move(dependence));
  const bool velocities = std::abs(drift) <= kAgree * drift_terms;
  constraints.velocities_agree = constraints.velocities_agree && velocities;
  if (!velocities || (of_positions && std::abs(y) > kAgree * y_terms)) result.contradicting.push_back(row.name);
}

Constraints examine_constraints(const Dynamics& dynamics, const MechanicalRows& rows, MechanicalIsland& result) {
  Constraints constraints{.basis = RowBasis(dynamics.M.diagonal()), .E = {}};
  std::vector<Index> kept;
  Vector c;
  for (const Index r : rows_that(rows, is_bilateral)) {
    const MechanicalRow& row = rows.rows[static_cast<std::size_t>(r)];
    ++result.bilateral;
    constraints.prescribed = constraints.prescribed || row.role == RowRole::Prescribed;
    if (row.role == RowRole::Bilateral && std::abs(row.y) > kAgree * row.terms) constraints.at_their_position = false;
    if (constraints.basis.joins(rows.H.row(r), dependent_below(row), c)) {
      kept.push_back(r);
    } else {
      compare_dependent(rows, r, kept, c, constraints, result);
    }
  }
  constraints.E = constraints.basis.rows();
  result.degrees_of_freedom = dynamics.v.size() - constraints.basis.rank();
  result.counted_freedoms = dynamics.v.size() - result.bilateral;
  result.hyperstatic_degree = result.bilateral - constraints.basis.rank();
  RowBasis with_contacts = constraints.basis;
  for (const UnilateralContact& contact : rows.contacts) {
    const double dependent = dependent_below(rows.rows[static_cast<std::size_t>(contact.row)]);
    if (contact.closed && !with_contacts.joins(rows.H.row(contact.row), dependent, c)) ++result.hyperstatic_contacts;
  }
  return constraints;
}

Matrix mass_inverse_times(const CholeskyFactors& mass, Matrix H_transposed) {
  for (Index j = 0; j < H_transposed.cols(); ++j) mass.solve_in_place(H_transposed.col(j));
  return H_transposed;
}

/// W = H M^-1 H^T, and G = W - W_E W_EE^-1 W_E^T of what bilateral constraints leave.
struct Delassus {
  Matrix W, G;
};
Delassus delassus(const Matrix& H, const Matrix& E, const CholeskyFactors& mass) {
  const Matrix P = mass_inverse_times(mass, H.transpose());
  Delassus result{.W = H * P, .G = {}};
  result.G = result.W;
  if (E.rows() == 0) return result;
  const Matrix P_E = mass_inverse_times(mass, E.transpose());
  result.G -= H * P_E * LuFactors(Matrix(E * P_E)).solve(Matrix(E * P));
  return result;
}

void examine_friction(const MechanicalRows& rows, const Matrix& E, const CholeskyFactors& mass,
                      MechanicalIsland& result) {
  for (const UnilateralContact& contact : rows.contacts) {
    double largest = 0.0;
    for (const FrictionRows& one : contact.friction) largest = std::max(largest, one.bound);
    if (!(largest > 0.0)) continue;
    const auto [W, G] = delassus(rows.H.middleRows(contact.row, contact.size), E, mass);
    const double mu = contact.friction.front().bound, unit = mu > 0.0 ? mu : 1.0;
    FrictionBound bound{.contact = contact.name, .friction = mu, .gap = contact.gap};
    if (!(G(0, 0) > kHeld * W(0, 0))) {
      bound.known = false;
    } else {
      double coupling = 0.0, round_off = 0.0;
      Index first = 1;
      for (const FrictionRows& one : contact.friction) {
        const double weight = one.bound / unit;
        coupling += weight * G.row(0).segment(first, one.size).norm();
        round_off += weight * 1e-12 * std::sqrt(W(0, 0) * W.diagonal().segment(first, one.size).maxCoeff());
        first += one.size;
      }
      const double reached = coupling <= round_off ? std::numeric_limits<double>::infinity() : G(0, 0) / coupling;
      bound.bound = mu > 0.0 ? reached : std::numeric_limits<double>::infinity();
      bound.margin = reached / unit;
    }
    result.friction.push_back(std::move(bound));
  }
}

/// Of v = Z s, E Z = 0, time in units of the stiffness, so that the companion matrix is balanced.
Eigen::VectorXcd rates_of_motion(const Matrix& M, const Matrix& F_q, const Matrix& F_v, const Matrix& Z) {
  const Index n = Z.cols();
  if (n == 0) return {};
  const LuFactors mass(Matrix(Z.transpose() * M * Z));
  const Matrix K = mass.solve(Matrix(Z.transpose() * F_q * Z)), C = mass.solve(Matrix(Z.transpose() * F_v * Z));
  const double frequency = std::max(std::sqrt(K.norm()), std::numeric_limits<double>::min());
  Matrix A = Matrix::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n) = frequency * Matrix::Identity(n, n);
  A.bottomLeftCorner(n, n) = K / frequency;
  A.bottomRightCorner(n, n) = C;
  return rates_of(A);
}

void examine_rates(const Dynamics& dynamics, const MechanicalRows& rows, const Constraints& constraints,
                   MechanicalIsland& result) {
  for (const Index r : rows_that(rows, is_bilateral)) {
    if (rows.rows[static_cast<std::size_t>(r)].exact ||
        rows.rows[static_cast<std::size_t>(r)].role == RowRole::Prescribed)
      continue;
    result.rates_why_not = "constraints whose Jacobian varies: their forces turn with them";
    return;
  }
  const Matrix Z = constraints.basis.kernel();
  result.free_rates = rates_of_motion(dynamics.M, dynamics.F_q, dynamics.F_v, Z);
  Matrix F_q = dynamics.F_q, F_v = dynamics.F_v;
  for (const Index r : rows_that(rows, [](const MechanicalRow& row) { return row.role == RowRole::Spring; })) {
    const MechanicalRow& row = rows.rows[static_cast<std::size_t>(r)];
    F_q -= row.stiffness * rows.H.row(r).transpose() * rows.H.row(r);
    F_v -= row.damping * rows.H.row(r).transpose() * rows.H.row(r);
  }
  if (F_q != dynamics.F_q) result.sprung_rates = rates_of_motion(dynamics.M, F_q, F_v, Z);
}

/// sqrt(u^2 - 2 a y) of the motion that bilateral constraints leave, where the gap closes.
void examine_approach(const Dynamics& dynamics, const MechanicalRows& rows, const Constraints& constraints,
                      const CholeskyFactors& mass, MechanicalIsland& result) {
  Matrix a = mass_inverse_times(mass, dynamics.F);
  if (constraints.E.rows() > 0) {
    const Matrix P_E = mass_inverse_times(mass, constraints.E.transpose());
    a -= P_E * LuFactors(Matrix(constraints.E * P_E)).solve(Matrix(constraints.E * a));
  }
  for (const UnilateralContact& contact : rows.contacts) {
    const double u = rows.H.row(contact.row).dot(dynamics.v) + rows.rows[static_cast<std::size_t>(contact.row)].drift;
    const double rate = rows.H.row(contact.row).dot(a.col(0)), y = std::max(contact.gap, 0.0);
    const double square = u * u - 2.0 * rate * y;
    if ((u < 0.0 || rate < 0.0) && square > 0.0) result.approach = std::max(result.approach, std::sqrt(square));
  }
}

/// Without unilateral contacts: an ordinary differential equation, where bilateral rows stay as independent as they
/// are.
void examine_smooth_motion(const MechanicalRows& rows, const Constraints& constraints, MechanicalIsland& result) {
  WellPosedness& motion = result.solutions;
  const bool independent = result.hyperstatic_degree == 0;
  if (!independent && (!rows.constant || result.driven)) {
    motion.why_not = "bilateral rows that depend on one another, and vary";
    return;
  }
  if (!constraints.at_their_position) {
    motion.why_not = "bilateral rows that are not met at the start";
    return;
  }
  motion.existence = motion.uniqueness = Verdict::Holds;
  motion.unique_multiplier = independent ? Verdict::Holds : Verdict::Fails;
  motion.theorem = Theorem::NoUnilateralContact;
  motion.solutions = "local in time, while forces are Lipschitz-continuous";
}

/// Frictionless contacts of one restitution, with normals independent of each other and of bilateral rows.
void examine_impacting_motion(const Dynamics& dynamics, const MechanicalRows& rows, const Constraints& constraints,
                              MechanicalIsland& result) {
  WellPosedness& motion = result.solutions;
  RowBasis basis = constraints.basis;
  Vector c;
  bool alike = true, all_independent = result.hyperstatic_degree == 0;
  for (const UnilateralContact& contact : rows.contacts) {
    alike = alike && contact.restitution == rows.contacts.front().restitution;
    const double dependent = dependent_below(rows.rows[static_cast<std::size_t>(contact.row)]);
    all_independent = basis.joins(rows.H.row(contact.row), dependent, c) && all_independent;
  }
  if (constraints.prescribed) {
    motion.why_not = "a prescribed velocity beside contacts";
  } else if (!result.inside.empty() || !constraints.at_their_position) {
    motion.why_not = "a start inside an obstacle or off a constraint";
  } else if (!alike) {
    motion.why_not = "contacts whose restitutions differ";
  } else if (result.hyperstatic_degree > 0 || result.hyperstatic_contacts > 0) {
    motion.why_not = "constraints that depend on one another";
  } else {
    const bool analytic = dynamics.analytic && rows.constant;
    motion.existence = Verdict::Holds;
    motion.uniqueness = motion.unique_multiplier = analytic ? Verdict::Holds : Verdict::NotKnown;
    motion.theorem = Theorem::IndependentConstraints;
    motion.solutions = all_independent && rows.constant ? "velocities of bounded variation"
                                                        : "velocities of bounded variation; until another gap closes";
    if (!analytic) motion.why_not = "functions of the user's, which may not be analytic";
  }
}

void examine_motion(const Dynamics& dynamics, const MechanicalRows& rows, const Constraints& constraints,
                    MechanicalIsland& result) {
  WellPosedness& motion = result.solutions;
  const auto& contacts = rows.contacts;
  const bool newton =
      std::all_of(contacts.begin(), contacts.end(), [](const auto& contact) { return contact.impacts; });
  if (!constraints.velocities_agree) {
    motion.existence = Verdict::Fails;
    motion.theorem = Theorem::ContradictingVelocities;
  } else if (!result.contradicting.empty()) {
    motion.why_not = "bilateral rows whose positions cannot all hold; schemes hold velocities alone";
  } else if (result.others > 0 || !rows.monotone || !newton) {
    motion.why_not = "laws other than Newton's impacts, friction and equalities";
  } else if (result.may_meet) {
    motion.why_not = "contacts that are found while the model runs";
  } else if (!result.friction.empty()) {
    motion.why_not = "friction";
  } else if (contacts.empty()) {
    examine_smooth_motion(rows, constraints, result);
  } else {
    examine_impacting_motion(dynamics, rows, constraints, result);
  }
}

/// Uniqueness of the velocities after a short step, whose iteration matrix is M but for terms of order h.
void examine_step(const MechanicalRows& rows, MechanicalIsland& result) {
  const auto conclude = [&result](Verdict verdict, std::string_view reason) {
    result.unique_step = verdict;
    result.unique_step_reason = reason;
  };
  if (!result.contradicting.empty()) {
    conclude(Verdict::NotKnown, "rows that contradict one another");
  } else if (!rows.monotone) {
    conclude(Verdict::NotKnown, "laws that are no monotone maps");
  } else if (result.friction.empty()) {
    conclude(Verdict::Holds, "W symmetric and positive semidefinite, monotone laws");
  } else if (rows.contacts.size() > 1 || result.others > 0) {
    conclude(Verdict::NotKnown, "several contacts with friction");
  } else if (rows.contacts.front().size != 2) {
    conclude(Verdict::NotKnown, "friction in space");
  } else if (!result.friction.front().known) {
    conclude(Verdict::NotKnown, "bilateral rows hold the normal of a contact with friction");
  } else if (result.friction.front().above()) {
    conclude(Verdict::Fails, "one contact in the plane, mu not below Painlevé's bound");
  } else {
    conclude(Verdict::Holds, "one contact in the plane, mu below Painlevé's bound");
  }
}

/// Contacts and rows by kind, and which start where they must not.
void count_rows(const MechanicalRows& rows, MechanicalIsland& result) {
  result.unilateral = static_cast<Index>(rows.contacts.size());
  for (const UnilateralContact& contact : rows.contacts) {
    if (contact.closed) ++result.closed;
    const double terms = rows.rows[static_cast<std::size_t>(contact.row)].terms;
    if (contact.gap < -kClosed * terms) result.inside.push_back(contact.name);
  }
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const RowRole role = rows.rows[r].role;
    if (role == RowRole::Other || role == RowRole::Spring || role == RowRole::JointFriction) ++result.others;
    if (rows.H.row(static_cast<Index>(r)).isZero(0.0)) result.unreached.push_back(rows.rows[r].name);
  }
}

void examine_spectrum(const MechanicalRows& rows, const CholeskyFactors& mass, MechanicalIsland& result) {
  const std::vector<Index> acting = rows_that(rows, [&rows](const MechanicalRow& row) {
    if (row.role == RowRole::Spring) return false;
    return row.contact < 0 || rows.contacts[static_cast<std::size_t>(row.contact)].closed;
  });
  for (const Index r : acting) result.acting.push_back(rows.rows[static_cast<std::size_t>(r)].name);
  if (acting.empty()) return;
  const Matrix W = delassus(rows.H(acting, Eigen::all), Matrix(0, rows.H.cols()), mass).W;
  result.W = 0.5 * (W + W.transpose());
  const SymmetricEigen eigen = symmetric_eigen(result.W);
  if (eigen.converged) result.spectrum = eigen.values;
}

bool in_a_source(const NonSmoothDynamicalSystem& model, const State& state, const Island& island) {
  for (const auto& source : model.sources()) {
    for (const SystemHandle body : source->bodies()) {
      if (std::find(island.systems.begin(), island.systems.end(), state.layout()->index(body)) != island.systems.end())
        return true;
    }
  }
  return false;
}

}  // namespace

MechanicalIsland examine_mechanical(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                                    const ExaminationOptions& options) {
  const Layout& layout = *state.layout();
  MechanicalIsland result;
  Index m = 0;
  for (const IslandContact& contact : island.contacts) m += contact.H_first.rows();
  for (const Index s : island.systems) {
    result.systems.push_back(layout.systems[static_cast<std::size_t>(s)].name);
    result.velocities += layout.systems[static_cast<std::size_t>(s)].n;
  }
  for (const Index i : island.interactions) {
    result.interactions.push_back(interaction_at(model, state, i).name);
    m += interaction_at(model, state, i).rows;
  }
  if (result.velocities > options.most_states || m > options.most_states) {
    result.why_not =
        std::to_string(result.velocities) + " velocities and " + std::to_string(m) + " rows, more than most_states";
    return result;
  }
  result.may_meet = in_a_source(model, state, island);
  const Dynamics dynamics = dynamics_of(model, state, island, result.velocities);
  const MechanicalRows rows = rows_of(model, state, island, dynamics);
  result.constant = dynamics.constant && rows.constant && island.contacts.empty();
  result.driven = dynamics.driven || rows.driven;
  const CholeskyFactors mass(dynamics.M);
  if (!dynamics.M.allFinite() || !dynamics.F.allFinite() || !dynamics.F_q.allFinite() || !dynamics.F_v.allFinite() ||
      !rows.H.allFinite()) {
    result.why_not = "numbers that are not finite";
    return result;
  }
  if (!mass.is_positive_definite()) {
    result.why_not = "a mass that is not positive definite";
    return result;
  }
  count_rows(rows, result);
  const Constraints constraints = examine_constraints(dynamics, rows, result);
  find_closed_loops(model, state, island, result);
  examine_friction(rows, constraints.E, mass, result);
  examine_spectrum(rows, mass, result);
  examine_rates(dynamics, rows, constraints, result);
  examine_approach(dynamics, rows, constraints, mass, result);
  examine_motion(dynamics, rows, constraints, result);
  examine_step(rows, result);
  return result;
}

}  // namespace nonsmooth::analysis::detail
