// SPDX-License-Identifier: Apache-2.0
// An objective beside rows that complement variables. A row with the body b that complements x in [l, u] is
//
//     l alone:    0 <= x - l ⟂ b >= 0,
//     u alone:    0 <= u - x ⟂ -b >= 0,
//     l < u:      0 <= x - l ⟂ b + s >= 0,   0 <= u - x ⟂ s >= 0,   s one more unknown, max(-b, 0) at its answers,
//     neither:    b = 0,
//     l = u:      nothing, b may be any number.
//
// Bounds that became sides of pairs are none any more: twice there, they would share their multipliers in any way.
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "nl_model.hpp"
#include "program_storage.hpp"

namespace nonsmooth::problem_files {
namespace {

/// A side of a pair: factor times a variable or the body of a row, plus a constant and one of the unknowns s.
struct NlSide {
  Index variable = -1;
  std::size_t row = 0;  ///< where there is no variable
  bool has_body = false;
  double factor = 1.0, constant = 0.0;
  Index slack = -1;  ///< or none
};

/// Which rows stay, with their sides, and the pairs; the unknowns s are behind the variables.
struct NlPairs {
  Index num_unknowns = 0;
  std::vector<std::size_t> rows{};
  Eigen::VectorXd row_lower{}, row_upper{}, lower{}, upper{};
  std::vector<NlSide> G{}, H{};
};

void add_pairs(const NlModel& model, std::size_t row, NlPairs& pairs) {
  const Index j = model.file().row_ranges[row].complements;
  const NlRange& range = model.range_of(j);
  if (range.lower == range.upper) return;
  const bool low = std::isfinite(range.lower), high = std::isfinite(range.upper);
  const Index slack = low && high ? pairs.num_unknowns++ : Index{-1};
  if (low) {
    pairs.G.push_back({.variable = j, .constant = -range.lower});
    pairs.H.push_back({.row = row, .has_body = true, .slack = slack});
  }
  if (high) pairs.G.push_back({.variable = j, .factor = -1.0, .constant = range.upper});
  if (low && high) pairs.H.push_back({.slack = slack});
  if (high && !low) pairs.H.push_back({.row = row, .has_body = true, .factor = -1.0});
}

NlPairs pairs_of(const NlModel& model) {
  const NlFile& file = model.file();
  NlPairs pairs{.num_unknowns = file.num_variables};
  std::vector<NlRange> sides;
  std::vector<bool> in_pairs(static_cast<std::size_t>(file.num_variables), false);
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    const NlRange& range = file.row_ranges[i];
    if (range.complements >= 0) model.check_complemented(i);
    if (range.complements >= 0 && !model.range_of(range.complements).is_free()) {
      add_pairs(model, i, pairs);
      const NlRange& bounds = model.range_of(range.complements);
      in_pairs[static_cast<std::size_t>(range.complements)] = bounds.lower < bounds.upper;
      continue;
    }
    pairs.rows.push_back(i);
    sides.push_back(range.complements >= 0 ? NlRange{.lower = 0.0, .upper = 0.0} : range);
  }
  const auto m = static_cast<Index>(sides.size());
  pairs.row_lower.resize(m);
  pairs.row_upper.resize(m);
  for (Index i = 0; i < m; ++i) {
    pairs.row_lower[i] = sides[static_cast<std::size_t>(i)].lower;
    pairs.row_upper[i] = sides[static_cast<std::size_t>(i)].upper;
  }
  pairs.lower.setConstant(pairs.num_unknowns, -std::numeric_limits<double>::infinity());
  pairs.upper = -pairs.lower;
  for (Index j = 0; j < file.num_variables; ++j) {
    if (in_pairs[static_cast<std::size_t>(j)]) continue;
    pairs.lower[j] = model.range_of(j).lower;
    pairs.upper[j] = model.range_of(j).upper;
  }
  return pairs;
}

std::string row_name(std::size_t row) { return "row " + std::to_string(row); }

/// Objective and rows, where all of them are polynomials, the rows linear.
struct NlPolynomials {
  NlQuadratic objective;
  std::vector<NlQuadratic> rows{};
};

std::optional<NlPolynomials> polynomials_of(NlModel& model) {
  const NlFile& file = model.file();
  std::optional<NlQuadratic> objective = model.polynomial_if_any(file.objectives[0], "an objective");
  if (!objective) return std::nullopt;
  NlPolynomials all{.objective = std::move(*objective)};
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    std::optional<NlQuadratic> row = model.polynomial_if_any(file.rows[i], row_name(i));
    if (!row || !row->quadratic.empty()) return std::nullopt;
    all.rows.push_back(std::move(*row));
  }
  return all;
}

/// M x + b, a row after the other.
class AffineRows {
 public:
  AffineRows(Index rows, Index columns) : M_(rows, columns), b_(Eigen::VectorXd::Zero(rows)) {}

  void add(Index row, const NlQuadratic& body, double factor) {
    b_[row] += factor * body.constant;
    for (const auto& [j, value] : body.linear) add(row, j, factor * value);
  }
  void add(Index row, Index column, double value) {
    entries_.emplace_back(static_cast<SparseIndex>(row), static_cast<SparseIndex>(column), value);
  }
  void add_constant(Index row, double value) { b_[row] += value; }
  [[nodiscard]] const Eigen::VectorXd& offset() const { return b_; }
  [[nodiscard]] Eigen::SparseMatrix<double> matrix() {
    M_.setFromTriplets(entries_.begin(), entries_.end());
    return M_;
  }

 private:
  Eigen::SparseMatrix<double> M_;
  Eigen::VectorXd b_;
  std::vector<Triplet> entries_{};
};

AffineRows affine_sides(const std::vector<NlSide>& sides, const NlPolynomials& all, Index num_unknowns) {
  AffineRows rows(static_cast<Index>(sides.size()), num_unknowns);
  for (Index i = 0; i < static_cast<Index>(sides.size()); ++i) {
    const NlSide& side = sides[static_cast<std::size_t>(i)];
    if (side.variable >= 0) rows.add(i, side.variable, side.factor);
    if (side.has_body) rows.add(i, all.rows[side.row], side.factor);
    if (side.slack >= 0) rows.add(i, side.slack, 1.0);
    rows.add_constant(i, side.constant);
  }
  return rows;
}

/// Dense programs want a Q that is convex on each piece; of sparse data any Q is taken.
bool is_convex(const mpcc::SparseProblem& program) {
  try {
    qp::SparseProblem{.Q = program.Q, .c = program.c}.validate();
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

AnyProblem quadratic(const NlPairs& pairs, const NlPolynomials& all, double sign) {
  const Index n = pairs.num_unknowns, m = pairs.row_lower.size();
  AffineRows rows(m, n), G = affine_sides(pairs.G, all, n), H = affine_sides(pairs.H, all, n);
  for (Index i = 0; i < m; ++i) rows.add(i, all.rows[pairs.rows[static_cast<std::size_t>(i)]], 1.0);
  mpcc::SparseProblem program{.Q = Eigen::SparseMatrix<double>(n, n),
                              .c = Eigen::VectorXd::Zero(n),
                              .A = rows.matrix(),
                              .row_lower = pairs.row_lower - rows.offset(),
                              .row_upper = pairs.row_upper - rows.offset(),
                              .lower = pairs.lower,
                              .upper = pairs.upper,
                              .G = G.matrix(),
                              .g = G.offset(),
                              .H = H.matrix(),
                              .h = H.offset()};
  if (m == 0) program.A.resize(0, 0);
  set_quadratic(all.objective, sign, program.Q, program.c);
  if (!is_convex(program)) return program;
  return in_fitting_storage(std::move(program));
}

NlComponent scaled(NlComponent component, double factor) {
  component.factor = factor;
  for (NlTerm& term : component.linear) term.factor *= factor;
  return component;
}

std::vector<NlComponent> components_of(NlModel& model, const std::vector<NlSide>& sides) {
  std::vector<NlComponent> components;
  for (const NlSide& side : sides) {
    NlComponent component;
    if (side.has_body)
      component = scaled(model.component(model.file().rows[side.row], row_name(side.row)), side.factor);
    if (side.variable >= 0) component.linear.push_back({.variable = side.variable, .factor = side.factor});
    if (side.slack >= 0) component.linear.push_back({.variable = side.slack, .factor = 1.0});
    component.less = -side.constant;
    components.push_back(std::move(component));
  }
  return components;
}

/// The start within the bounds of the file; each s as large as its row asks. Without one in the file it is 0, which
/// solvers take by themselves.
Eigen::VectorXd start_of(const NlModel& model, const NlPairs& pairs, const NlMap& H) {
  const NlFile& file = model.file();
  Eigen::VectorXd start = Eigen::VectorXd::Zero(pairs.num_unknowns);
  if (file.start.size() > 0) start.head(file.num_variables) = file.start;
  start.head(file.num_variables) = start.head(file.num_variables).cwiseMax(model.lower()).cwiseMin(model.upper());
  Eigen::VectorXd values(H.size());
  H.value(start, values);
  for (std::size_t i = 0; i < pairs.H.size(); ++i) {
    const NlSide& side = pairs.H[i];
    const double value = values[static_cast<Index>(i)];
    if (side.has_body && side.slack >= 0 && value < 0.0) start[side.slack] = -value;
  }
  if (file.start.size() == 0 && start.isZero(0.0)) start.resize(0);
  return start;
}

AnyProblem nonlinear(NlModel& model, const NlPairs& pairs, double sign) {
  const Index n = pairs.num_unknowns;
  std::array<std::vector<NlComponent>, 4> components;  // f, c, G, H
  components[0].push_back(scaled(model.component(model.file().objectives[0], "an objective"), sign));
  for (const std::size_t row : pairs.rows)
    components[1].push_back(model.component(model.file().rows[row], row_name(row)));
  components[2] = components_of(model, pairs.G);
  components[3] = components_of(model, pairs.H);
  const std::shared_ptr<const NlExpressions> expressions = model.take_expressions();
  Eigen::VectorXd lower = pairs.lower, upper = pairs.upper;
  lower.head(model.num_variables()) = model.lower();
  upper.head(model.num_variables()) = model.upper();
  std::array<std::shared_ptr<const NlMap>, 4> maps;
  for (std::size_t k = 0; k < maps.size(); ++k) {
    for (NlComponent& component : components[k]) NlModel::find_variables(component);
    maps[k] = std::make_shared<const NlMap>(expressions, std::move(components[k]), n, lower, upper);
  }
  const auto& [f, c, G, H] = maps;
  mpcc::NonlinearProblem program{.f = callables_of(f, n, "f"),
                                 .c = callables_of(c, n, "c"),
                                 .row_lower = pairs.row_lower,
                                 .row_upper = pairs.row_upper,
                                 .lower = pairs.lower,
                                 .upper = pairs.upper,
                                 .G = callables_of(G, n, "G"),
                                 .H = callables_of(H, n, "H"),
                                 .hessian = {}};
  // G is linear.
  program.hessian = [n, maps](ConstVectorRef x, ConstVectorRef y, ConstVectorRef, ConstVectorRef v,
                              Eigen::SparseMatrix<double>& L) {
    std::vector<Triplet> entries;
    maps[0]->add_hessian(x, Eigen::VectorXd::Ones(1), entries);
    maps[1]->add_hessian(x, -y, entries);
    maps[3]->add_hessian(x, -v, entries);
    L.resize(n, n);
    L.setFromTriplets(entries.begin(), entries.end());
  };
  return NonlinearMpcc{.program = std::move(program), .start = start_of(model, pairs, *H)};
}

}  // namespace

void read_nl_mpcc(NlModel& model, ProblemFile& result) {
  const NlPairs pairs = pairs_of(model);
  result.maximise = model.file().maximised[0];
  const double sign = result.maximise ? -1.0 : 1.0;
  if (const std::optional<NlPolynomials> all = polynomials_of(model)) {
    result.objective_constant = all->objective.constant;
    result.problem = quadratic(pairs, *all, sign);
  } else {
    result.problem = nonlinear(model, pairs, sign);
  }
}

}  // namespace nonsmooth::problem_files
