// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mlcp/lemke.hpp>
#include <nonsmooth/numerics/qp/dual_active_set.hpp>
#include <nonsmooth/numerics/vi/convex_set.hpp>

#include "numbers.hpp"
#include "polyhedral_kkt.hpp"
#include "qp/active_factors.hpp"
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

constexpr int most_projections = 3;  // from y, from a point that is eps |y| off, for rows
// What rows that nearly depend on each other may leave of |b| + |x| + |y|, 1e4 times eps as their factors lose it; it
// is told as the report's error, so that no more is claimed than holds. Beyond it the projection has failed.
constexpr double most_lost = 1e4 * eps;

/// v = x - y of the nearest point x: min |v|^2 / 2, N v <= b - N y, the first of them =. In v, whose size is that of
/// the answer's distance and of the bounds, rounding and the certificate know a unit even where x is 0.
struct Nearest {
  qp::Problem program;
  Eigen::VectorXd offsets;
  Index equalities;
  qp::DualActiveSetWorkspace workspace{};
  qp::Result result{};
  bool factored = false;

  /// From no active set, so that the answer depends on y alone.
  const qp::Result& to_nearest(ConstVectorRef y) {
    program.row_upper.noalias() = offsets - program.A * y;
    program.row_lower.head(equalities) = program.row_upper.head(equalities);
    result.x.resize(0);
    const Index rows = program.A.rows() + program.A.cols();
    workspace.solve(program, {.max_steps = 50 * rows + 100}, factored, result);
    factored = true;
    return result;
  }
};

class PolyhedronSet final : public ConvexSet::Implementation {
 public:
  explicit PolyhedronSet(Polyhedron polyhedron) : polyhedron_(std::move(polyhedron)) {
    polyhedron_.validate();
    set_up();
  }

  Index size() const noexcept override { return polyhedron_.size(); }

  ProjectionReport project(ConstVectorRef y, VectorRef x) const override {
    if (empty_.size() > 0) return refuse(empty_, 0, x);
    if (!y.allFinite()) return refuse({}, 0, x);
    const Lease lease(*this);
    ProjectionReport report{.error = detail::infinity};
    Eigen::VectorXd near = y;
    // x = y + v has the rounding of y, whose length may be any of that of x: once more from x, and once from that.
    for (int round = 0; round < most_projections && report.error > 0.0; ++round) {
      const qp::Result& way = lease.own->to_nearest(near);
      report.iterations += way.iterations;
      if (way.status == Status::Infeasible) {
        const Eigen::VectorXd proof = proof_of(-way.proof);
        if (vi::proves_empty(polyhedron_, proof)) return refuse(proof, report.iterations, x);
      }
      near += way.x;
      const double error = off(near, rounding(size()), 0.0);
      if (!(error < report.error)) break;
      report.error = error;
      x = near;
    }
    if (std::isinf(report.error) || off(x, most_lost, detail::norm_of(y)) > 0.0)
      return refuse({}, report.iterations, x);
    return report;
  }

  bool has_jacobian() const noexcept override { return true; }
  /// D = I - N^+ N, N the rows that push: what the metric of I leaves of each unit vector.
  void jacobian(ConstVectorRef y, MatrixRef D) const override {
    D.setIdentity();
    if (empty_.size() > 0 || !y.allFinite()) return;
    const Lease lease(*this);
    const qp::Result& way = lease.own->to_nearest(y);
    // As far from the rows as y + v may be by the rounding of y.
    if (const Eigen::VectorXd x = y + way.x; !x.allFinite() || off(x, most_lost, 0.0) > rounding(size()) * y.norm())
      return;
    qp::detail::ActiveFactors factors;
    static_cast<void>(factors.factorize(D, 0.0));  // of I
    Eigen::VectorXd d(size()), column(size());
    for (Index i = 0; i < offsets_.size(); ++i) {
      if (way.y[i] == 0.0 && i >= equalities_) continue;
      factors.transform(lease.own->program.A.row(i).transpose(), d);
      if (!factors.depends(d)) factors.add(d);
    }
    for (Index j = 0; j < size(); ++j) {
      factors.transform_unit(j, 1.0, d);
      factors.step(d, column);
      D.col(j) = column;
    }
  }

  std::optional<Polyhedron> polyhedron() const override { return polyhedron_; }
  Index proof_rows() const noexcept override { return polyhedron_.A.rows() + polyhedron_.C.rows(); }
  bool proves_empty(ConstVectorRef y) const override { return vi::proves_empty(polyhedron_, y); }

  bool has_support() const noexcept override { return true; }
  double support(ConstVectorRef c, VectorRef y, double& terms) const override {
    terms = 0.0;
    if (const ProjectionReport report = project(Eigen::VectorXd::Zero(size()), y); report.status == Status::Infeasible)
      throw InvalidArgument("vi::ConvexSet::support", "a polyhedron without a point", "one that is not empty");
    if (c.isZero(0.0)) return 0.0;
    const mlcp::Problem conditions = detail::polyhedral_kkt(Eigen::MatrixXd::Zero(size(), size()), -c, polyhedron_);
    const mlcp::Result result = mlcp::solve(conditions, mlcp::Lemke{});
    // K has a point: conditions that contradict each other say that c·y has no bound on it.
    if (result.status == Status::Infeasible) return detail::infinity;
    if (!result.ok()) return std::numeric_limits<double>::quiet_NaN();
    y = result.u.head(size());
    // By its rows it is sum |multiplier| |bound|, which may be more than what is left of it.
    terms = c.norm() * y.norm() + result.v.cwiseAbs().dot(polyhedron_.b.cwiseAbs()) +
            result.u.tail(polyhedron_.d.size()).cwiseAbs().dot(polyhedron_.d.cwiseAbs());
    return c.dot(y);
  }

 private:
  /// The memory of one projection, which no other thread has meanwhile.
  struct Lease {
    explicit Lease(const PolyhedronSet& set) : of(set) {
      const std::lock_guard lock(of.guard_);
      if (of.idle_.empty()) {
        own = of.make();
        of.idle_.reserve(of.made_ + 1);
        ++of.made_;
      } else {
        own = std::move(of.idle_.back());
        of.idle_.pop_back();
      }
    }
    ~Lease() {
      const std::lock_guard lock(of.guard_);
      of.idle_.push_back(std::move(own));  // in memory that was reserved as it was made: this throws nothing
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    const PolyhedronSet& of;
    std::unique_ptr<Nearest> own;
  };

  std::unique_ptr<Nearest> make() const {
    const Index n = size(), m = offsets_.size();
    return std::make_unique<Nearest>(Nearest{.program = {.Q = Eigen::MatrixXd::Identity(n, n),
                                                         .c = Eigen::VectorXd::Zero(n),
                                                         .A = normals_.transpose(),
                                                         .row_lower = Eigen::VectorXd::Constant(m, -detail::infinity),
                                                         .row_upper = Eigen::VectorXd::Zero(m)},
                                             .offsets = offsets_,
                                             .equalities = equalities_});
  }

  /// n products and their sum, b and x themselves: what a row of norm 1 at x may round to, of |b| + |x|.
  static double rounding(Index n) { return static_cast<double>(n + 2) * eps; }

  /// The most by which x leaves a row, of those that it leaves by more than `part` of |b| + |x| + `length`;
  /// infinity: not a number. The dual method's v is the nearest on its active rows at any time, so that nothing else is
  /// asked of x: rows that follow from each other contradict in the differences b - N y of a y near to them.
  double off(const Eigen::VectorXd& x, double part, double length) const {
    if (!x.allFinite()) return detail::infinity;
    length += detail::norm_of(x);
    double most = 0.0;
    for (Index i = 0; i < offsets_.size(); ++i) {
      const double by = normals_.col(i).dot(x) - offsets_[i], left = i < equalities_ ? std::abs(by) : by;
      if (!(left <= part * (std::abs(offsets_[i]) + length))) most = std::max(most, left);
    }
    return most;
  }

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
    equalities_ = equalities;
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
    if (!vi::proves_empty(polyhedron_, proof)) return {.status = Status::NumericalFailure, .iterations = steps};
    return {.status = Status::Infeasible, .iterations = steps, .proof = proof};
  }

  Polyhedron polyhedron_;
  Eigen::MatrixXd normals_;  // a row of the polyhedron each column
  Eigen::VectorXd offsets_;
  Eigen::VectorXd lengths_;    // of the rows as given, A before C
  std::vector<Index> places_;  // of each column, in that order
  Eigen::VectorXd empty_;      // the proof where it was seen at once
  Index equalities_ = 0;
  mutable std::mutex guard_;
  mutable std::vector<std::unique_ptr<Nearest>> idle_;
  mutable std::size_t made_ = 0;  // by all leases, and all may come back
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
