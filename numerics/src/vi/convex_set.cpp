// SPDX-License-Identifier: Apache-2.0
// The sets with closed forms, and the handle of all.
#include <nonsmooth/numerics/vi/convex_set.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "mixed/projection_jacobian.hpp"
#include "set_implementation.hpp"

namespace nonsmooth::vi {
namespace {

using detail::infinity;

void check_box(const Box& box) {
  if (box.lower.size() < 1) throw InvalidArgument("vi::Box::lower", "no entries", "at least one");
  check::size("vi::Box::upper", box.upper.size(), box.lower.size(), "one an entry of lower");
  for (Index i = 0; i < box.lower.size(); ++i) {
    const double low = box.lower[i], high = box.upper[i];
    if (!(low < infinity)) {
      throw InvalidArgument("vi::Box::lower", check::text(low) + " in entry " + std::to_string(i),
                            "numbers below infinity");
    }
    if (!(high > -infinity)) {
      throw InvalidArgument("vi::Box::upper", check::text(high) + " in entry " + std::to_string(i),
                            "numbers above -infinity");
    }
    if (!(low <= high)) {
      throw InvalidArgument("vi::Box::lower", check::text(low) + " in entry " + std::to_string(i),
                            "at most the upper bound " + check::text(high));
    }
  }
}

class BoxSet final : public ConvexSet::Implementation {
 public:
  explicit BoxSet(Box box) : box_(std::move(box)) { check_box(box_); }

  Index size() const noexcept override { return box_.lower.size(); }
  ProjectionReport project(ConstVectorRef y, VectorRef x) const override {
    for (Index i = 0; i < size(); ++i)
      x[i] = y[i] < box_.lower[i] ? box_.lower[i] : (y[i] > box_.upper[i] ? box_.upper[i] : y[i]);
    return {};
  }
  void add_factors(std::vector<Index>& sizes) const override {
    sizes.insert(sizes.end(), static_cast<std::size_t>(size()), Index{1});
  }
  bool has_jacobian() const noexcept override { return true; }
  void jacobian(ConstVectorRef y, MatrixRef D) const override {
    D.setZero();
    for (Index i = 0; i < size(); ++i) D(i, i) = slope(y, i);
  }
  void add_jacobian(ConstVectorRef y, Index first, Entries& entries) const override {
    for (Index i = 0; i < size(); ++i)
      entries.emplace_back(static_cast<int>(first + i), static_cast<int>(first + i), slope(y, i));
  }
  std::optional<Polyhedron> polyhedron() const override {
    const Index n = size();
    Index inequalities = 0, equalities = 0;
    for (Index i = 0; i < n; ++i) {
      if (box_.lower[i] == box_.upper[i]) {
        ++equalities;
      } else {
        inequalities += (box_.lower[i] > -infinity) + (box_.upper[i] < infinity);
      }
    }
    Polyhedron form{Eigen::MatrixXd::Zero(inequalities, n), Eigen::VectorXd(inequalities),
                    Eigen::MatrixXd::Zero(equalities, n), Eigen::VectorXd(equalities)};
    Index row = 0, equality = 0;
    for (Index i = 0; i < n; ++i) {
      if (box_.lower[i] == box_.upper[i]) {
        form.C(equality, i) = 1.0;
        form.d[equality++] = box_.lower[i];
        continue;
      }
      if (box_.lower[i] > -infinity) {
        form.A(row, i) = -1.0;
        form.b[row++] = -box_.lower[i];
      }
      if (box_.upper[i] < infinity) {
        form.A(row, i) = 1.0;
        form.b[row++] = box_.upper[i];
      }
    }
    return form;
  }
  bool has_support() const noexcept override { return true; }
  double support(ConstVectorRef c, VectorRef y, double& terms) const override {
    double sum = 0.0;
    terms = 0.0;
    for (Index i = 0; i < size(); ++i) {
      const double end = c[i] > 0.0 ? box_.upper[i] : box_.lower[i];
      y[i] = c[i] == 0.0 ? std::clamp(0.0, box_.lower[i], box_.upper[i]) : end;
      if (c[i] == 0.0) continue;
      sum += c[i] * end;
      terms += std::abs(c[i] * end);
    }
    return sum;
  }

 private:
  [[nodiscard]] double slope(ConstVectorRef y, Index i) const {
    return y[i] > box_.lower[i] && y[i] < box_.upper[i] ? 1.0 : 0.0;
  }

  Box box_;
};

class BallSet final : public ConvexSet::Implementation {
 public:
  explicit BallSet(Ball ball) : ball_(std::move(ball)) {
    if (ball_.center.size() < 1) throw InvalidArgument("vi::Ball::center", "no entries", "at least one");
    check::finite("vi::Ball::center", ConstVectorRef(ball_.center));
    if (!(ball_.radius >= 0.0 && std::isfinite(ball_.radius)))
      throw InvalidArgument("vi::Ball::radius", check::text(ball_.radius), "a finite number >= 0");
  }

  Index size() const noexcept override { return ball_.center.size(); }
  ProjectionReport project(ConstVectorRef y, VectorRef x) const override {
    const double length = detail::norm_of(y - ball_.center);
    if (length <= ball_.radius) {
      x = y;
    } else {
      x = ball_.center + (ball_.radius / length) * (y - ball_.center);  // x may be y: entry by entry
    }
    return {};
  }
  bool has_jacobian() const noexcept override { return true; }
  void jacobian(ConstVectorRef y, MatrixRef D) const override {
    const Eigen::VectorXd arm = y - ball_.center;
    const double length = detail::norm_of(arm);
    D.setIdentity();
    if (ball_.radius == 0.0) D.setZero();
    if (length <= ball_.radius || ball_.radius == 0.0) return;
    const Eigen::VectorXd s = arm / length;
    D.noalias() -= s * s.transpose();
    D *= ball_.radius / length;
  }
  bool has_support() const noexcept override { return true; }
  double support(ConstVectorRef c, VectorRef y, double& terms) const override {
    const double length = detail::norm_of(c);
    y = ball_.center;
    if (length > 0.0) y += (ball_.radius / length) * c;
    terms = (detail::norm_of(ball_.center) + ball_.radius) * length;
    return c.dot(ball_.center) + ball_.radius * length;
  }

 private:
  Ball ball_;
};

class HalfSpaceSet final : public ConvexSet::Implementation {
 public:
  explicit HalfSpaceSet(HalfSpace half) : half_(std::move(half)) {
    if (half_.a.size() < 1) throw InvalidArgument("vi::HalfSpace::a", "no entries", "at least one");
    check::finite("vi::HalfSpace::a", ConstVectorRef(half_.a));
    check::finite("vi::HalfSpace::b", half_.b);
    const double length = detail::norm_of(half_.a);
    if (!(length > 0.0)) throw InvalidArgument("vi::HalfSpace::a", "0 in every entry", "a direction");
    normal_ = half_.a / length;
    offset_ = half_.b / length;
  }

  Index size() const noexcept override { return normal_.size(); }
  ProjectionReport project(ConstVectorRef y, VectorRef x) const override {
    const double outside = normal_.dot(y) - offset_;
    x = y;
    if (outside > 0.0 || std::isnan(outside)) x -= outside * normal_;
    return {};
  }
  bool has_jacobian() const noexcept override { return true; }
  void jacobian(ConstVectorRef y, MatrixRef D) const override {
    D.setIdentity();
    if (normal_.dot(y) > offset_) D.noalias() -= normal_ * normal_.transpose();
  }
  std::optional<Polyhedron> polyhedron() const override {
    return Polyhedron{half_.a.transpose(), Eigen::VectorXd::Constant(1, half_.b), Eigen::MatrixXd(0, size()),
                      Eigen::VectorXd(0)};
  }
  bool has_support() const noexcept override { return true; }
  double support(ConstVectorRef c, VectorRef y, double& terms) const override {
    const double along = c.dot(normal_);  // bounded for c = s a, s >= 0, alone
    y = offset_ * normal_;
    terms = std::abs(offset_) * detail::norm_of(c);
    const bool parallel = detail::norm_of(c - along * normal_) <= 64.0 * eps * c.norm();
    return along >= 0.0 && parallel ? along * offset_ : infinity;
  }

 private:
  HalfSpace half_;
  Eigen::VectorXd normal_;  // a / |a|
  double offset_ = 0.0;     // b / |a|
};

class BlocksSet final : public ConvexSet::Implementation {
 public:
  explicit BlocksSet(ProductSet blocks) : blocks_(std::move(blocks)) {}

  Index size() const noexcept override { return blocks_.num_rows(); }
  ProjectionReport project(ConstVectorRef y, VectorRef x) const override {
    x = y;
    for (Index i = 0; i < blocks_.num_blocks(); ++i)
      nonsmooth::project(blocks_[i], x.segment(blocks_.offset(i), blocks_.size(i)));
    return {};
  }
  void add_factors(std::vector<Index>& sizes) const override {
    for (Index i = 0; i < blocks_.num_blocks(); ++i) {
      const Index count = blocks_.size(i);
      sizes.insert(sizes.end(), static_cast<std::size_t>(couples(i) ? 1 : count), couples(i) ? count : 1);
    }
  }
  bool has_jacobian() const noexcept override { return blocks_.is_canonical(); }
  void jacobian(ConstVectorRef y, MatrixRef D) const override {
    D.setZero();
    Eigen::MatrixXd block;
    for (Index i = 0; i < blocks_.num_blocks(); ++i) {
      const Index first = blocks_.offset(i), count = blocks_.size(i);
      block.resize(count, count);
      mixed::internal::projection_jacobian(blocks_[i], y.data() + first, count, block.data());
      D.block(first, first, count, count) = block;
    }
  }
  void add_jacobian(ConstVectorRef y, Index first, Entries& entries) const override {
    Eigen::MatrixXd block;
    for (Index i = 0; i < blocks_.num_blocks(); ++i) {
      const Index offset = blocks_.offset(i), count = blocks_.size(i);
      block.resize(count, count);
      mixed::internal::projection_jacobian(blocks_[i], y.data() + offset, count, block.data());
      if (couples(i)) {
        add_block(block, first + offset, entries);
      } else {
        for (Index row = first + offset, k = 0; k < count; ++k, ++row)
          entries.emplace_back(static_cast<int>(row), static_cast<int>(row), block(k, k));
      }
    }
  }

 private:
  /// Whether the block's rows depend on each other.
  [[nodiscard]] bool couples(Index block) const {
    const SetKind kind = blocks_[block].kind;
    return kind != SetKind::Free && kind != SetKind::Orthant && kind != SetKind::Box;
  }

  ProductSet blocks_;
};

/// Blocks that are intervals row by row are a box, which knows more of itself.
std::shared_ptr<const ConvexSet::Implementation> make_blocks(const ProductSet& blocks) {
  if (blocks.num_rows() < 1) throw InvalidArgument("vi::ConvexSet: blocks", "no rows", "at least one");
  const Index intervals = blocks.count(SetKind::Free) + blocks.count(SetKind::Orthant) + blocks.count(SetKind::Box);
  if (intervals < blocks.num_blocks()) return std::make_shared<BlocksSet>(blocks);
  Box box{Eigen::VectorXd::Constant(blocks.num_rows(), -infinity),
          Eigen::VectorXd::Constant(blocks.num_rows(), infinity)};
  for (Index i = 0; i < blocks.num_blocks(); ++i) {
    if (blocks[i].kind == SetKind::Free) continue;
    const bool orthant = blocks[i].kind == SetKind::Orthant;
    box.lower.segment(blocks.offset(i), blocks.size(i)).setConstant(orthant ? 0.0 : blocks[i].lower);
    if (!orthant) box.upper.segment(blocks.offset(i), blocks.size(i)).setConstant(blocks[i].upper);
  }
  return std::make_shared<BoxSet>(std::move(box));
}

class CallersSet final : public ConvexSet::Implementation {
 public:
  explicit CallersSet(UserSet set) : set_(std::move(set)) {
    check::at_least("vi::UserSet::size", set_.size, 1);
    if (!set_.project) throw InvalidArgument("vi::UserSet::project", "no callable", "one");
    if (!(set_.accuracy > 0.0 && set_.accuracy <= 1e-2))
      throw InvalidArgument("vi::UserSet::accuracy", check::text(set_.accuracy), "a number in (0, 0.01]");
  }

  Index size() const noexcept override { return set_.size; }
  ProjectionReport project(ConstVectorRef y, VectorRef x) const override {
    const Eigen::VectorXd from = y;  // x may be y
    set_.project(from, x);
    for (Index i = 0; i < size(); ++i) {
      if (std::isfinite(x[i]) || !std::isfinite(from[i])) continue;
      throw InvalidArgument("vi::UserSet::project", check::text(x[i]) + " in entry " + std::to_string(i),
                            "finite numbers");
    }
    return {};
  }
  double user_accuracy() const noexcept override { return set_.accuracy; }

 private:
  UserSet set_;
};

}  // namespace

ConvexSet::ConvexSet(const Box& box) : implementation_(std::make_shared<BoxSet>(box)) {}
ConvexSet::ConvexSet(const Ball& ball) : implementation_(std::make_shared<BallSet>(ball)) {}
ConvexSet::ConvexSet(const HalfSpace& half_space) : implementation_(std::make_shared<HalfSpaceSet>(half_space)) {}
ConvexSet::ConvexSet(const Polyhedron& polyhedron) : implementation_(detail::make_polyhedron(polyhedron)) {}
ConvexSet::ConvexSet(const ProductSet& blocks) : implementation_(make_blocks(blocks)) {}
ConvexSet::ConvexSet(const Product& product) : implementation_(detail::make_product(product)) {}
ConvexSet::ConvexSet(const Intersection& intersection) : implementation_(detail::make_intersection(intersection)) {}
ConvexSet::ConvexSet(const Shifted& shifted) : implementation_(detail::make_shifted(shifted)) {}
ConvexSet::ConvexSet(const UserSet& set) : implementation_(std::make_shared<CallersSet>(set)) {}

Index ConvexSet::size() const noexcept { return implementation_ ? implementation_->size() : 0; }

ProjectionReport ConvexSet::project(ConstVectorRef y, VectorRef x) const {
  check::size("vi::ConvexSet::project: y", y.size(), size(), "one a row of the set");
  check::size("vi::ConvexSet::project: x", x.size(), size(), "one a row of the set");
  return implementation_ ? implementation_->project(y, x) : ProjectionReport{};
}

std::vector<Index> ConvexSet::factors() const {
  std::vector<Index> sizes;
  if (implementation_) implementation_->add_factors(sizes);
  return sizes;
}

bool ConvexSet::has_jacobian() const noexcept { return implementation_ && implementation_->has_jacobian(); }

void ConvexSet::jacobian(ConstVectorRef y, MatrixRef D) const {
  if (!has_jacobian()) throw InvalidArgument("vi::ConvexSet::jacobian", "a set without one", "has_jacobian()");
  check::size("vi::ConvexSet::jacobian: y", y.size(), size(), "one a row of the set");
  check::shape("vi::ConvexSet::jacobian: D", D.rows(), D.cols(), size(), size());
  implementation_->jacobian(y, D);
}

void ConvexSet::jacobian(ConstVectorRef y, Eigen::SparseMatrix<double>& D) const {
  if (!has_jacobian()) throw InvalidArgument("vi::ConvexSet::jacobian", "a set without one", "has_jacobian()");
  check::size("vi::ConvexSet::jacobian: y", y.size(), size(), "one a row of the set");
  Implementation::Entries entries;
  implementation_->add_jacobian(y, 0, entries);
  D.resize(size(), size());
  D.setFromTriplets(entries.begin(), entries.end());
}

std::optional<Polyhedron> ConvexSet::polyhedron() const {
  return implementation_ ? implementation_->polyhedron() : std::nullopt;
}

bool ConvexSet::has_support() const noexcept { return implementation_ && implementation_->has_support(); }

double ConvexSet::support(ConstVectorRef c, VectorRef y) const {
  double terms = 0.0;
  return support(c, y, terms);
}

double ConvexSet::support(ConstVectorRef c, VectorRef y, double& terms) const {
  if (!has_support()) throw InvalidArgument("vi::ConvexSet::support", "a set without one", "has_support()");
  check::size("vi::ConvexSet::support: c", c.size(), size(), "one a row of the set");
  check::size("vi::ConvexSet::support: y", y.size(), size(), "one a row of the set");
  check::finite("vi::ConvexSet::support: c", c);
  return implementation_->support(c, y, terms);
}

Index ConvexSet::proof_rows() const noexcept { return implementation_ ? implementation_->proof_rows() : 0; }

bool ConvexSet::proves_empty(ConstVectorRef y) const {
  return proof_rows() > 0 && y.size() == proof_rows() && implementation_->proves_empty(y);
}

double ConvexSet::user_accuracy() const noexcept { return implementation_ ? implementation_->user_accuracy() : 0.0; }

}  // namespace nonsmooth::vi
