// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <utility>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mlcp/lemke.hpp>
#include <nonsmooth/numerics/vi/convex_set.hpp>

#include "dual_active_set.hpp"
#include "numbers.hpp"
#include "polyhedral_kkt.hpp"
#include "set_implementation.hpp"

namespace nonsmooth::vi {

void Polyhedron::validate() const {
  if (A.rows() + C.rows() < 1) throw InvalidArgument("vi::Polyhedron", "no rows", "at least one of A or C");
  if (size() < 1) throw InvalidArgument("vi::Polyhedron", "no columns", "at least one");
  check::size("vi::Polyhedron::b", b.size(), A.rows(), "one a row of A");
  check::size("vi::Polyhedron::d", d.size(), C.rows(), "one a row of C");
  if (C.rows() > 0) check::shape("vi::Polyhedron::C", C.rows(), C.cols(), C.rows(), size());
  check::finite("vi::Polyhedron::A", ConstMatrixRef(A));
  check::finite("vi::Polyhedron::b", ConstVectorRef(b));
  check::finite("vi::Polyhedron::C", ConstMatrixRef(C));
  check::finite("vi::Polyhedron::d", ConstVectorRef(d));
}

bool proves_empty(const Polyhedron& polyhedron, ConstVectorRef y, double tolerance) {
  const Index m = polyhedron.A.rows(), p = polyhedron.C.rows();
  if (y.size() != m + p || !y.allFinite()) return false;
  const double rounding = tolerance < 0.0 ? 4.0 * eps : tolerance;
  for (Index i = 0; i < m; ++i)
    if (y[i] < 0.0) return false;
  for (Index j = 0; j < polyhedron.size(); ++j) {
    long double sum = 0.0L, terms = 0.0L;
    for (Index i = 0; i < m + p; ++i) {
      const double entry = i < m ? polyhedron.A(i, j) : polyhedron.C(i - m, j);
      const long double term = static_cast<long double>(entry) * y[i];
      sum += term;
      terms += std::abs(term);
    }
    if (!(std::abs(sum) <= rounding * terms)) return false;
  }
  long double sum = 0.0L, terms = 0.0L;
  for (Index i = 0; i < m + p; ++i) {
    const long double term = static_cast<long double>(i < m ? polyhedron.b[i] : polyhedron.d[i - m]) * y[i];
    sum += term;
    terms += std::abs(term);
  }
  return sum < -rounding * terms;
}

namespace {

class PolyhedronSet final : public ConvexSet::Implementation {
 public:
  explicit PolyhedronSet(Polyhedron polyhedron) : polyhedron_(std::move(polyhedron)) {
    polyhedron_.validate();
    set_up();
  }

  Index size() const noexcept override { return polyhedron_.size(); }

  ProjectionReport project(ConstVectorRef y, VectorRef x) const override {
    if (empty_.size() > 0) return refuse(empty_, 0, x);
    detail::DualActiveSet active = *start_;
    const Eigen::VectorXd from = y;  // x may be y
    const Status status = active.project(from, x);
    if (status == Status::Infeasible) return refuse(proof_of(active.proof()), active.steps(), x);
    if (status != Status::Solved) x.setZero();
    return {.status = status, .iterations = active.steps()};
  }

  bool has_jacobian() const noexcept override { return true; }
  void jacobian(ConstVectorRef y, MatrixRef D) const override {
    D.setIdentity();
    if (empty_.size() > 0) return;
    detail::DualActiveSet active = *start_;
    Eigen::VectorXd x(size());
    if (active.project(y, x) == Status::Solved) active.jacobian(D);
  }

  std::optional<Polyhedron> polyhedron() const override { return polyhedron_; }
  Index proof_rows() const noexcept override { return polyhedron_.A.rows() + polyhedron_.C.rows(); }
  bool proves_empty(ConstVectorRef y) const override { return vi::proves_empty(polyhedron_, y); }

  bool has_support() const noexcept override { return true; }
  double support(ConstVectorRef c, VectorRef y) const override {
    if (const ProjectionReport report = project(Eigen::VectorXd::Zero(size()), y); report.status == Status::Infeasible)
      throw InvalidArgument("vi::ConvexSet::support", "a polyhedron without a point", "one that is not empty");
    if (c.isZero(0.0)) return 0.0;
    const mlcp::Problem conditions = detail::polyhedral_kkt(Eigen::MatrixXd::Zero(size(), size()), -c, polyhedron_);
    const mlcp::Result result = mlcp::solve(conditions, mlcp::Lemke{});
    // K has a point: conditions that contradict each other say that c·y has no bound on it.
    if (result.status == Status::Infeasible) return detail::infinity;
    if (!result.ok()) return std::numeric_limits<double>::quiet_NaN();
    y = result.u.head(size());
    return c.dot(y);
  }

 private:
  /// Rows of norm 1, equalities first; rows of zeros are true for every x or show that there is none.
  void set_up() {
    const Index m = polyhedron_.A.rows(), p = polyhedron_.C.rows();
    normals_.resize(size(), m + p);
    offsets_.resize(m + p);
    lengths_.setOnes(m + p);
    Index kept = 0, equalities = 0;
    for (Index i = 0; i < m + p; ++i) {
      const bool equality = i < p;
      const Eigen::VectorXd row = equality ? polyhedron_.C.row(i) : polyhedron_.A.row(i - p);
      const double right = equality ? polyhedron_.d[i] : polyhedron_.b[i - p];
      const double length = detail::norm_of(row);
      const Index place = equality ? m + i : i - p;
      if (length == 0.0) {
        if (equality ? right == 0.0 : right >= 0.0) continue;
        empty_.setZero(m + p);
        empty_[place] = right > 0.0 ? -1.0 : 1.0;
        return;
      }
      normals_.col(kept) = row / length;
      offsets_[kept] = right / length;
      lengths_[place] = length;
      places_.push_back(place);
      ++kept;
      equalities += equality;
    }
    normals_.conservativeResize(Eigen::NoChange, kept);
    offsets_.conservativeResize(kept);
    start_.emplace(normals_, offsets_);
    if (!start_->add_equalities(equalities)) {
      empty_ = proof_of(start_->proof());
      if (!vi::proves_empty(polyhedron_, empty_)) unsure_ = true;
    }
  }

  /// A proof for rows of norm 1 as one for the rows that were given.
  Eigen::VectorXd proof_of(const Eigen::VectorXd& unit) const {
    Eigen::VectorXd proof = Eigen::VectorXd::Zero(polyhedron_.A.rows() + polyhedron_.C.rows());
    for (std::size_t i = 0; i < places_.size(); ++i)
      proof[places_[i]] = unit[static_cast<Index>(i)] / lengths_[places_[i]];
    return proof;
  }

  ProjectionReport refuse(const Eigen::VectorXd& proof, Index steps, VectorRef x) const {
    x.setZero();
    if (unsure_ || !vi::proves_empty(polyhedron_, proof))
      return {.status = Status::NumericalFailure, .iterations = steps};
    return {.status = Status::Infeasible, .iterations = steps, .proof = proof};
  }

  Polyhedron polyhedron_;
  Eigen::MatrixXd normals_;  // a row of the polyhedron each column
  Eigen::VectorXd offsets_;
  Eigen::VectorXd lengths_;                     // of the rows as given, A before C
  std::vector<Index> places_;                   // of each column, in that order
  Eigen::VectorXd empty_;                       // the proof where it was seen at once
  bool unsure_ = false;                         // the proof does not hold to rounding
  std::optional<detail::DualActiveSet> start_;  // the equalities alone
};

}  // namespace

namespace detail {

std::shared_ptr<const ConvexSet::Implementation> make_polyhedron(const Polyhedron& polyhedron) {
  return std::make_shared<PolyhedronSet>(polyhedron);
}

mlcp::Problem polyhedral_kkt(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Polyhedron& polyhedron) {
  const Index n = q.size(), m = polyhedron.A.rows(), p = polyhedron.C.rows();
  mlcp::Problem kkt;
  kkt.A.setZero(n + p, n + p);
  kkt.A.topLeftCorner(n, n) = M;
  kkt.C.setZero(n + p, m);
  kkt.D.setZero(m, n + p);
  kkt.B.setZero(m, m);
  kkt.a.resize(n + p);
  kkt.a.head(n) = q;
  if (p > 0) {
    kkt.A.topRightCorner(n, p) = polyhedron.C.transpose();
    kkt.A.bottomLeftCorner(p, n) = -polyhedron.C;
    kkt.a.tail(p) = polyhedron.d;
  }
  if (m > 0) {
    kkt.C.topRows(n) = polyhedron.A.transpose();
    kkt.D.leftCols(n) = -polyhedron.A;
  }
  kkt.b = polyhedron.b;
  return kkt;
}

}  // namespace detail
}  // namespace nonsmooth::vi
