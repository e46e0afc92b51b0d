// SPDX-License-Identifier: Apache-2.0
// Products, intersections and translations of convex sets.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "common_point.hpp"
#include "set_implementation.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::vi {
namespace {

void check_parts(const char* argument, const std::vector<ConvexSet>& parts) {
  if (parts.empty()) throw InvalidArgument(argument, "no parts", "at least one");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].size() < 1)
      throw InvalidArgument(argument, "a part without rows, number " + std::to_string(i), "sets of at least one row");
  }
}

double least_accuracy(const std::vector<ConvexSet>& parts) noexcept {
  double accuracy = 0.0;
  for (const ConvexSet& part : parts) accuracy = std::max(accuracy, part.user_accuracy());
  return accuracy;
}

Index rows_of_proofs(const std::vector<ConvexSet>& parts) noexcept {
  Index rows = 0;
  for (const ConvexSet& part : parts) rows += part.proof_rows();
  return rows;
}

bool proves_a_part_empty(const std::vector<ConvexSet>& parts, ConstVectorRef y) {
  Index row = 0;
  for (const ConvexSet& part : parts) {
    if (part.proof_rows() > 0 && part.proves_empty(y.segment(row, part.proof_rows()))) return true;
    row += part.proof_rows();
  }
  return false;
}

/// The rows of all forms below each other, each on n columns from its own first one on.
class Stack {
 public:
  explicit Stack(Index n) : n_(n) {}

  void add(Polyhedron form, Index first) {
    rows_ += form.A.rows();
    equalities_ += form.C.rows();
    forms_.emplace_back(std::move(form), first);
  }
  [[nodiscard]] Polyhedron all() const {
    Polyhedron sum{Eigen::MatrixXd::Zero(rows_, n_), Eigen::VectorXd(rows_), Eigen::MatrixXd::Zero(equalities_, n_),
                   Eigen::VectorXd(equalities_)};
    Index row = 0, equality = 0;
    for (const auto& [form, first] : forms_) {
      const Index m = form.A.rows(), p = form.C.rows();
      if (m > 0) sum.A.block(row, first, m, form.A.cols()) = form.A;
      if (p > 0) sum.C.block(equality, first, p, form.C.cols()) = form.C;
      sum.b.segment(row, m) = form.b;
      sum.d.segment(equality, p) = form.d;
      row += m;
      equality += p;
    }
    return sum;
  }

 private:
  Index n_, rows_ = 0, equalities_ = 0;
  std::vector<std::pair<Polyhedron, Index>> forms_;
};

class ProductOfSets final : public ConvexSet::Implementation {
 public:
  explicit ProductOfSets(std::vector<ConvexSet> parts) : parts_(std::move(parts)) {
    for (const ConvexSet& part : parts_) offsets_.push_back(offsets_.back() + part.size());
  }

  Index size() const noexcept override { return offsets_.back(); }
  ProjectionReport project(ConstVectorRef y, VectorRef x) const override {
    ProjectionReport all;
    Index row = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      ProjectionReport one = parts_[i].project(segment(y, i), x.segment(offsets_[i], parts_[i].size()));
      all.iterations += one.iterations;
      all.error = std::hypot(all.error, one.error);
      if (one.status == Status::Infeasible) {
        if (all.status != Status::Infeasible) all.proof.setZero(proof_rows());
        all.status = Status::Infeasible;
        all.proof.segment(row, one.proof.size()) = one.proof;
      } else if (!one.ok() && all.ok()) {
        all.status = one.status;
      }
      row += parts_[i].proof_rows();
    }
    if (all.status == Status::Infeasible) x.setZero();
    return all;
  }
  void add_factors(std::vector<Index>& sizes) const override {
    for (const ConvexSet& part : parts_) {
      const std::vector<Index> of_part = part.factors();
      sizes.insert(sizes.end(), of_part.begin(), of_part.end());
    }
  }
  bool has_jacobian() const noexcept override {
    return std::all_of(parts_.begin(), parts_.end(), [](const ConvexSet& part) { return part.has_jacobian(); });
  }
  void jacobian(ConstVectorRef y, MatrixRef D) const override {
    D.setZero();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Index first = offsets_[i], count = parts_[i].size();
      parts_[i].jacobian(segment(y, i), D.block(first, first, count, count));
    }
  }
  void add_jacobian(ConstVectorRef y, Index first, Entries& entries) const override {
    Eigen::SparseMatrix<double> D;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i].jacobian(segment(y, i), D);
      const Index offset = first + offsets_[i];
      nonsmooth::detail::for_each_entry(D, [&](Index row, Index column, double value) {
        entries.emplace_back(static_cast<int>(offset + row), static_cast<int>(offset + column), value);
      });
    }
  }
  std::optional<Polyhedron> polyhedron() const override {
    Stack stack(size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      std::optional<Polyhedron> form = parts_[i].polyhedron();
      if (!form) return std::nullopt;
      stack.add(std::move(*form), offsets_[i]);
    }
    return stack.all();
  }
  bool has_support() const noexcept override {
    return std::all_of(parts_.begin(), parts_.end(), [](const ConvexSet& part) { return part.has_support(); });
  }
  double support(ConstVectorRef c, VectorRef y, double& terms) const override {
    double sum = 0.0, of_part = 0.0;
    terms = 0.0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      sum += parts_[i].support(segment(c, i), y.segment(offsets_[i], parts_[i].size()), of_part);
      terms += of_part;
    }
    return sum;
  }
  Index proof_rows() const noexcept override { return rows_of_proofs(parts_); }
  bool proves_empty(ConstVectorRef y) const override { return proves_a_part_empty(parts_, y); }
  double user_accuracy() const noexcept override { return least_accuracy(parts_); }

 private:
  [[nodiscard]] ConstVectorRef segment(ConstVectorRef y, std::size_t part) const {
    return y.segment(offsets_[part], parts_[part].size());
  }

  std::vector<ConvexSet> parts_;
  std::vector<Index> offsets_ = {0};
};

class ShiftedSet final : public ConvexSet::Implementation {
 public:
  explicit ShiftedSet(Shifted shifted) : K_(std::move(shifted.K)), by_(std::move(shifted.by)) {}

  Index size() const noexcept override { return by_.size(); }
  ProjectionReport project(ConstVectorRef y, VectorRef x) const override {
    ProjectionReport report = K_.project(y - by_, x);
    if (report.status != Status::Infeasible) x += by_;
    return report;
  }
  void add_factors(std::vector<Index>& sizes) const override { sizes = K_.factors(); }
  bool has_jacobian() const noexcept override { return K_.has_jacobian(); }
  void jacobian(ConstVectorRef y, MatrixRef D) const override { K_.jacobian(y - by_, D); }
  void add_jacobian(ConstVectorRef y, Index first, Entries& entries) const override {
    Eigen::SparseMatrix<double> D;
    K_.jacobian(y - by_, D);
    nonsmooth::detail::for_each_entry(D, [&](Index row, Index column, double value) {
      entries.emplace_back(static_cast<int>(first + row), static_cast<int>(first + column), value);
    });
  }
  std::optional<Polyhedron> polyhedron() const override {
    std::optional<Polyhedron> form = K_.polyhedron();
    if (form && form->A.rows() > 0) form->b += form->A * by_;
    if (form && form->C.rows() > 0) form->d += form->C * by_;
    return form;
  }
  bool has_support() const noexcept override { return K_.has_support(); }
  double support(ConstVectorRef c, VectorRef y, double& terms) const override {
    const double value = K_.support(c, y, terms) + c.dot(by_);
    terms += c.norm() * by_.norm();
    y += by_;
    return value;
  }
  // A vector that proves K empty is one for the shifted rows: A^T y = 0 leaves b·y as it is.
  Index proof_rows() const noexcept override { return K_.proof_rows(); }
  bool proves_empty(ConstVectorRef y) const override { return K_.proves_empty(y); }
  double user_accuracy() const noexcept override { return K_.user_accuracy(); }

 private:
  ConvexSet K_;
  Eigen::VectorXd by_;
};

/// Supports of polyhedra are right to the tolerance of linear programs, sums of others to rounding.
constexpr double least_gap = 1e-9;

class DykstraSet final : public ConvexSet::Implementation {
 public:
  explicit DykstraSet(Intersection intersection)
      : intersection_(std::move(intersection)), rows_of_parts_(rows_of_proofs(intersection_.parts)) {
    separates_ = std::all_of(intersection_.parts.begin(), intersection_.parts.end(),
                             [](const ConvexSet& part) { return part.has_support(); });
    newton_ = detail::CommonPoint::takes(intersection_.parts);
  }

  Index size() const noexcept override { return intersection_.parts.front().size(); }

  ProjectionReport project(ConstVectorRef y, VectorRef x) const override {
    Eigen::MatrixXd p;
    return run(y, x, p);
  }
  bool has_jacobian() const noexcept override { return newton_; }
  void jacobian(ConstVectorRef y, MatrixRef D) const override {
    Eigen::MatrixXd p;
    Eigen::VectorXd x(size());
    static_cast<void>(run(y, x, p));
    detail::CommonPoint(intersection_.parts).jacobian(y, p, D);
  }
  Index proof_rows() const noexcept override {
    return rows_of_parts_ + (separates_ ? size() * static_cast<Index>(intersection_.parts.size()) : 0);
  }
  bool proves_empty(ConstVectorRef y) const override {
    return proves_a_part_empty(intersection_.parts, y) ||
           (separates_ && separate(Eigen::Map<const Eigen::MatrixXd>(y.data() + rows_of_parts_, size(),
                                                                     static_cast<Index>(intersection_.parts.size()))));
  }
  double user_accuracy() const noexcept override { return least_accuracy(intersection_.parts); }

 private:
  /// Dykstra's cycles, and p where they end. After 4 of them, and four times as many again and again, Newton's method
  /// is tried from there.
  ProjectionReport run(ConstVectorRef y, VectorRef x, Eigen::MatrixXd& p) const {
    const std::size_t count = intersection_.parts.size();
    ProjectionReport report{.status = Status::IterationLimit};
    Eigen::VectorXd point = y, z(size()), before(size());
    const double size_of_y = y.norm();
    p = Eigen::MatrixXd::Zero(size(), static_cast<Index>(count));
    Eigen::MatrixXd p_halfway = p;
    Index attempt = 4;
    double change = 0.0;
    bool found = true;  // by the parts, whose own projections may be Dykstra's
    while (found && report.iterations < intersection_.max_cycles) {
      const double last = change;
      double square = 0.0, of_parts = 0.0;
      for (std::size_t i = 0; i < count; ++i) {
        auto increment = p.col(static_cast<Index>(i));
        z = point + increment;
        ProjectionReport one = intersection_.parts[i].project(z, point);
        if (!one.ok() && one.status != Status::IterationLimit) return end_by_part(i, std::move(one), x);
        found = found && one.ok();
        of_parts += one.error;
        before = increment;
        increment = z - point;
        square += (increment - before).squaredNorm();
      }
      change = std::sqrt(square);
      if (++report.iterations == intersection_.max_cycles / 2) p_halfway = p;
      // Beyond a geometric series of the last quotient; changes that are rounding do not fall.
      const double quotient = last > 0.0 ? std::min(change / last, 1.0 - 1e-3) : 1.0 - 1e-3;
      const double remaining = change / (1.0 - quotient), size = std::max(size_of_y, point.norm());
      report.error = remaining + of_parts;
      const bool rounding = change <= 16.0 * eps * std::max(size, p.colwise().norm().maxCoeff());
      if (newton_ && report.iterations == attempt) {
        attempt *= 4;
        if (detail::CommonPoint(intersection_.parts).solve(y, p, point, report.error)) {
          report.status = Status::Solved;
          break;
        }
      }
      if (found && (rounding || remaining <= intersection_.tolerance * size)) {
        report.status = Status::Solved;
        break;
      }
    }
    x = point;
    if (separates_ && report.iterations >= intersection_.max_cycles && !report.ok())
      tell_separation(p - p_halfway, report, x);
    return report;
  }

  /// Whether the columns v_i, one a part, have the sum 0 and supports of a negative sum: a common point x had
  /// 0 = x·sum v_i <= sum max {v_i·y : y in K_i}.
  [[nodiscard]] bool separate(const Eigen::MatrixXd& v) const {
    if (!v.allFinite()) return false;
    for (Index j = 0; j < v.rows(); ++j) {
      if (!(std::abs(v.row(j).sum()) <= 4.0 * eps * static_cast<double>(v.cols()) * v.row(j).cwiseAbs().sum()))
        return false;
    }
    double sum = 0.0, terms = 0.0, of_part = 0.0;
    Eigen::VectorXd at(size());
    for (Index i = 0; i < v.cols(); ++i) {
      if (v.col(i).isZero(0.0)) continue;
      const ConvexSet& part = intersection_.parts[static_cast<std::size_t>(i)];
      try {
        sum += part.support(v.col(i), at, of_part);
      } catch (const InvalidArgument&) {  // a polyhedron without a point: another proof shows it
        return false;
      }
      terms += of_part;
    }
    return sum < -least_gap * terms;
  }

  /// Where the parts are apart, each cycle adds the same v_i to p_i, along the gaps between them. What rounding leaves
  /// of their sum goes to a part whose support is finite there.
  void tell_separation(Eigen::MatrixXd v, ProjectionReport& report, VectorRef x) const {
    const double largest = v.cwiseAbs().maxCoeff();
    if (!(largest > 0.0) || std::isinf(largest)) return;
    v /= largest;
    for (Index taker = 0; taker < v.cols(); ++taker) {
      Eigen::MatrixXd sums_to_zero = v;
      sums_to_zero.col(taker).setZero();
      sums_to_zero.col(taker) = -sums_to_zero.rowwise().sum();
      if (!separate(sums_to_zero)) continue;
      report.status = Status::Infeasible;
      report.proof.setZero(proof_rows());
      report.proof.tail(v.size()) = sums_to_zero.reshaped();
      x.setZero();
      return;
    }
  }

  /// A part that has no point, or failed.
  ProjectionReport end_by_part(std::size_t part, ProjectionReport&& one, VectorRef x) const {
    x.setZero();
    if (one.status != Status::Infeasible) return std::move(one);
    ProjectionReport report{.status = Status::Infeasible};
    report.proof.setZero(proof_rows());
    Index row = 0;
    for (std::size_t i = 0; i < part; ++i) row += intersection_.parts[i].proof_rows();
    report.proof.segment(row, one.proof.size()) = one.proof;
    return report;
  }

  Intersection intersection_;
  Index rows_of_parts_;
  bool newton_ = false;     // the parts have Jacobians
  bool separates_ = false;  // proofs have, behind those of the parts, a vector for each
};

}  // namespace

namespace detail {

std::shared_ptr<const ConvexSet::Implementation> make_product(const Product& product) {
  check_parts("vi::Product::parts", product.parts);
  return std::make_shared<ProductOfSets>(product.parts);
}

std::shared_ptr<const ConvexSet::Implementation> make_shifted(const Shifted& shifted) {
  if (shifted.K.size() < 1) throw InvalidArgument("vi::Shifted::K", "no rows", "at least one");
  check::size("vi::Shifted::by", shifted.by.size(), shifted.K.size(), "one a row of K");
  check::finite("vi::Shifted::by", ConstVectorRef(shifted.by));
  return std::make_shared<ShiftedSet>(shifted);
}

std::shared_ptr<const ConvexSet::Implementation> make_intersection(const Intersection& intersection) {
  check_parts("vi::Intersection::parts", intersection.parts);
  const Index n = intersection.parts.front().size();
  for (const ConvexSet& part : intersection.parts) {
    if (part.size() == n) continue;
    throw InvalidArgument("vi::Intersection::parts", "a part of " + std::to_string(part.size()) + " rows",
                          std::to_string(n) + " rows, as the first part");
  }
  if (!(intersection.tolerance > 0.0 && intersection.tolerance < 1.0)) {
    throw InvalidArgument("vi::Intersection::tolerance", check::text(intersection.tolerance), "a number in (0, 1)");
  }
  check::at_least("vi::Intersection::max_cycles", intersection.max_cycles, 1);
  Stack stack(n);
  for (const ConvexSet& part : intersection.parts) {
    std::optional<Polyhedron> form = part.polyhedron();
    if (!form) return std::make_shared<DykstraSet>(intersection);
    stack.add(std::move(*form), 0);
  }
  Polyhedron all = stack.all();
  if (all.A.rows() + all.C.rows() > 0) return make_polyhedron(all);
  return make_product({{intersection.parts.front()}});  // the whole space
}

}  // namespace detail
}  // namespace nonsmooth::vi
