// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/enumeration.hpp>

#include <cstdint>
#include <string>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp/lemke.hpp>

#include "principal.hpp"

namespace nonsmooth::lcp {
namespace {

constexpr double rank_threshold = 1e-10;

enum class EnumerationEnd : unsigned char { All, Found, Limit, TimeLimit };

/// The points of one basis after the other, singular bases included.
class Search {
 public:
  Search(const Problem& problem, const Enumeration& options)
      : problem_(problem),
        options_(options),
        n_(problem.q.size()),
        scale_(problem.M.cwiseAbs().rowwise().maxCoeff()),
        principal_(detail::view(problem)),
        z_(n_),
        w_(n_) {
    for (Index i = 0; i < n_; ++i) {
      if (scale_[i] == 0.0) scale_[i] = 1.0;
    }
    columns_ = (scale_.cwiseInverse().asDiagonal() * problem.M).cwiseAbs().colwise().maxCoeff().transpose();
    for (Index j = 0; j < n_; ++j) {
      if (columns_[j] == 0.0) columns_[j] = 1.0;
    }
  }

  /// Calls visit(z) for each candidate until it returns false. `normalized`: candidates of M d = 0 on a with sum d = 1
  /// in place of M z = -q.
  template <class Visit>
  EnumerationEnd run(bool normalized, Visit&& visit) {
    const nonsmooth::detail::Deadline deadline(options_.time_limit);
    std::uint64_t count = std::uint64_t{1} << n_;
    EnumerationEnd end = EnumerationEnd::All;
    if (options_.max_bases > 0 && static_cast<std::uint64_t>(options_.max_bases) < count) {
      count = static_cast<std::uint64_t>(options_.max_bases);
      end = EnumerationEnd::Limit;
    }
    for (std::uint64_t key = 0; key < count; ++key) {
      tried_ = static_cast<Index>(key) + 1;
      if (key % 64 == 63 && deadline.passed()) return EnumerationEnd::TimeLimit;
      rows_.clear();
      others_.clear();
      for (Index i = 0; i < n_; ++i) ((key >> i) & 1U ? rows_ : others_).push_back(i);
      if (normalized ? !rays(visit) : !points(visit)) return EnumerationEnd::Found;
    }
    return end;
  }

  [[nodiscard]] Index tried() const { return tried_; }

 private:
  template <class Visit>
  bool points(Visit& visit) {
    if (principal_.solve(rows_, z_, w_)) {
      if (!visit(z_)) return false;
      // Near a singular matrix the answer is one of many: kept, and the basis is looked at as a singular one too.
      if (rows_.empty() || !nearly_singular()) return true;
    }
    return vertices(false, visit);
  }

  template <class Visit>
  bool rays(Visit& visit) {
    return rows_.empty() || vertices(true, visit);
  }

  bool nearly_singular() {
    const Index k = static_cast<Index>(rows_.size());
    equations_.resize(k, k);
    for (Index i = 0; i < k; ++i) equations_.row(i) = row_of(rows_[static_cast<std::size_t>(i)]);
    qr_.set_threshold(rank_threshold);
    qr_.compute(equations_);
    return qr_.rank() < k;
  }

  /// Row i of the unknowns scaled to columns with largest entry 1: ranks do not depend on units.
  [[nodiscard]] Eigen::RowVectorXd row_of(Index i) const {
    return problem_.M.row(i)(rows_).cwiseQuotient(columns_(rows_).transpose()) / scale_[i];
  }

  /// Full column rank of the rows a (and sum = 1), plus `missing` rows of b: each choice that is consistent is a
  /// vertex.
  template <class Visit>
  bool vertices(bool normalized, Visit& visit) {
    const Index k = static_cast<Index>(rows_.size());
    const Index own = k + (normalized ? 1 : 0);
    // All rows at once: without full column rank here no choice has it.
    if (!fill(normalized, others_)) return true;
    std::vector<Index> none;
    fill(normalized, none);
    const Index missing = k - qr_.rank();
    if (missing == 0) return candidate(own, visit);
    if (missing > static_cast<Index>(others_.size()) || !consistent(own)) return true;
    std::vector<std::size_t> choice(static_cast<std::size_t>(missing));
    for (std::size_t c = 0; c < choice.size(); ++c) choice[c] = c;
    while (true) {
      extra_.clear();
      for (const std::size_t c : choice) extra_.push_back(others_[c]);
      if (fill(normalized, extra_) && !candidate(own + missing, visit)) return false;
      std::size_t at = choice.size();
      while (at > 0 && choice[at - 1] == others_.size() - choice.size() + at - 1) --at;
      if (at == 0) return true;
      ++choice[at - 1];
      for (std::size_t c = at; c < choice.size(); ++c) choice[c] = choice[c - 1] + 1;
    }
  }

  /// Factors the rows a, the normalization and `extra`; true with full column rank.
  bool fill(bool normalized, const std::vector<Index>& extra) {
    const Index k = static_cast<Index>(rows_.size());
    const Index own = k + (normalized ? 1 : 0);
    const Index m = own + static_cast<Index>(extra.size());
    equations_.resize(m, k);
    right_.setZero(m);
    for (Index i = 0; i < k; ++i) {
      const Index row = rows_[static_cast<std::size_t>(i)];
      equations_.row(i) = row_of(row);
      if (!normalized) right_[i] = -problem_.q[row] / scale_[row];
    }
    if (normalized) {
      equations_.row(k).setOnes();
      right_[k] = 1.0;
    }
    for (Index i = own; i < m; ++i) {
      const Index row = extra[static_cast<std::size_t>(i - own)];
      equations_.row(i) = row_of(row);
      if (!normalized) right_[i] = -problem_.q[row] / scale_[row];
    }
    qr_.set_threshold(rank_threshold);
    qr_.compute(equations_);
    return qr_.rank() == k;
  }

  bool consistent(Index m) {
    part_ = qr_.solve(right_);
    return (equations_ * part_ - right_).cwiseAbs().maxCoeff() <=
           1e-9 * (right_.cwiseAbs().maxCoeff() + part_.cwiseAbs().maxCoeff() * static_cast<double>(m));
  }

  template <class Visit>
  bool candidate(Index m, Visit& visit) {
    if (!consistent(m)) return true;
    part_ += qr_.solve(right_ - equations_ * part_);
    z_.setZero();
    for (std::size_t i = 0; i < rows_.size(); ++i) z_[rows_[i]] = part_[static_cast<Index>(i)] / columns_[rows_[i]];
    return visit(z_);
  }

  const Problem& problem_;
  const Enumeration& options_;
  Index n_;
  Eigen::VectorXd scale_, columns_;
  detail::DensePrincipal principal_;
  std::vector<Index> rows_, others_, extra_;
  Eigen::MatrixXd equations_;
  Eigen::VectorXd right_, part_, z_, w_;
  PivotedQr qr_;
  Index tried_ = 0;
};

void check_rows(const Problem& problem, const Enumeration& options) {
  problem.validate();
  options.validate();
  if (problem.q.size() > options.max_rows) {
    throw InvalidArgument("lcp::Problem::M", std::to_string(problem.q.size()) + " rows",
                          "at most " + std::to_string(options.max_rows) + " rows for enumeration");
  }
}

/// Round-off of a vertex: entries of z and w this small beside the largest of their terms are zero.
constexpr double zero_share = 1e-9;

/// Whether x z = 0 and w = 0 row by row where it must for every point between two solutions to be one.
bool share_a_piece(const Eigen::VectorXd& z, const Eigen::VectorXd& w, const Eigen::VectorXd& other_z,
                   const Eigen::VectorXd& other_w, const Eigen::VectorXd& w_size, const Eigen::VectorXd& other_size) {
  const double z_zero = zero_share * z.maxCoeff();
  const double other_zero = zero_share * other_z.maxCoeff();
  for (Index i = 0; i < z.size(); ++i) {
    const bool z_positive = z[i] > z_zero || other_z[i] > other_zero;
    const bool w_positive = w[i] > zero_share * w_size[i] || other_w[i] > zero_share * other_size[i];
    if (z_positive && w_positive) return false;
  }
  return true;
}

}  // namespace

void Enumeration::validate() const {
  check::positive("lcp::Enumeration::tolerance", tolerance);
  check::range("lcp::Enumeration::max_rows", static_cast<double>(max_rows), 1.0, 30.0);
  check::at_least("lcp::Enumeration::max_bases", max_bases, 0);
  nonsmooth::detail::check_time_limit("lcp::Enumeration::time_limit", time_limit);
}

Result solve(const Problem& problem, const Enumeration& options) {
  check_rows(problem, options);
  const View view = detail::view(problem);
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  Result result;
  Eigen::VectorXd scratch(problem.q.size());
  Search search(problem, options);
  const EnumerationEnd end = search.run(false, [&](const Eigen::VectorXd& z) {
    return !detail::keep_better(view, z.cwiseMax(0.0), scratch, result) ||
           !detail::within(view, options.tolerance, result.z, result.certificate);
  });
  const Status otherwise = end == EnumerationEnd::Limit
                               ? Status::IterationLimit
                               : (end == EnumerationEnd::TimeLimit ? Status::TimeLimit : Status::Stalled);
  detail::conclude(view, options.tolerance, result, otherwise,
                   end == EnumerationEnd::Limit
                       ? "max_bases reached"
                       : (end == EnumerationEnd::TimeLimit ? "time_limit reached"
                                                           : "no complementary basis solves it (enumerated)"));
  result.solver = "enumeration";
  if (end == EnumerationEnd::All && result.status != Status::Solved)
    detail::prove_by_phase_one(view, deadline.remaining(), result);
  result.iterations = search.tried();
  return result;
}

std::vector<Solution> all_solutions(const Problem& problem, const Enumeration& options) {
  check_rows(problem, options);
  const View view = detail::view(problem);
  const Index n = problem.q.size();
  Eigen::VectorXd scratch(n);
  const auto known = [](const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return (a - b).cwiseAbs().maxCoeff() <= 1e-8 * std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
  };
  std::vector<Solution> all;
  Search search(problem, options);
  search.run(false, [&](const Eigen::VectorXd& found) {
    const Eigen::VectorXd z = found.cwiseMax(0.0);
    Certificate certificate = certify(view, z, scratch);
    if (!detail::within(view, options.tolerance, z, certificate)) return true;
    for (const Solution& other : all) {
      if (known(other.result.z, z)) return true;
    }
    all.emplace_back();
    Result& result = all.back().result;
    result.z = z;
    result.solver = "enumeration";
    result.iterations = search.tried();
    detail::conclude(view, options.tolerance, result, Status::Stalled, "");
    return true;
  });
  if (all.empty()) return all;
  const Problem homogeneous{problem.M, Eigen::VectorXd::Zero(n)};
  std::vector<Eigen::VectorXd> rays;
  Search directions(homogeneous, options);
  directions.run(true, [&](const Eigen::VectorXd& found) {
    const double size = found.cwiseAbs().maxCoeff();
    if (!(size > 0.0) || found.minCoeff() < -zero_share * size) return true;
    const Eigen::VectorXd d = found.cwiseMax(0.0) / size;
    const Eigen::VectorXd Md = problem.M * d;
    const Eigen::VectorXd terms = problem.M.cwiseAbs() * d;
    for (Index i = 0; i < n; ++i) {
      const double zero = zero_share * terms[i];
      if (Md[i] < -zero || (d[i] > zero_share && Md[i] > zero)) return true;
    }
    for (const Eigen::VectorXd& ray : rays) {
      if (known(ray, d)) return true;
    }
    rays.push_back(d);
    return true;
  });
  const auto size_of = [&](const Eigen::VectorXd& z) -> Eigen::VectorXd {
    return problem.M.cwiseAbs() * z + problem.q.cwiseAbs();
  };
  for (Solution& solution : all) {
    const Eigen::VectorXd z = solution.result.z;
    const Eigen::VectorXd w = solution.result.w;
    const Eigen::VectorXd size = size_of(z);
    for (const Eigen::VectorXd& ray : rays) {
      if (!share_a_piece(z, w, ray, problem.M * ray, size, problem.M.cwiseAbs() * ray)) continue;
      solution.direction = ray * std::max(1.0, z.maxCoeff());
      solution.unbounded = true;
      break;
    }
    for (const Solution& other : all) {
      if (!solution.isolated()) break;
      if (&other == &solution) continue;
      const Eigen::VectorXd other_z = other.result.z;
      if (!share_a_piece(z, w, other_z, other.result.w, size, size_of(other_z))) continue;
      solution.direction = other_z - z;
    }
  }
  return all;
}

}  // namespace nonsmooth::lcp
