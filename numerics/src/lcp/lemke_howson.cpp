// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/lemke_howson.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"
#include "principal.hpp"

namespace nonsmooth::lcp {
namespace detail {

std::optional<Index> game_split(const View& problem) {
  const Index n = problem.q.size();
  if (n < 2 || problem.M(0, 0) != 0.0 || problem.M(n - 1, n - 1) != 0.0) return std::nullopt;
  Index m = 1;
  while (m < n && problem.M(0, m) == 0.0) ++m;
  if (m == n) return std::nullopt;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      const double value = problem.M(i, j);
      if ((i < m) == (j < m) ? value != 0.0 : !(value > 0.0)) return std::nullopt;
    }
  }
  if (!(problem.q.maxCoeff() < 0.0)) return std::nullopt;
  return m;
}

}  // namespace detail

namespace {

constexpr Index refresh_every = 50;  // pivots of one dictionary: round-off grows with each
constexpr double tie = 1e-12;        // ratios this near count as equal: rounding must not decide a tie

enum class LemkeHowsonEnd { Complementary, Limit, TimeLimit, Breakdown };

int exponent(double value) {
  int e = 0;
  static_cast<void>(std::frexp(value, &e));
  return e;
}

/// {z >= 0, s = C z - p >= 0} for C, p > 0 scaled by powers of two: s basic and z not, at first. Each row of the
/// dictionary reads  basic + sum_j T_j nonbasic_j = T_last; variables 0..rows-1 are s, the next are z.
class Dictionary {
 public:
  Dictionary(ConstMatrixRef C, ConstVectorRef q) : rows_(C.rows()), columns_(C.cols()), scaled_(rows_, columns_ + 1) {
    column_exponents_.resize(static_cast<std::size_t>(columns_));
    for (Index r = 0; r < rows_; ++r) scaled_(r, columns_) = std::ldexp(q[r], -exponent(q[r]));
    for (Index c = 0; c < columns_; ++c) {
      int largest = std::numeric_limits<int>::min();
      for (Index r = 0; r < rows_; ++r) largest = std::max(largest, exponent(C(r, c)) - exponent(q[r]));
      column_exponents_[static_cast<std::size_t>(c)] = largest;
      for (Index r = 0; r < rows_; ++r) scaled_(r, c) = -std::ldexp(C(r, c), -exponent(q[r]) - largest);
    }
    reset();
  }

  [[nodiscard]] Index rows() const noexcept { return rows_; }

  void reset() {
    table_ = scaled_;
    for (Index r = 0; r < rows_; ++r) basic(r) = r;
    for (Index c = 0; c < columns_; ++c) nonbasic(c) = rows_ + c;
    pivots_ = 0;
  }

  /// Brings z_k in so far that all rows hold: the vertex that the path starts from. The variable that leaves, or -1.
  Index start(Index k) {
    Index row = -1;
    for (Index r = 0; r < rows_; ++r) {
      if (!(table_(r, k) < 0.0)) return -1;
      // The largest of p / C; of equals the last, whose p the perturbation (eps, eps^2, ...) lowers least.
      if (row < 0 || ratio(r, k) >= ratio(row, k) * (1.0 - tie)) row = r;
    }
    return exchange(row, k);
  }

  /// Lets a nonbasic variable in; lexicographic ratio test. The variable that leaves, or -1 for an edge without end.
  Index enter(Index variable) {
    const auto found = std::find(nonbasic_.begin(), nonbasic_.end(), variable);
    if (found == nonbasic_.end()) return -1;
    const Index c = static_cast<Index>(found - nonbasic_.begin());
    if (pivots_ >= refresh_every && !refresh()) return -1;
    const double zero = 1e-12 * table_.col(c).cwiseAbs().maxCoeff();
    Index row = -1;
    for (Index r = 0; r < rows_; ++r) {
      if (table_(r, c) > zero && (row < 0 || before(r, row, c))) row = r;
    }
    return row < 0 ? -1 : exchange(row, c);
  }

  [[nodiscard]] bool finite() const { return table_.allFinite(); }

  /// Calls f(j, value of z_j) for the basic z_j, unscaled.
  template <class F>
  void each_basic(const F& f) const {
    for (Index r = 0; r < rows_; ++r) {
      const Index j = basic_[static_cast<std::size_t>(r)] - rows_;
      if (j < 0) continue;
      f(j, std::ldexp(std::max(0.0, table_(r, columns_)), -column_exponents_[static_cast<std::size_t>(j)]));
    }
  }

 private:
  Index& basic(Index r) {
    if (basic_.empty()) basic_.resize(static_cast<std::size_t>(rows_));
    return basic_[static_cast<std::size_t>(r)];
  }
  Index& nonbasic(Index c) {
    if (nonbasic_.empty()) nonbasic_.resize(static_cast<std::size_t>(columns_));
    return nonbasic_[static_cast<std::size_t>(c)];
  }

  [[nodiscard]] double ratio(Index r, Index c) const { return table_(r, columns_) / table_(r, c); }

  /// Row a before row b in the lexicographic ratio test of column c: [rhs, columns of s] / T_c.
  [[nodiscard]] bool before(Index a, Index b, Index c) const {
    const double pa = table_(a, c);
    const double pb = table_(b, c);
    const double ra = std::max(0.0, table_(a, columns_)) / pa;
    const double rb = std::max(0.0, table_(b, columns_)) / pb;
    if (std::abs(ra - rb) > tie * std::max({1.0, ra, rb})) return ra < rb;
    for (Index s = 0; s < rows_; ++s) {
      double va = 0.0;
      double vb = 0.0;
      const auto found = std::find(nonbasic_.begin(), nonbasic_.end(), s);
      if (found != nonbasic_.end()) {
        const Index column = static_cast<Index>(found - nonbasic_.begin());
        va = table_(a, column) / pa;
        vb = table_(b, column) / pb;
      } else {
        va = basic_[static_cast<std::size_t>(a)] == s ? 1.0 / pa : 0.0;
        vb = basic_[static_cast<std::size_t>(b)] == s ? 1.0 / pb : 0.0;
      }
      if (std::abs(va - vb) > tie * std::max({1.0, std::abs(va), std::abs(vb)})) return va < vb;
    }
    return a < b;
  }

  Index exchange(Index r, Index c) {
    const double pivot = table_(r, c);
    const Eigen::VectorXd column = table_.col(c);
    table_.col(c).setZero();
    table_(r, c) = 1.0;
    table_.row(r) /= pivot;
    for (Index j = 0; j <= columns_; ++j) {
      const double factor = table_(r, j);
      if (factor == 0.0) continue;
      for (Index i = 0; i < rows_; ++i) {
        if (i != r) table_(i, j) -= column[i] * factor;
      }
    }
    std::swap(basic(r), nonbasic(c));
    ++pivots_;
    return nonbasic(c);
  }

  /// The table of the basis from the data.
  bool refresh() {
    const auto column = [this](Index variable, VectorRef out) {
      if (variable < rows_) {
        out.setZero();
        out[variable] = 1.0;
      } else {
        out = scaled_.col(variable - rows_);
      }
    };
    Eigen::MatrixXd basis(rows_, rows_);
    for (Index r = 0; r < rows_; ++r) column(basic(r), basis.col(r));
    if (!lu_.factorize(basis)) return false;
    for (Index c = 0; c < columns_; ++c) column(nonbasic(c), table_.col(c));
    table_.col(columns_) = scaled_.col(columns_);
    for (Index c = 0; c <= columns_; ++c) lu_.solve_in_place(table_.col(c));
    pivots_ = 0;
    return true;
  }

  Index rows_;
  Index columns_;
  Eigen::MatrixXd scaled_;
  Eigen::MatrixXd table_;
  std::vector<int> column_exponents_;
  std::vector<Index> basic_;
  std::vector<Index> nonbasic_;
  Index pivots_ = 0;
  detail::DenseLu lu_;
};

/// Both dictionaries and the labels 0..n-1: z_i and w_i have label i.
class Game {
 public:
  Game(const View& problem, Index m)
      : m_(m),
        x_(problem.M.bottomLeftCorner(problem.q.size() - m, m), problem.q.tail(problem.q.size() - m)),
        y_(problem.M.topRightCorner(m, problem.q.size() - m), problem.q.head(m)) {}

  /// The path of a label from the start; pivots counts on.
  LemkeHowsonEnd follow(Index label, Index limit, const nonsmooth::detail::Deadline& deadline, Index& pivots) {
    x_.reset();
    y_.reset();
    const auto stop = [&]() -> std::optional<LemkeHowsonEnd> {
      if (pivots >= limit) return LemkeHowsonEnd::Limit;
      if (deadline.passed()) return LemkeHowsonEnd::TimeLimit;
      ++pivots;
      return std::nullopt;
    };
    bool in_x = label < m_;
    if (const auto end = stop()) return *end;
    const Index first = in_x ? label : label - m_;
    Index left = (in_x ? x_ : y_).start(first);
    if (left < 0) return LemkeHowsonEnd::Breakdown;
    // w_j left the first dictionary: z_j starts the second, whose rows all want it.
    in_x = !in_x;
    if (const auto end = stop()) return *end;
    left = (in_x ? x_ : y_).start(left);
    while (left >= 0 && label_of(in_x, left) != label) {
      // The complement of what left is the other dictionary's: w_j there is z_j here.
      Dictionary& here = in_x ? x_ : y_;
      Dictionary& other = in_x ? y_ : x_;
      const Index complement = left < here.rows() ? other.rows() + left : left - here.rows();
      in_x = !in_x;
      if (const auto end = stop()) return *end;
      left = other.enter(complement);
    }
    if (left < 0 || !x_.finite() || !y_.finite()) return LemkeHowsonEnd::Breakdown;
    return LemkeHowsonEnd::Complementary;
  }

  /// The z of the dictionaries.
  void values(Eigen::VectorXd& z) const {
    z.setZero();
    x_.each_basic([&](Index j, double value) { z[j] = value; });
    y_.each_basic([&](Index j, double value) { z[m_ + j] = value; });
  }

  [[nodiscard]] std::vector<Index> rows() const {
    std::vector<Index> rows;
    x_.each_basic([&](Index j, double) { rows.push_back(j); });
    y_.each_basic([&](Index j, double) { rows.push_back(m_ + j); });
    std::sort(rows.begin(), rows.end());
    return rows;
  }

 private:
  [[nodiscard]] Index label_of(bool in_x, Index variable) const {
    const Dictionary& here = in_x ? x_ : y_;
    const bool slack = variable < here.rows();
    const Index index = slack ? variable : variable - here.rows();
    return in_x == slack ? m_ + index : index;  // the slacks beside x are those of y's rows
  }

  Index m_;
  Dictionary x_;
  Dictionary y_;
};

}  // namespace

void LemkeHowson::validate() const {
  check::positive("lcp::LemkeHowson::tolerance", tolerance);
  check::at_least("lcp::LemkeHowson::max_pivots", max_pivots, 0);
  check::at_least("lcp::LemkeHowson::label", label, 0);
  nonsmooth::detail::check_time_limit("lcp::LemkeHowson::time_limit", time_limit);
}

Result solve(const Problem& problem, const LemkeHowson& options) {
  problem.validate();
  options.validate();
  const Index n = problem.q.size();
  if (options.label >= n) {
    throw InvalidArgument("lcp::LemkeHowson::label", std::to_string(options.label),
                          "less than the number of rows, " + std::to_string(n));
  }
  const View view = detail::view(problem);
  Result result;
  result.solver = "lemke-howson";
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd w(n);
  detail::keep_better(view, z, w, result);
  const std::optional<Index> m = detail::game_split(view);
  if (!m) {
    detail::conclude(view, options.tolerance, result, Status::Stalled,
                     "M is not that of a bimatrix game, or q is not negative");
    return result;
  }
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  Game game(view, *m);
  detail::DensePrincipal principal(view);
  Status end = Status::NumericalFailure;
  std::string_view reason = "every path broke down";
  for (Index k = 0; k < n; ++k) {
    const Index limit = options.max_pivots > 0 ? options.max_pivots : result.iterations + 50 * n + 1000;
    const LemkeHowsonEnd last = game.follow((options.label + k) % n, limit, deadline, result.iterations);
    game.values(z);
    detail::keep_better(view, z, w, result);
    if (last == LemkeHowsonEnd::Complementary) {
      if (principal.solve(game.rows(), z, w)) {
        z = z.cwiseMax(0.0);
        detail::keep_better(view, z, w, result);
      }
      end = Status::Stalled;
      reason = "the final basis is too ill-conditioned for the tolerance";
      if (detail::within(view, options.tolerance, result.z, result.certificate)) break;
    } else if (last == LemkeHowsonEnd::TimeLimit) {
      end = Status::TimeLimit;
      reason = "time_limit reached";
      break;
    } else if (last == LemkeHowsonEnd::Limit) {
      end = Status::IterationLimit;
      reason = "max_pivots reached";
      if (options.max_pivots > 0) break;
    }
  }
  detail::conclude(view, options.tolerance, result, end, reason);
  return result;
}

}  // namespace nonsmooth::lcp
