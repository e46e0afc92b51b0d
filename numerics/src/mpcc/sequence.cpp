// SPDX-License-Identifier: Apache-2.0
#include "sequence.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "qp/internal.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::mpcc::detail {
namespace {

using Vector = Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

constexpr Index most_relaxed = 20, most_on_piece = 200;  // steps
constexpr Index most_idle = 15;                          // steps on a piece without a better certificate
constexpr double still = 1e-4;                           // a step over |x| that ends those of a relaxed program
constexpr double decrease = 1e-4;                        // Armijo's part of what the model promises
constexpr double shortest = 1e-8;                        // part of a step below which none is found
constexpr double of_use = 1e-6;                          // residual of a program that has not been solved
constexpr double dearer = 1.1;                           // prices over multipliers, so that violations never pay

void append(const Sparse& block, Index first, std::vector<Eigen::Triplet<double>>& entries) {
  nonsmooth::detail::for_each_entry(block, [&](Index i, Index j, double entry) {
    entries.emplace_back(static_cast<int>(first + i), static_cast<int>(j), entry);
  });
}

Sparse identity_times(Index n, double factor) {
  Sparse matrix(n, n);
  matrix.setIdentity();
  return factor * matrix;
}

double largest_row_sum(const Sparse& matrix) {
  Vector sums = Vector::Zero(matrix.rows());
  nonsmooth::detail::for_each_entry(matrix, [&](Index i, Index, double entry) { sums[i] += std::abs(entry); });
  return sums.maxCoeff();
}

/// Whether a program that has not been solved gives a step: rows that are met, and slopes that are 0, but for rounding
/// have bounds and slopes without a size of their own.
bool is_of_use(const qp::SparseProblem& program, const qp::Result& found) {
  Vector s(program.num_unknowns());
  qp::Figures figures;
  nonsmooth::detail::Buffer scratch;
  return qp::detail::certify_linearized(program, found.x, found.y, s, figures, scratch).residual <= of_use;
}

/// The first entry that is not finite, as NotFinite::message tells one; empty where there is none.
std::string not_finite_entry(const Sparse& hessian, const Vector& x) {
  std::string found;
  nonsmooth::detail::for_each_entry(hessian, [&](Index i, Index j, double entry) {
    if (!found.empty() || std::isfinite(entry)) return;
    std::ostringstream out;
    out << check::text(entry) << " in entry (" << i << ", " << j << ") of the Hessian at x = (";
    for (Index l = 0; l < x.size() && l < 8; ++l) out << (l > 0 ? ", " : "") << x[l];
    out << (x.size() > 8 ? ", ...)" : ")");
    found = out.str();
  });
  return found;
}

}  // namespace

Sequence::Sequence(const NonlinearProblem& problem, const NonlinearRelaxation& options,
                   const nonsmooth::detail::Deadline& deadline, NonlinearResult& result)
    : problem_(problem),
      options_(options),
      deadline_(deadline),
      result_(result),
      evaluator_(problem),
      n_(problem.num_unknowns()),
      m_(problem.num_rows()),
      k_(problem.num_pairs()) {
  y_.setZero(m_);
  u_.setZero(k_);
  v_.setZero(k_);
}

void Sequence::begin(ConstVectorRef x) {
  if (!evaluator_.values(x, now_) || !evaluator_.slopes(now_, slopes_))
    throw InvalidArgument("mpcc::NonlinearProblem", evaluator_.not_finite(), "finite numbers at the start");
  if (problem_.hessian) check_hessian();
  size_ = size_at(linear(), now_.x);
  radius_ = 10.0 * size_;
  keep();
}

void Sequence::set_rows(bool products) {
  products_ = products;
  const Index rows = m_ + (products ? 3 : 2) * k_;
  low_ = Vector::Zero(rows);
  high_ = Vector::Constant(rows, qp::detail::infinity);
  prices_ = Vector::Zero(rows);
  for (Index i = 0; i < m_; ++i) {
    low_[i] = qp::detail::row_lower(problem_, i);
    high_[i] = qp::detail::row_upper(problem_, i);
  }
  if (products) low_.tail(k_).setConstant(-qp::detail::infinity);
}

Vector Sequence::rows_at(const Values& values) const {
  Vector rows(low_.size());
  rows.head(m_) = values.c;
  rows.segment(m_, k_) = values.a;
  rows.segment(m_ + k_, k_) = values.b;
  if (products_) rows.tail(k_) = values.a.cwiseProduct(values.b);
  return rows;
}

Sparse Sequence::row_slopes() const {
  std::vector<Eigen::Triplet<double>> entries;
  append(slopes_.c, 0, entries);
  append(slopes_.G, m_, entries);
  append(slopes_.H, m_ + k_, entries);
  if (products_) {
    append(now_.b.asDiagonal() * slopes_.G, m_ + 2 * k_, entries);
    append(now_.a.asDiagonal() * slopes_.H, m_ + 2 * k_, entries);
  }
  Sparse rows(low_.size(), n_);
  rows.setFromTriplets(entries.begin(), entries.end());
  return rows;
}

/// The violations, priced.
double Sequence::priced(const Vector& rows) const {
  double sum = 0.0;
  for (Index i = 0; i < rows.size(); ++i) sum += prices_[i] * std::max({0.0, low_[i] - rows[i], rows[i] - high_[i]});
  return sum;
}

bool Sequence::go_on() {
  const bool late = deadline_.passed();
  if (!late && result_.iterations < options_.max_steps) {
    ++result_.iterations;
    return true;
  }
  result_.status = late ? Status::TimeLimit : Status::IterationLimit;
  result_.reason = late ? "time_limit reached" : "max_steps reached";
  return false;
}

void Sequence::end_not_finite(std::string what) {
  result_.status = Status::NumericalFailure;
  result_.reason = "a callable is not finite at an iterate";
  result_.not_finite = std::move(what);
}

/// The quadratic program at the iterate, of rows with these values, and the step to its solution; nothing where none is
/// solved. Its unknown is x + d: that of d alone would have scales that vanish with d.
std::optional<qp::Result> Sequence::direction(const Sparse& J, const Vector& rows) {
  if (!go_on()) return std::nullopt;
  const Vector offset = J * now_.x - rows;
  qp::SparseProblem program{.Q = B_,
                            .c = slopes_.f - B_ * now_.x,
                            .A = J,
                            .row_lower = low_ + offset,
                            .row_upper = high_ + offset,
                            .lower = now_.x.array() - radius_,
                            .upper = now_.x.array() + radius_};
  for (Index j = 0; j < n_; ++j) {
    program.lower[j] = std::max(program.lower[j], qp::detail::lower(problem_, j));
    program.upper[j] = std::min(program.upper[j], qp::detail::upper(problem_, j));
  }
  std::optional<qp::Result> found =
      qp::solve(program, qp::Automatic{.tolerance = std::max(1e-12, 0.1 * options_.tolerance),
                                       .max_iterations = most_iterations,
                                       .time_limit = deadline_.remaining()});
  if (!found->ok() && (found->status == Status::Infeasible || !is_of_use(program, *found)))
    found = priced_direction(program);
  if (found) found->x -= now_.x;
  return found;
}

/// The same with violations p, q >= 0 of the rows, low <= J d + p - q <= high, at prices above all multipliers so far.
std::optional<qp::Result> Sequence::priced_direction(const qp::SparseProblem& program) {
  if (!go_on()) return std::nullopt;
  const Index rows = program.num_rows();
  const Vector sizes = row_sizes(program.A);
  const double slope = std::max(slopes_.f.lpNorm<Eigen::Infinity>(), eps);
  for (Index i = 0; i < rows; ++i)
    prices_[i] = std::max(2.0 * prices_[i], 10.0 * slope / (sizes[i] > 0.0 ? sizes[i] : 1.0));
  std::vector<Eigen::Triplet<double>> entries;
  append(program.A, 0, entries);
  for (Index i = 0; i < rows; ++i) {
    entries.emplace_back(static_cast<int>(i), static_cast<int>(n_ + i), 1.0);
    entries.emplace_back(static_cast<int>(i), static_cast<int>(n_ + rows + i), -1.0);
  }
  std::vector<Eigen::Triplet<double>> curvature;
  append(program.Q, 0, curvature);
  const Index all = n_ + 2 * rows;
  qp::SparseProblem wide{.Q = Sparse(all, all),
                         .c = Vector(all),
                         .A = Sparse(rows, all),
                         .row_lower = program.row_lower,
                         .row_upper = program.row_upper,
                         .lower = Vector::Zero(all),
                         .upper = Vector::Constant(all, qp::detail::infinity)};
  wide.Q.setFromTriplets(curvature.begin(), curvature.end());
  wide.A.setFromTriplets(entries.begin(), entries.end());
  wide.c << program.c, prices_, prices_;
  wide.lower.head(n_) = program.lower;
  wide.upper.head(n_) = program.upper;
  qp::Result found = qp::solve(wide, qp::Automatic{.tolerance = std::max(1e-12, 0.1 * options_.tolerance),
                                                   .max_iterations = most_iterations,
                                                   .time_limit = deadline_.remaining()});
  if (!found.ok() && !is_of_use(wide, found)) return std::nullopt;
  found.x = Vector(found.x.head(n_));
  return found;
}

void Sequence::take_multipliers(const Vector& multipliers) {
  y_ = multipliers.head(m_);
  u_ = multipliers.segment(m_, k_);
  v_ = multipliers.segment(m_ + k_, k_);
  if (!products_) return;
  u_ += multipliers.tail(k_).cwiseProduct(now_.b);
  v_ += multipliers.tail(k_).cwiseProduct(now_.a);
}

Vector Sequence::lagrangian_slope() const {
  Vector slope = slopes_.f;
  if (m_ > 0) slope -= slopes_.c.transpose() * y_;
  if (k_ > 0) slope -= slopes_.G.transpose() * u_ + slopes_.H.transpose() * v_;
  return slope;
}

Sparse Sequence::hessian(const Vector& y, const Vector& u, const Vector& v) const {
  Sparse hessian(n_, n_);
  problem_.hessian(now_.x, y, u, v, hessian);
  if (hessian.rows() != n_ || hessian.cols() != n_)
    throw InvalidArgument("mpcc::NonlinearProblem::hessian", "another shape", "n x n");
  return hessian;
}

/// Of multipliers that are all 1, so that no map is left out.
void Sequence::check_hessian() const {
  const Sparse given = hessian(Vector::Ones(m_), Vector::Ones(k_), Vector::Ones(k_));
  const std::string what = not_finite_entry(given, now_.x);
  if (!what.empty()) throw InvalidArgument("mpcc::NonlinearProblem::hessian", what, "finite numbers at the start");
  // Callables round the two triangles in their own ways, an entry that cancels by a part of the largest.
  const double rounding = 1e-8 * row_sizes(given).maxCoeff();
  const Sparse difference = given - Sparse(given.transpose());
  nonsmooth::detail::for_each_entry(difference, [&](Index i, Index j, double entry) {
    if (std::abs(entry) <= rounding) return;
    std::ostringstream out;
    out << given.coeff(i, j) << " in entry (" << i << ", " << j << ") and " << given.coeff(j, i) << " in entry (" << j
        << ", " << i << ")";
    throw InvalidArgument("mpcc::NonlinearProblem::hessian", out.str(), "a symmetric matrix, both triangles");
  });
}

/// B of the multipliers there are. False where the Hessian is not finite, which ends the result.
bool Sequence::curve(const Sparse& J) {
  augmented_.setZero(J.rows());
  if (!problem_.hessian) {
    if (quasi_.size() == 0) B_ = identity_times(n_, slopes_.f.lpNorm<Eigen::Infinity>() / size_);
    return true;
  }
  Sparse hessian = this->hessian(y_, u_, v_);
  std::string what = not_finite_entry(hessian, now_.x);
  if (!what.empty()) {
    end_not_finite(std::move(what));
    return false;
  }
  // Callables round the two triangles in their own ways.
  hessian = 0.5 * (hessian + Sparse(hessian.transpose()));
  make_convex(std::move(hessian), J);
  return true;
}

/// B, with sigma J_E^T J_E of the rows with equations, where that is convex: J_E d is the same for all steps, so that
/// steps stay what they are, and multipliers move by -sigma J_E d. Else with a shift as well, which shortens them.
void Sequence::make_convex(Sparse B, const Sparse& J) {
  augmented_.setZero(J.rows());
  B_ = std::move(B);
  const auto convex = [this] { return qp::detail::is_convex(qp::SparseProblem{.Q = B_, .c = slopes_.f}); };
  if (convex()) return;
  const double size = row_sizes(B_).maxCoeff();
  const Vector sizes = row_sizes(J);
  for (Index i = 0; i < J.rows(); ++i)
    if (low_[i] == high_[i] && sizes[i] > 0.0) augmented_[i] = size / (sizes[i] * sizes[i]);
  if (augmented_.any()) {
    const Sparse given = B_, squares = J.transpose() * Sparse(augmented_.asDiagonal() * J);
    for (const double factor : {1.0, 10.0, 100.0}) {
      B_ = given + factor * squares;
      if (!convex()) continue;
      augmented_ *= factor;
      return;
    }
    B_ = given + squares;
  }
  const Sparse given = B_;
  const double enough = 1.01 * largest_row_sum(given);  // no eigenvalue is below minus that sum
  for (double shift = 1e-4 * size; shift < enough; shift *= 10.0) {
    B_ = given + identity_times(n_, shift);
    if (convex()) return;
  }
  B_ = given + identity_times(n_, enough);
}

/// Powell's damping: s^T B s of the step at least a fifth of what it was, so that B stays positive definite.
void Sequence::update_curve(const Vector& step, const Vector& slope_before) {
  Vector change = lagrangian_slope() - slope_before;
  const double product = step.dot(change), length = step.squaredNorm();
  if (!(length > 0.0)) return;
  if (quasi_.size() == 0) {
    const double first = product > 0.0 ? change.squaredNorm() / product : B_.coeff(0, 0);
    quasi_ = Eigen::MatrixXd::Identity(n_, n_) * (first > 0.0 ? first : 1.0);
  }
  const Vector Bs = quasi_ * step;
  const double curvature = step.dot(Bs);
  if (product < 0.2 * curvature) {
    const double part = 0.8 * curvature / (curvature - product);
    change = part * change + (1.0 - part) * Bs;
  }
  quasi_ += change * change.transpose() / step.dot(change) - Bs * Bs.transpose() / curvature;
  quasi_ = (0.5 * (quasi_ + quasi_.transpose())).eval();
  make_convex(quasi_.sparseView(), Sparse(0, n_));  // as far as it is rounded
}

/// Takes x where the value and the priced violations are at most `most`.
Sequence::Trial Sequence::try_at(const Vector& x, double most, Values& trial) {
  Vector inside = x;
  for (Index j = 0; j < n_; ++j)
    inside[j] = qp::detail::clamp(x[j], qp::detail::lower(problem_, j), qp::detail::upper(problem_, j));
  if (!evaluator_.values(inside, trial)) return Trial::NotFinite;
  if (!(trial.f + priced(rows_at(trial)) <= most)) return Trial::Refused;
  now_ = trial;
  return Trial::Taken;
}

/// Along d, the full step corrected for the curvature of the rows where it is refused. Where no trial is finite the
/// result tells the last one.
bool Sequence::search(const Sparse& J, const Vector& rows, const Vector& d) {
  const double before = priced(rows), model = priced(rows + J * d);
  const double slope = slopes_.f.dot(d) + model - before;  // at most 0 but for rounding
  const double rounding = 8.0 * eps * (std::abs(now_.f) + slopes_.f.cwiseAbs().dot(now_.x.cwiseAbs()) + before);
  const double merit = now_.f + before;
  const Vector x = now_.x;
  Values trial;
  bool any_finite = false;
  for (double length = 1.0; length >= shortest; length *= 0.5) {
    const double most = merit + decrease * length * std::min(slope, 0.0) + rounding;
    const Trial full = try_at(x + length * d, most, trial);
    if (full == Trial::Taken) {
      last_move_ = length * d.lpNorm<Eigen::Infinity>();
      if (length == 1.0) radius_ = std::max(radius_, 4.0 * last_move_);
      if (length < 0.1) radius_ = std::max(2.0 * last_move_, 1e-6 * size_);
      return true;
    }
    if (full == Trial::NotFinite) continue;
    any_finite = true;
    if (length < 1.0 || rows.size() == 0) continue;
    const Vector prices = prices_;  // those of this search, whatever the correction asks for
    const std::optional<qp::Result> corrected = direction(J, rows_at(trial) - J * d);
    prices_ = prices;
    if (result_.status != Status::NotRun) return false;
    if (corrected && try_at(x + Vector(corrected->x), most, trial) == Trial::Taken) {
      last_move_ = (now_.x - x).lpNorm<Eigen::Infinity>();
      return true;
    }
  }
  if (!any_finite) result_.not_finite = evaluator_.not_finite();
  return false;
}

Sequence::Step Sequence::step() {
  result_.not_finite.clear();
  size_ = size_at(linear(), now_.x);
  const Sparse J = row_slopes();
  if (!curve(J)) return Step::Failed;
  const Vector rows = rows_at(now_);
  const std::optional<qp::Result> found = direction(J, rows);
  if (!found) return Step::Failed;
  const Vector d = found->x, multipliers = Vector(found->y) - augmented_.cwiseProduct(J * d);
  take_multipliers(multipliers);
  if (d.lpNorm<Eigen::Infinity>() <= 4.0 * eps * now_.x.lpNorm<Eigen::Infinity>()) return Step::Settled;
  prices_ = prices_.cwiseMax(dearer * multipliers.cwiseAbs());
  const Values last = now_;
  const Vector slope = lagrangian_slope();
  if (!search(J, rows, d)) return Step::Failed;
  Slopes next = slopes_;
  if (!evaluator_.slopes(now_, next)) {
    now_ = last;
    end_not_finite(evaluator_.not_finite());
    return Step::Failed;
  }
  slopes_ = std::move(next);
  if (!problem_.hessian) update_curve(now_.x - last.x, slope);
  return Step::Taken;
}

void Sequence::relax(double t) {
  set_rows(true);
  sides_.clear();
  const Pairs pairs = pairs_at(linear(), now_.x);
  high_.tail(k_) = t * pairs.a_terms.cwiseProduct(pairs.b_terms);
  for (Index count = 0; count < most_relaxed; ++count) {
    const Step step = this->step();
    if (result_.status != Status::NotRun) keep_afresh();
    if (result_.status != Status::NotRun || step != Step::Taken || last_move_ <= still * size_) return;
  }
}

bool Sequence::on_piece(const Sides& sides) {
  set_rows(false);
  for (Index i = 0; i < k_; ++i) {
    if (sides[at(i)] != Side::H) high_[m_ + i] = 0.0;
    if (sides[at(i)] != Side::G) high_[m_ + k_ + i] = 0.0;
  }
  sides_ = sides;
  keep_afresh();
  Index last_better = 0;
  for (Index count = 0; count < most_on_piece && count - last_better < most_idle; ++count) {
    if (kept_ <= options_.tolerance) return true;
    const double before = kept_;
    const Step step = this->step();
    if (result_.status != Status::NotRun) return false;
    keep();
    if (step != Step::Taken) return kept_ <= options_.tolerance;
    if (!(kept_ >= 0.9 * before)) last_better = count;
  }
  return kept_ <= options_.tolerance;
}

/// The iterate, whatever was there.
void Sequence::keep_afresh() {
  kept_ = std::numeric_limits<double>::quiet_NaN();
  keep();
}

/// The iterate, where it is better than the one there: by its certificate, and on a piece by that of the piece's
/// program as well. The first alone has every multiplier of a pair whose sides are both 0 right, so that a stationary
/// point of one piece would end the search on the next one before it begins.
void Sequence::keep() {
  Vector s(n_);
  Look look;
  const SparseProblem linear = this->linear();
  const Certificate certificate = certify_linearized(linear, now_.x, y_, u_, v_, s, &look);
  double residual = certificate.residual;
  if (!sides_.empty()) {
    Vector multipliers(m_ + 2 * k_), own(n_);
    multipliers << y_, u_, v_;
    qp::Figures figures;
    nonsmooth::detail::Buffer scratch;
    const Certificate of_piece =
        qp::detail::certify_linearized(program_of(linear, sides_), now_.x, multipliers, own, figures, scratch);
    residual = std::max(residual, of_piece.residual);
  }
  if (!(residual < kept_) && !std::isnan(kept_)) return;
  kept_ = residual;
  result_.x = now_.x;
  result_.y = y_;
  result_.u = u_;
  result_.v = v_;
  result_.s = s;
  result_.certificate = certificate;
  result_.figures = look.figures;
  shift_value(now_.f, result_.figures);
  result_.biactive = look.biactive;
  result_.stationarity = look.stationarity;
}

}  // namespace nonsmooth::mpcc::detail
