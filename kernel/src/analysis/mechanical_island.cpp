// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/decompositions.hpp>

#include "mechanical_rows.hpp"

namespace nonsmooth::analysis::detail {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kDependent = 1e-10;  ///< what is left of a row's length

std::vector<Index> rows_that(const MechanicalRows& rows, auto&& wanted) {
  std::vector<Index> chosen;
  for (Index r = 0; r < static_cast<Index>(rows.rows.size()); ++r) {
    if (wanted(rows.rows[static_cast<std::size_t>(r)])) chosen.push_back(r);
  }
  return chosen;
}

bool is_bilateral(const MechanicalRow& row) {
  return row.kind == MechanicalRow::Kind::Bilateral || row.kind == MechanicalRow::Kind::Prescribed;
}

/// Rows made orthogonal one after the other, in coordinates in which diag(M) = 1.
class RowBasis {
 public:
  explicit RowBasis(const Vector& mass_diagonal) : scale_(mass_diagonal.cwiseSqrt().cwiseInverse()) {}

  /// The row's length, and what of it is not in the span of those before (relative); it joins where that is enough.
  /// `coefficients` of the rows that joined, where it depends.
  [[nodiscard]] bool joins(const Vector& row, Vector& coefficients) {
    Vector rest = row.cwiseProduct(scale_);
    const double length = rest.norm();
    if (!(length > 0.0)) {
      coefficients = Vector::Zero(rank());
      return false;
    }
    rest /= length;
    Vector along = Vector::Zero(rank());
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough
      const Vector part = Q_.transpose() * rest;
      rest -= Q_ * part;
      along += part;
    }
    if (rest.norm() < kDependent) {
      coefficients = length * triangle_.topLeftCorner(rank(), rank()).triangularView<Eigen::Upper>().solve(along);
      return false;
    }
    const Index r = rank();
    triangle_.conservativeResizeLike(Matrix::Zero(r + 1, r + 1));
    triangle_.col(r).head(r) = length * along;
    triangle_(r, r) = length * rest.norm();
    Q_.conservativeResize(scale_.size(), r + 1);
    Q_.col(r) = rest.normalized();
    return true;
  }
  [[nodiscard]] Index rank() const { return Q_.cols(); }

 private:
  Vector scale_;
  Matrix Q_ = Matrix(scale_.size(), 0), triangle_ = Matrix(0, 0);
};

/// Bilateral rows in order: which are dependent, and which of these ask for other positions or velocities than those
/// before. Then the closed contacts' normals, for their hyperstatic degree.
void examine_constraints(const Dynamics& dynamics, const MechanicalRows& rows, MechanicalIsland& result) {
  RowBasis basis(dynamics.M.diagonal());
  std::vector<Index> kept;
  Vector c;
  for (const Index r : rows_that(rows, is_bilateral)) {
    const MechanicalRow& row = rows.rows[static_cast<std::size_t>(r)];
    ++result.bilateral;
    if (basis.joins(rows.H.row(r), c)) {
      kept.push_back(r);
      continue;
    }
    double y = row.y, drift = row.drift, y_terms = row.terms, drift_terms = std::abs(row.drift);
    bool of_positions = row.kind == MechanicalRow::Kind::Bilateral;
    for (Index k = 0; k < c.size(); ++k) {
      const MechanicalRow& other = rows.rows[static_cast<std::size_t>(kept[static_cast<std::size_t>(k)])];
      if (std::abs(c[k]) * rows.H.row(kept[static_cast<std::size_t>(k)]).norm() <= kDependent * rows.H.row(r).norm())
        continue;
      y -= c[k] * other.y;
      y_terms += std::abs(c[k]) * other.terms;
      drift -= c[k] * other.drift;
      drift_terms += std::abs(c[k] * other.drift);
      of_positions = of_positions && other.kind == MechanicalRow::Kind::Bilateral;
    }
    result.redundant.push_back(row.name);
    if ((of_positions && std::abs(y) > kClosed * y_terms) || std::abs(drift) > kClosed * drift_terms)
      result.contradicting.push_back(row.name);
  }
  result.degrees_of_freedom = dynamics.v.size() - basis.rank();
  result.hyperstatic_degree = result.bilateral - basis.rank();
  for (const UnilateralContact& contact : rows.contacts) {
    if (contact.closed && !basis.joins(rows.H.row(contact.row), c)) ++result.hyperstatic_contacts;
  }
}

/// H M^-1 H^T of chosen rows, after bilateral constraints: G = W - W_E W_EE^+ W_E^T.
Matrix constrained_delassus(const Matrix& own, const Matrix& bilateral, const CholeskyFactors& mass) {
  const auto applied = [&mass](const Matrix& H) {
    Matrix P = H.transpose();
    for (Index j = 0; j < P.cols(); ++j) mass.solve_in_place(P.col(j));
    return P;
  };
  const Matrix P = applied(own);
  Matrix G = own * P;
  if (bilateral.rows() == 0) return G;
  const Matrix P_bilateral = applied(bilateral);
  CompleteOrthogonalFactors factors;
  factors.set_threshold(1e-12);
  factors.compute(bilateral * P_bilateral);
  G -= own * P_bilateral * factors.solve_columns(bilateral * P);
  return G;
}

void examine_friction(const MechanicalRows& rows, const Matrix& bilateral, const CholeskyFactors& mass,
                      MechanicalIsland& result) {
  for (const UnilateralContact& contact : rows.contacts) {
    if (!(contact.friction > 0.0) || contact.size < 2) continue;
    const Index tangents = std::min<Index>(contact.size - 1, 2);
    const Matrix H = rows.H.middleRows(contact.row, 1 + tangents);
    const Matrix G = constrained_delassus(H, bilateral, mass);
    const double coupling = G.row(0).tail(tangents).norm();
    const double round_off = 1e-12 * std::sqrt(G(0, 0) * G.diagonal().tail(tangents).maxCoeff());
    result.friction.push_back(
        {.contact = contact.name,
         .friction = contact.friction,
         .bound = coupling <= round_off ? std::numeric_limits<double>::infinity() : G(0, 0) / coupling,
         .gap = contact.gap});
  }
}

/// Of the motion that bilateral constraints leave: v = Z s with E Z = 0, M_Z = Z^T M Z, time in units of the slowest
/// stiffness, so that the companion matrix is balanced.
void examine_rates(const Dynamics& dynamics, const Matrix& bilateral, MechanicalIsland& result) {
  const Vector scale = dynamics.M.diagonal().cwiseSqrt().cwiseInverse();
  Matrix Z = scale.asDiagonal();
  if (bilateral.rows() > 0) {
    CompleteOrthogonalFactors factors;
    factors.set_threshold(kDependent);
    factors.compute(bilateral * scale.asDiagonal());
    Z = scale.asDiagonal() * factors.kernel();
  }
  const Index n = Z.cols();
  if (n == 0) return;
  const LuFactors mass(Matrix(Z.transpose() * dynamics.M * Z));
  const Matrix K = mass.solve(Matrix(Z.transpose() * dynamics.F_q * Z));
  const Matrix C = mass.solve(Matrix(Z.transpose() * dynamics.F_v * Z));
  const double frequency = std::max(std::sqrt(K.norm()), std::numeric_limits<double>::min());
  Matrix A = Matrix::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.topRightCorner(n, n) *= frequency;
  A.bottomLeftCorner(n, n) = K / frequency;
  A.bottomRightCorner(n, n) = C;
  result.free_rates = rates_of(A);
}

/// The speed at which open gaps would be met under the present acceleration: sqrt(u^2 + 2 a y) where u or a closes.
void examine_approach(const Dynamics& dynamics, const MechanicalRows& rows, const CholeskyFactors& mass,
                      MechanicalIsland& result) {
  Vector a = dynamics.F;
  mass.solve_in_place(a);
  for (const UnilateralContact& contact : rows.contacts) {
    const double u = rows.H.row(contact.row).dot(dynamics.v) + rows.rows[static_cast<std::size_t>(contact.row)].drift;
    const double rate = rows.H.row(contact.row).dot(a), y = std::max(contact.gap, 0.0);
    const double square = u * u - 2.0 * rate * y;
    if ((u < 0.0 || rate < 0.0) && square > 0.0) result.approach = std::max(result.approach, std::sqrt(square));
  }
}

/// Existence and uniqueness of the motion: velocities of bounded variation.
void examine_motion(const Dynamics& dynamics, const MechanicalRows& rows, MechanicalIsland& result) {
  WellPosedness& motion = result.solutions;
  const auto& contacts = rows.contacts;
  const bool alike = std::all_of(contacts.begin(), contacts.end(), [&contacts](const UnilateralContact& contact) {
    return contact.impacts && contact.restitution == contacts.front().restitution;
  });
  const bool independent = result.hyperstatic_degree == 0 && result.hyperstatic_contacts == 0;
  if (!result.contradicting.empty()) {
    motion.existence = Verdict::Fails;
    motion.theorem = "bilateral rows that contradict one another";
  } else if (result.others > 0 || !rows.monotone) {
    motion.why_not = "laws other than impacts, friction and equalities";
  } else if (contacts.empty()) {
    motion.existence = motion.uniqueness = Verdict::Holds;
    motion.unique_multiplier = independent ? Verdict::Holds : Verdict::Fails;
    motion.theorem = "no unilateral contact: an ordinary differential equation, while forces are Lipschitz-continuous";
    motion.solutions = "local in time";
  } else if (!result.friction.empty()) {
    motion.why_not = "friction";
  } else if (!independent || !alike) {
    motion.why_not = independent ? "contacts whose restitutions differ" : "constraints that depend on one another";
  } else {
    const bool analytic = dynamics.analytic && rows.constant;
    motion.existence = Verdict::Holds;
    motion.uniqueness = motion.unique_multiplier = analytic ? Verdict::Holds : Verdict::NotKnown;
    motion.theorem = "independent constraints without friction; analytic data for uniqueness";
    motion.source = "ballard2000";
    motion.solutions = "velocities of bounded variation";
    if (!analytic) motion.why_not = "functions of the user's, which may not be analytic";
  }
}

/// Uniqueness of the velocities after a step.
void examine_step(const Dynamics& dynamics, const MechanicalRows& rows, MechanicalIsland& result) {
  const bool linear = dynamics.constant && rows.constant;
  const auto conclude = [&result](Verdict verdict, std::string_view reason) {
    result.unique_step = verdict;
    result.unique_step_reason = reason;
  };
  if (!result.contradicting.empty()) {
    conclude(Verdict::NotKnown, "rows that contradict one another");
  } else if (!rows.monotone) {
    conclude(Verdict::NotKnown, "laws that are no monotone maps");
  } else if (result.friction.empty()) {
    conclude(Verdict::Holds, linear ? "W symmetric and positive semidefinite, monotone laws"
                                    : "W symmetric and positive semidefinite, monotone laws; of each linearised step");
  } else if (rows.contacts.size() > 1 || result.others > 0) {
    conclude(Verdict::NotKnown, "several contacts with friction");
  } else if (rows.contacts.front().size != 2) {
    conclude(Verdict::NotKnown, "friction in space");
  } else if (result.friction.front().above()) {
    conclude(Verdict::Fails, "one contact in the plane, mu not below Painleve's bound");
  } else {
    conclude(Verdict::Holds, "one contact in the plane, mu below Painleve's bound");
  }
}

}  // namespace

MechanicalIsland examine_mechanical(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                                    const ExaminationOptions& options) {
  const Layout& layout = *state.layout();
  MechanicalIsland result;
  Index m = 2 * static_cast<Index>(island.contacts.size());
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
  const Dynamics dynamics = dynamics_of(model, state, island, result.velocities);
  const MechanicalRows rows = rows_of(model, state, island, dynamics);
  result.constant = dynamics.constant && rows.constant && island.contacts.empty();
  result.driven = dynamics.driven || rows.driven;
  result.unilateral = static_cast<Index>(rows.contacts.size());
  result.closed = std::count_if(rows.contacts.begin(), rows.contacts.end(), [](const auto& c) { return c.closed; });
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    if (rows.rows[r].kind == MechanicalRow::Kind::Other) ++result.others;
    if (rows.H.row(static_cast<Index>(r)).isZero(0.0)) result.unreached.push_back(rows.rows[r].name);
  }
  const CholeskyFactors mass(dynamics.M);
  if (!dynamics.M.allFinite() || !rows.H.allFinite() || !mass.is_positive_definite()) {
    result.why_not = "a mass that is not positive definite, or numbers that are not finite";
    return result;
  }
  examine_constraints(dynamics, rows, result);
  const Matrix bilateral = rows.H(rows_that(rows, is_bilateral), Eigen::all);
  examine_friction(rows, bilateral, mass, result);
  const std::vector<Index> acting = rows_that(rows, [&rows](const MechanicalRow& row) {
    return row.contact < 0 || rows.contacts[static_cast<std::size_t>(row.contact)].closed;
  });
  for (const Index r : acting) result.acting.push_back(rows.rows[static_cast<std::size_t>(r)].name);
  if (!acting.empty()) {
    result.W = constrained_delassus(rows.H(acting, Eigen::all), Matrix(0, result.velocities), mass);
    result.W = (0.5 * (result.W + result.W.transpose())).eval();
    const SymmetricEigen eigen = symmetric_eigen(result.W);
    if (eigen.converged) result.spectrum = eigen.values;
  }
  examine_rates(dynamics, bilateral, result);
  examine_approach(dynamics, rows, mass, result);
  examine_motion(dynamics, rows, result);
  examine_step(dynamics, rows, result);
  return result;
}

}  // namespace nonsmooth::analysis::detail
