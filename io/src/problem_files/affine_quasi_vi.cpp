// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/affine_quasi_vi.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "square_matrix.hpp"

namespace nonsmooth {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

vi::ConvexSet set_of(const AffineVi::Part& part) { return AffineVi{.M{}, .q{}, .parts = {part}}.K(); }

bool moves(const AffineQuasiVi::Slopes& slopes) { return slopes.B.size() > 0 || slopes.D.size() > 0; }

/// The polyhedron at x.
vi::Polyhedron moved(vi::Polyhedron polyhedron, const AffineQuasiVi::Slopes& slopes, ConstVectorRef x) {
  if (slopes.B.size() > 0) polyhedron.b += slopes.B * x;
  if (slopes.D.size() > 0) polyhedron.d += slopes.D * x;
  return polyhedron;
}

/// K(x) of data that never change; what does not move is made once.
class SetsOfParts {
 public:
  explicit SetsOfParts(const AffineQuasiVi& problem) : problem_(problem) {
    for (const AffineVi::Part& part : problem.base.parts) still_.push_back(set_of(part));
  }

  [[nodiscard]] vi::ConvexSet at(ConstVectorRef x) const {
    vi::Product product{still_};
    for (std::size_t i = 0; i < problem_.slopes.size(); ++i) {
      if (!moves(problem_.slopes[i])) continue;
      product.parts[i] = moved(std::get<vi::Polyhedron>(problem_.base.parts[i]), problem_.slopes[i], x);
    }
    vi::ConvexSet K = still_.size() == 1 ? product.parts.front() : vi::ConvexSet(product);
    if (problem_.t.size() == 0) return K;
    return vi::Shifted{std::move(K),
                       problem_.t + std::visit([&](const auto& T) -> VectorXd { return T * x; }, problem_.T)};
  }

 private:
  AffineQuasiVi problem_;
  std::vector<vi::ConvexSet> still_;
};

/// Rows in which z, of the columns from `begin` on, and x meet: A z - B x.
struct Rows {
  Index begin;
  MatrixXd A, B;
  VectorXd b;
};

void add_rows(std::vector<Rows>& all, Index begin, const MatrixXd& A, const MatrixXd& B, const VectorXd& b) {
  if (A.rows() > 0) all.push_back({begin, A, B, b});
}

/// One under the other, with 2 n columns.
void stack(const std::vector<Rows>& all, Index n, MatrixXd& A, VectorXd& b, Index more = 0) {
  Index row = more;
  for (const Rows& rows : all) row += rows.A.rows();
  A = MatrixXd::Zero(row, 2 * n);
  b = VectorXd::Zero(row);
  row = 0;
  for (const Rows& rows : all) {
    A.block(row, rows.begin, rows.A.rows(), rows.A.cols()) = rows.A;
    if (rows.B.size() > 0) A.block(row, n, rows.A.rows(), n) = -rows.B;
    b.segment(row, rows.A.rows()) = rows.b;
    row += rows.A.rows();
  }
}

double largest_of(const MatrixXd& matrix) { return matrix.cwiseAbs().maxCoeff(); }
double largest_of(const Eigen::SparseMatrix<double>& matrix) {
  double largest = 0.0;
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
      largest = std::max(largest, std::abs(entry.value()));
    }
  }
  return largest;
}

/// K(x) is finite at points as large: solves go as far.
void require_moderate(const std::string& name, double largest) {
  constexpr double most = 1e150;
  if (largest > most) {
    throw InvalidArgument(name, "an entry of " + check::text(largest), "entries of at most " + check::text(most));
  }
}

void require_slopes(const std::string& name, const MatrixXd& slopes, Index rows, Index n) {
  if (slopes.size() == 0) return;
  check::shape(name.c_str(), slopes.rows(), slopes.cols(), rows, n);
  check::finite(name.c_str(), ConstMatrixRef(slopes));
  require_moderate(name, slopes.cwiseAbs().maxCoeff());
}

/// Of the rows of fixed_points() as they are counted before it is made: bounds are at most two rows of x.
bool is_small(const AffineQuasiVi& problem) {
  constexpr double most = 1 << 22;
  const auto n = static_cast<double>(problem.size());
  double rows = n;
  for (const AffineVi::Part& part : problem.base.parts) {
    const auto* const polyhedron = std::get_if<vi::Polyhedron>(&part);
    rows += polyhedron ? static_cast<double>(polyhedron->A.rows() + polyhedron->C.rows())
                       : 2.0 * static_cast<double>(num_rows_of(part));
  }
  return rows * 2.0 * n <= most;
}

}  // namespace

vi::QuasiProblem AffineQuasiVi::problem() const {
  validate();
  const auto sets = std::make_shared<const SetsOfParts>(*this);
  return {.F = base.problem().F, .K = vi::MovingSet(size(), [sets](ConstVectorRef x) { return sets->at(x); })};
}

vi::Polyhedron AffineQuasiVi::fixed_points() const {
  validate();
  const Index n = size();
  std::vector<Rows> inequalities, equations;
  Index begin = 0;
  for (std::size_t i = 0; i < base.parts.size(); ++i) {
    const Slopes still{}, &slope = slopes.empty() ? still : slopes[i];
    if (const auto polyhedron = set_of(base.parts[i]).polyhedron()) {
      add_rows(inequalities, begin, polyhedron->A, slope.B, polyhedron->b);
      add_rows(equations, begin, polyhedron->C, slope.D, polyhedron->d);
    }
    begin += num_rows_of(base.parts[i]);
  }
  vi::Polyhedron points;
  stack(inequalities, n, points.A, points.b);
  stack(equations, n, points.C, points.d, n);
  points.C.bottomLeftCorner(n, n).diagonal().setConstant(-1.0);
  auto of_x = points.C.bottomRightCorner(n, n);
  of_x.setIdentity();
  if (t.size() == 0) return points;
  std::visit([&](const auto& matrix) { of_x -= MatrixXd(matrix); }, T);
  points.d.tail(n) = t;
  return points;
}

void AffineQuasiVi::validate() const {
  base.validate();
  const Index n = size();
  if (t.size() > 0) {
    check::size("AffineQuasiVi::t", t.size(), n, "one a row of q, or none");
    check::finite("AffineQuasiVi::t", ConstVectorRef(t));
    problem_files::require_square("AffineQuasiVi::T", T, n);
    require_moderate("AffineQuasiVi::T", std::visit([](const auto& matrix) { return largest_of(matrix); }, T));
  }
  if (slopes.empty()) return;
  check::size("AffineQuasiVi::slopes", static_cast<Index>(slopes.size()), static_cast<Index>(base.parts.size()),
              "one a part, or none");
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const std::string name = "AffineQuasiVi::slopes[" + std::to_string(i) + "]";
    const auto* const polyhedron = std::get_if<vi::Polyhedron>(&base.parts[i]);
    if (polyhedron == nullptr && moves(slopes[i])) {
      throw InvalidArgument(name, "slopes of a " + std::string(name_of(base.parts[i])), "none but of a polyhedron");
    }
    if (polyhedron == nullptr) continue;
    require_slopes(name + ".B", slopes[i].B, polyhedron->A.rows(), n);
    require_slopes(name + ".D", slopes[i].D, polyhedron->C.rows(), n);
  }
}

VectorXd infeasibility_of(const AffineQuasiVi& problem) {
  problem.validate();
  if (!is_small(problem)) return {};
  const vi::Polyhedron points = problem.fixed_points();
  VectorXd nearest(points.size());
  const vi::ProjectionReport report = vi::ConvexSet(points).project(VectorXd::Zero(points.size()), nearest);
  return report.status == Status::Infeasible && vi::proves_empty(points, report.proof) ? report.proof : VectorXd{};
}

bool proves_infeasible(const AffineQuasiVi& problem, ConstVectorRef y) {
  return vi::proves_empty(problem.fixed_points(), y);
}

}  // namespace nonsmooth
