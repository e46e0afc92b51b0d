// SPDX-License-Identifier: Apache-2.0
// .nl files beside AMPL's own library (Debian's libamplsolver-dev), where it is installed: what is read here has its
// bounds, sides, complementarity and start, and at drawn points its values, slopes and second derivatives, from texts
// and bytes.
#include <cstdlib>
#include <fstream>
#include <random>

#include <nonsmooth/numerics/mcp.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "nl_texts.hpp"
#include "problem_files.hpp"

namespace nonsmooth::nl_and_ampl_test {
namespace {

using namespace nonsmooth::problem_files_test;
using namespace nonsmooth::nl_texts;

/// What a .nl file is at a point: all of its objectives and rows.
struct AtPoint {
  Eigen::VectorXd x, objectives, rows;
  Eigen::MatrixXd gradients, jacobian;
  Eigen::MatrixXd hessian;  ///< if asked for: of the first objective plus sum_i (i + 1) row_i
};

/// A file as AMPL's library reads it.
struct OfAmpl {
  Eigen::VectorXd lower, upper, row_lower, row_upper, start;
  std::vector<Index> complements;  ///< of each row a variable, or -1
  std::vector<bool> maximised;
  std::vector<AtPoint> points;

  [[nodiscard]] Index num_variables() const { return lower.size(); }
  [[nodiscard]] Index num_rows() const { return row_lower.size(); }
};

/// As a text, and as bytes of either order.
std::vector<std::string> forms_of(const std::string& text) {
  return {text, Translation(text, std::endian::little).bytes(), Translation(text, std::endian::big).bytes()};
}

class NlAndAmpl : public Files {
 protected:
  void SetUp() override {
    Files::SetUp();
#ifndef NONSMOOTH_AMPL_READER
    GTEST_SKIP() << "AMPL's library (libamplsolver-dev) was not there when this was built";
#endif
  }

  /// Its process' end; what it printed is in the file "out".
  [[nodiscard]] int run_ampl(const std::string& bytes, const std::vector<Eigen::VectorXd>& points,
                             bool second = false) const {
    std::ofstream(file("p.nl"), std::ios::binary) << bytes;
    {
      std::ofstream in(file("in"));
      in.precision(17);
      for (const Eigen::VectorXd& x : points) in << x.transpose() << '\n';
    }
    const auto quoted = [this](const char* name) { return " '" + file(name).string() + "'"; };
#ifdef NONSMOOTH_AMPL_READER
    const std::string reader = "'" NONSMOOTH_AMPL_READER "'";
#else
    const std::string reader = "false";
#endif
    return std::system(
        (reader + quoted("p.nl") + (second ? " hessian <" : " <") + quoted("in") + " >" + quoted("out") + " 2>&1")
            .c_str());
  }

  [[nodiscard]] OfAmpl read_by_ampl(const std::string& bytes, const std::vector<Eigen::VectorXd>& points,
                                    bool second = false) const {
    EXPECT_EQ(run_ampl(bytes, points, second), 0);
    std::ifstream out(file("out"));
    const auto number = [&out] {
      std::string word;  // infinities too
      out >> word;
      return std::strtod(word.c_str(), nullptr);
    };
    const auto vector = [&number](Index size) {
      Eigen::VectorXd values(size);
      for (double& value : values) value = number();
      return values;
    };
    const auto pairs = [&number](Index size, Eigen::VectorXd& low, Eigen::VectorXd& high) {
      low.resize(size);
      high.resize(size);
      for (Index i = 0; i < size; ++i) {
        low[i] = number();
        high[i] = number();
      }
    };
    const auto n = static_cast<Index>(number()), m = static_cast<Index>(number()),
               objectives = static_cast<Index>(number());
    OfAmpl result;
    pairs(n, result.lower, result.upper);
    pairs(m, result.row_lower, result.row_upper);
    for (Index i = 0; i < m; ++i) result.complements.push_back(static_cast<Index>(number()) - 1);
    result.start = vector(n);
    for (Index i = 0; i < objectives; ++i) result.maximised.push_back(number() == 1.0);
    for (const Eigen::VectorXd& x : points) {
      AtPoint at{.x = x, .objectives = vector(objectives), .rows = {}, .gradients = {}, .jacobian = {}, .hessian = {}};
      at.gradients = vector(objectives * n).reshaped<Eigen::RowMajor>(objectives, n);
      at.rows = vector(m);
      at.jacobian = vector(m * n).reshaped<Eigen::RowMajor>(m, n);
      if (second) at.hessian = vector(n * n).reshaped(n, n);
      result.points.push_back(std::move(at));
    }
    EXPECT_TRUE(out) << "fewer numbers than expected";
    return result;
  }

  /// look(what our reader has, what AMPL's has) of the text and of its binary forms.
  template <class Look>
  void in_each_form(const std::string& text, const std::vector<Eigen::VectorXd>& points, const Look& look) const {
    for (const std::string& bytes : forms_of(text)) {
      const OfAmpl ampl = read_by_ampl(bytes, points);
      ASSERT_EQ(ampl.points.size(), points.size());
      look(read_problem_text(bytes, "f"), ampl);
    }
  }
};

/// Sums of the same terms in another order, of no more than some twenty operations: what each rounds is eps of the
/// largest term, which is at most the value, a slope times its x, or the constants of these files.
double rounding(double value, const Eigen::RowVectorXd& slopes, const Eigen::VectorXd& x) {
  constexpr double eps = std::numeric_limits<double>::epsilon(), largest_constant = 16.0;
  return 40.0 * eps * (largest_constant + std::abs(value) + slopes.cwiseAbs().dot(x.cwiseAbs()));
}

void expect_row(double value, const Eigen::RowVectorXd& slopes, double expected,
                const Eigen::RowVectorXd& expected_slopes, const Eigen::VectorXd& x) {
  const double allowed = rounding(expected, expected_slopes, x);
  EXPECT_NEAR(value, expected, allowed);
  // Slopes are made of as many operations, on terms no larger than the largest of them.
  const double of_slopes = rounding(expected_slopes.cwiseAbs().maxCoeff(), expected_slopes, x);
  for (Index j = 0; j < slopes.size(); ++j) EXPECT_NEAR(slopes[j], expected_slopes[j], of_slopes) << "slope " << j;
}

/// F_j is the row that complements x_j; equations, less their value, go with the free variables left, in order.
void expect_agreement(const mcp::Problem& problem, const OfAmpl& ampl) {
  const Index n = ampl.num_variables();
  ASSERT_EQ(problem.size(), n);
  ASSERT_EQ(ampl.num_rows(), n);
  EXPECT_EQ(problem.lower, ampl.lower);
  EXPECT_EQ(problem.upper, ampl.upper);
  EXPECT_EQ(problem.start.size() > 0 ? problem.start : Eigen::VectorXd::Zero(n), ampl.start);
  std::vector<Index> row_of(static_cast<std::size_t>(n), -1);
  for (Index i = 0; i < n; ++i) {
    const Index variable = ampl.complements[static_cast<std::size_t>(i)];
    if (variable >= 0) row_of[static_cast<std::size_t>(variable)] = i;
  }
  Index next = 0;
  for (Index& row : row_of) {
    while (next < n && ampl.complements[static_cast<std::size_t>(next)] >= 0) ++next;
    if (row < 0) row = next++;
  }
  for (const AtPoint& at : ampl.points) {
    Eigen::VectorXd f(n);
    Eigen::SparseMatrix<double> J(n, n);
    problem.F.value(at.x, f);
    problem.F.jacobian(at.x, J);
    const Eigen::MatrixXd slopes = J;
    for (Index j = 0; j < n; ++j) {
      const Index row = row_of[static_cast<std::size_t>(j)];
      SCOPED_TRACE("row " + std::to_string(row));
      const bool equation = ampl.complements[static_cast<std::size_t>(row)] < 0;
      expect_row(f[j], slopes.row(j), at.rows[row] - (equation ? ampl.row_lower[row] : 0.0), at.jacobian.row(row),
                 at.x);
    }
  }
}

/// Rows are compared with their sides, into which constants may have gone.
void expect_agreement(const ProblemFile& file, const qp::Problem& problem, const OfAmpl& ampl) {
  const Index m = ampl.num_rows();
  ASSERT_EQ(problem.num_unknowns(), ampl.num_variables());
  ASSERT_EQ(problem.num_rows(), m);
  EXPECT_EQ(problem.lower, ampl.lower);
  EXPECT_EQ(problem.upper, ampl.upper);
  ASSERT_FALSE(ampl.maximised.empty());
  EXPECT_EQ(file.maximise, ampl.maximised[0]);
  const double sign = file.maximise ? -1.0 : 1.0;
  for (const AtPoint& at : ampl.points) {
    const Eigen::VectorXd Qx = problem.Q * at.x;
    expect_row(file.objective(0.5 * at.x.dot(Qx) + problem.c.dot(at.x)), sign * (Qx + problem.c).transpose(),
               at.objectives[0], at.gradients.row(0), at.x);
    for (Index i = 0; i < m; ++i) {
      SCOPED_TRACE("row " + std::to_string(i));
      const double value = problem.A.row(i).dot(at.x);
      EXPECT_EQ(std::isinf(problem.row_lower[i]), std::isinf(ampl.row_lower[i]));
      EXPECT_EQ(std::isinf(problem.row_upper[i]), std::isinf(ampl.row_upper[i]));
      if (std::isfinite(ampl.row_lower[i]))
        expect_row(value - problem.row_lower[i], problem.A.row(i), at.rows[i] - ampl.row_lower[i], at.jacobian.row(i),
                   at.x);
      if (std::isfinite(ampl.row_upper[i]))
        expect_row(value - problem.row_upper[i], problem.A.row(i), at.rows[i] - ampl.row_upper[i], at.jacobian.row(i),
                   at.x);
    }
  }
}

/// Where s, for variables with two bounds, is behind the variables: a pair of the row i, which complements x_j, has as
/// sides x_j - l or u - x_j, and the row or its negative; with both bounds the row and s, then s.
struct Sides {
  std::vector<Index> rows{};                       ///< that are no side
  std::vector<std::pair<Index, double>> bodies{};  ///< of each H the row, or -1 where it is s alone, and its factor
  std::vector<std::pair<Index, double>> bounds{};  ///< of each G the variable and its factor
  std::vector<Index> slacks{};                     ///< of each H an unknown, or -1
};

Sides sides_of(const OfAmpl& ampl) {
  Sides sides;
  Index next = ampl.num_variables();
  for (Index i = 0; i < ampl.num_rows(); ++i) {
    const Index j = ampl.complements[static_cast<std::size_t>(i)];
    const bool low = j >= 0 && std::isfinite(ampl.lower[j]), high = j >= 0 && std::isfinite(ampl.upper[j]);
    if (!low && !high) sides.rows.push_back(i);
    if (low) {
      sides.bounds.emplace_back(j, 1.0);
      sides.bodies.emplace_back(i, 1.0);
      sides.slacks.push_back(high ? next : -1);
    }
    if (high) {
      sides.bounds.emplace_back(j, -1.0);
      sides.bodies.emplace_back(low ? -1 : i, -1.0);
      sides.slacks.push_back(low ? next++ : -1);
    }
  }
  return sides;
}

/// A map's rows beside AMPL's: row k is factor times the row of AMPL's, and one unknown more.
void expect_rows(const NonlinearMap& map, const std::vector<std::pair<Index, double>>& bodies,
                 const std::vector<Index>& slacks, const AtPoint& at, const Eigen::VectorXd& x) {
  ASSERT_EQ(map.num_values, static_cast<Index>(bodies.size()));
  if (bodies.empty()) return;
  const Index n = at.x.size();
  Eigen::VectorXd f(map.num_values);
  Eigen::SparseMatrix<double> J(map.num_values, x.size());
  map.value(x, f);
  map.jacobian(x, J);
  const Eigen::MatrixXd slopes = J;
  for (Index k = 0; k < f.size(); ++k) {
    SCOPED_TRACE("row " + std::to_string(k));
    const auto [row, factor] = bodies[static_cast<std::size_t>(k)];
    const Index slack = slacks.empty() ? -1 : slacks[static_cast<std::size_t>(k)];
    double value = slack < 0 ? 0.0 : x[slack];
    Eigen::RowVectorXd expected = Eigen::RowVectorXd::Zero(x.size());
    if (row >= 0) {
      value += factor * at.rows[row];
      expected.head(n) = factor * at.jacobian.row(row);
    }
    if (slack >= 0) expected[slack] = 1.0;
    expect_row(f[k], slopes.row(k), value, expected, x);
  }
}

/// L is that of f - y c - v H: sign times objective plus rows, by the multipliers that make it so.
void expect_second_derivatives(const mpcc::NonlinearProblem& program, const Sides& sides, double sign,
                               const AtPoint& at, const Eigen::VectorXd& x) {
  const Index n = at.x.size();
  Eigen::VectorXd y(program.num_rows()), v = Eigen::VectorXd::Zero(program.num_pairs());
  for (Index k = 0; k < y.size(); ++k) y[k] = -sign * static_cast<double>(sides.rows[static_cast<std::size_t>(k)] + 1);
  for (Index k = 0; k < v.size(); ++k) {
    const auto [row, factor] = sides.bodies[static_cast<std::size_t>(k)];
    if (row >= 0) v[k] = -sign * factor * static_cast<double>(row + 1);
  }
  Eigen::SparseMatrix<double> L(x.size(), x.size());
  program.hessian(x, y, Eigen::VectorXd::Zero(v.size()), v, L);
  const Eigen::MatrixXd second = sign * Eigen::MatrixXd(L);
  const double size = 16.0 + at.hessian.cwiseAbs().maxCoeff();  // each a sum of some hundred products
  EXPECT_LT((second.topLeftCorner(n, n) - at.hessian).cwiseAbs().maxCoeff(),
            400.0 * std::numeric_limits<double>::epsilon() * size);
  EXPECT_EQ(second.rightCols(x.size() - n).cwiseAbs().sum(), 0.0);
}

void expect_agreement(const ProblemFile& file, const NonlinearMpcc& problem, const OfAmpl& ampl) {
  const mpcc::NonlinearProblem& program = problem.program;
  const Sides sides = sides_of(ampl);
  const Index n = ampl.num_variables(), all = problem.num_unknowns();
  EXPECT_EQ(problem.start.head(n), ampl.start.cwiseMax(ampl.lower).cwiseMin(ampl.upper));
  EXPECT_EQ(file.maximise, ampl.maximised[0]);
  const double sign = file.maximise ? -1.0 : 1.0;
  std::vector<std::pair<Index, double>> rows;
  for (const Index row : sides.rows) rows.emplace_back(row, 1.0);
  for (const AtPoint& at : ampl.points) {
    Eigen::VectorXd x = Eigen::VectorXd::Constant(all, 0.375), f(1), G(problem.num_pairs());
    x.head(n) = at.x.cwiseMax(ampl.lower).cwiseMin(ampl.upper);
    Eigen::SparseMatrix<double> J(1, all);
    program.f.value(x, f);
    program.f.jacobian(x, J);
    expect_row(sign * f[0], sign * Eigen::MatrixXd(J).leftCols(n), at.objectives[0], at.gradients.row(0), at.x);
    expect_rows(program.c, rows, {}, at, x);
    expect_rows(program.H, sides.bodies, sides.slacks, at, x);
    program.G.value(x, G);
    for (Index k = 0; k < G.size(); ++k) {
      const auto [j, factor] = sides.bounds[static_cast<std::size_t>(k)];
      EXPECT_DOUBLE_EQ(G[k], factor > 0.0 ? x[j] - ampl.lower[j] : ampl.upper[j] - x[j]);
    }
    expect_second_derivatives(program, sides, sign, at, x);
  }
}

/// Points within [0.05, 0.95], where every function of these files is defined.
std::vector<Eigen::VectorXd> points_of(Index n, int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Eigen::VectorXd> points;
  for (int k = 0; k < count; ++k) {
    points.emplace_back(n);
    for (double& entry : points.back()) entry = 0.05 + 0.9 * static_cast<double>(random() >> 11) * 0x1p-53;
  }
  return points;
}

/// All operators, an equation each; of x_0 and x_1 alone.
Nl all_operators() {
  Nl nl;
  for (const Known& one : known_operators(0.3, 0.7)) {
    nl.rows.push_back(one.text);
    nl.row_kinds.emplace_back("4 0");
    nl.row_terms.push_back({{0, 0}, {1, 0}});
    nl.bounds.emplace_back("3");
  }
  nl.variables = static_cast<Index>(nl.rows.size());
  return nl;
}

class NlAndAmplMcp : public NlAndAmpl {
 protected:
  void compare(const std::string& text, const std::vector<Eigen::VectorXd>& points) const {
    in_each_form(text, points, [](const ProblemFile& file, const OfAmpl& ampl) {
      expect_agreement(std::get<mcp::Problem>(file.problem), ampl);
    });
  }
};

TEST_F(NlAndAmplMcp, KojimaAndShindo) {
  compare(nl_text(kojima_shindo(Eigen::Vector4d(1, 2, 0, 0.5))), points_of(4, 5, 1));
}

TEST_F(NlAndAmplMcp, DefinedVariablesConstantsAndTwoBounds) { compare(complementarity_text, points_of(2, 5, 2)); }

TEST_F(NlAndAmplMcp, EquationsOfEveryOperator) {
  const Nl nl = all_operators();
  std::vector<Eigen::VectorXd> points = points_of(nl.variables, 5, 3);
  for (Index k = 0; k < 5; ++k) points[static_cast<std::size_t>(k)].head(2) << 0.3 + 0.01 * static_cast<double>(k), 0.7;
  compare(nl_text(nl), points);
}

/// A random expression of `depth` in n variables, each operator defined and smooth where its operands are within
/// [-16, 16]: what may grow is kept there by sines.
std::string drawn_expression(std::mt19937_64& random, Index variables, int depth) {
  const auto below = [&random](std::uint64_t count) { return static_cast<int>(random() % count); };
  if (depth == 0) return below(3) == 0 ? n(0.25 * (1 + below(8))) : v(static_cast<Index>(random()) & (variables - 1));
  const auto part = [&] { return drawn_expression(random, variables, depth - 1); };
  switch (below(8)) {
    case 0:
      return op(0, part() + part());
    case 1:
      return op(1, part() + part());
    case 2:
      return op(2, op(41, part()) + op(46, part()));
    case 3:
      return op(3, op(41, part()) + op(0, op(5, part() + n(2)) + n(1)));
    case 4:
      return op(44, op(41, part()));
    case 5:
      return sum({part(), part(), part()});
    case 6:
      return op(49, part());
    default:
      return op(16, op(37, part()));
  }
}

TEST_F(NlAndAmplMcp, DrawnExpressions) {
  std::mt19937_64 random(20);
  for (int k = 0; k < 40; ++k) {
    SCOPED_TRACE(k);
    Nl nl{.variables = 4, .bounds = {"2 0", "0 -1 2", "3", "1 3"}};
    for (Index i = 0; i < nl.variables; ++i) {
      nl.rows.push_back(op(0, v(i) + drawn_expression(random, nl.variables, 4)));
      nl.row_terms.push_back({{0, 0.5}, {1, 0}, {2, -0.25}, {3, 1}});
    }
    nl.row_kinds = {"5 3 2", "5 1 1", "5 2 4", "4 0.75"};
    compare(nl_text(nl), points_of(4, 3, static_cast<unsigned>(k)));
  }
}

class NlAndAmplMpcc : public NlAndAmpl {};

// Objective, rows of all kinds and variables of all bounds, with second derivatives.
TEST_F(NlAndAmplMpcc, DrawnExpressions) {
  std::mt19937_64 random(21);
  for (int k = 0; k < 40; ++k) {
    SCOPED_TRACE(k);
    Nl nl{.variables = 4,
          .bounds = {"2 0", "0 -1 2", "3", "1 3"},
          .objectives = {{k % 2, drawn_expression(random, 4, 4)}},
          .objective_terms = {{{0, 0.5}, {1, 0}, {2, 0}, {3, -1}}},
          .start = Eigen::Vector4d(-0.5, 0.25, 0.75, 4)};
    for (Index i = 0; i < 6; ++i) {
      nl.rows.push_back(op(0, op(44, v(i % 4)) + drawn_expression(random, 4, 4)));
      nl.row_terms.push_back({{0, 0.5}, {1, 0}, {2, -0.25}, {3, 1}});
    }
    nl.row_kinds = {"5 3 2", "5 1 1", "5 2 4", "4 0.75", "5 0 3", "0 -1 1"};
    const std::vector<Eigen::VectorXd> points = points_of(4, 3, static_cast<unsigned>(k));
    for (const std::string& bytes : forms_of(nl_text(nl))) {
      OfAmpl ampl = read_by_ampl(bytes, points);
      const OfAmpl second = read_by_ampl(bytes, points, true);
      ASSERT_EQ(ampl.points.size(), points.size());
      for (std::size_t l = 0; l < points.size(); ++l) ampl.points[l].hessian = second.points[l].hessian;
      const ProblemFile file = read_problem_text(bytes, "f");
      expect_agreement(file, std::get<NonlinearMpcc>(file.problem), ampl);
    }
  }
}

class NlAndAmplProgram : public NlAndAmpl {
 protected:
  void compare(const std::string& text, const std::vector<Eigen::VectorXd>& points) const {
    in_each_form(text, points, [](const ProblemFile& file, const OfAmpl& ampl) {
      expect_agreement(file, std::get<qp::Problem>(file.problem), ampl);
    });
  }
};

TEST_F(NlAndAmplProgram, OneToMaximise) { compare(program_text, points_of(2, 5, 4)); }

// Products, powers, quotients by constants, a defined variable, constants in rows, rows of every kind.
TEST_F(NlAndAmplProgram, WhatIsExpanded) {
  const std::string objective = sum({n(9), op(2, n(2) + square(0)), op(2, op(0, v(1) + n(1)) + op(1, v(1) + v(3))),
                                     op(5, v(3) + n(2)), op(3, square(2) + n(4))});
  const Nl nl{.variables = 3,
              .rows = {n(3), n(0), n(-1.5), n(0), n(2)},
              .row_kinds = {"1 3", "2 -1", "0 -2 5", "4 0.25", "3"},
              .row_terms = {{{0, 1}, {1, 1}, {2, 2}}, {{0, 1}}, {{1, -1}, {2, 3}}, {{0, 1}, {2, -1}}, {{1, 7}}},
              .bounds = {"2 0", "0 -1 4", "3"},
              .objectives = {{0, objective}},
              .objective_terms = {{{0, -8}, {1, -6}, {2, -4}}},
              .defined = {{{{0, 1}, {1, -2}}, op(2, n(0.5) + v(2))}}};
  compare(nl_text(nl), points_of(3, 5, 5));
}

// What its library ends on, or reads as none of our problems, is refused here.
TEST_F(NlAndAmpl, WhatIsWrongIsWrongForBoth) {
  const std::string text = nl_text(kojima_shindo(Eigen::Vector4d::Ones()));
  const auto with = [&text](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  for (const std::string& wrong : {with("o54", "o99"), with("C1", "C9"), with("v1", "v9"), with("J3 4", "Q3 4"),
                                   text.substr(0, text.find("C2") + 4)}) {
    EXPECT_NE(run_ampl(wrong, {Eigen::Vector4d::Ones()}), 0) << wrong;
    EXPECT_THROW((void)read_problem_text(wrong, "f"), FormatError) << wrong;
  }
}

}  // namespace
}  // namespace nonsmooth::nl_and_ampl_test
