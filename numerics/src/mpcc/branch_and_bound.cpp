// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mpcc/branch_and_bound.hpp>

#include <algorithm>
#include <utility>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "branching.hpp"
#include "end_infeasible.hpp"
#include "qp/internal.hpp"

namespace nonsmooth::mpcc {
namespace {

using detail::Branch;
using detail::Search;
using detail::Side;
using detail::Sides;

/// Both children of a node on top of the open ones, the likelier last.
void divide(const Sides& sides, const Branch& branch, std::vector<Sides>& open) {
  for (const bool likelier : {false, true}) {
    Sides child = sides;
    const Side other = branch.first == Side::G ? Side::H : Side::G;
    child[at(branch.pair)] = likelier ? branch.first : other;
    open.push_back(std::move(child));
  }
}

std::optional<Branch> first_open(const Sides& sides) {
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i] == Side::Both) return Branch{static_cast<Index>(i), Side::G};
  }
  return std::nullopt;
}

constexpr double any_open = -1.0;    // to_divide: whatever the sides are
constexpr Index most_unbounded = 3;  // pairs, of which all pieces are fewer programs than a relaxation

class Tree {
 public:
  /// `bounded_only`: leaves the tree at the first node where that bounds nothing, if there is more than a little of it.
  Tree(Search& search, Result& best, bool bounded_only) : search_(search), best_(best), bounded_only_(bounded_only) {
    open_.push_back(Sides(at(search.problem.num_pairs()), Side::Both));
  }

  /// True where the tree is exhausted, or the result ended.
  bool run() {
    while (!open_.empty()) {
      const Sides sides = std::move(open_.back());
      open_.pop_back();
      if (!visit(sides)) return false;
      if (search_.result.status == Status::Infeasible) return true;
    }
    return true;
  }
  /// Whether some piece was left out for its Q or its rounding.
  [[nodiscard]] bool sure() const { return sure_; }

 private:
  /// False where a limit has ended the search.
  bool visit(const Sides& sides) {
    const std::optional<qp::Result> node = search_.solve(sides);
    if (search_.result.status != Status::NotRun) return false;
    const bool bounded = node && node->status != Status::Infeasible && node->figures.primal <= detail::feasible;
    if (!bounded) {
      if (node && node->status == Status::Infeasible && !node->unbounded()) {
        if (search_.result.iterations == 1) {
          search_.keep(*node);
          nonsmooth::detail::end_infeasible("no x satisfies the rows and the sides, complementary or not", node->proof,
                                            search_.result);
        }
        return true;
      }
      if (leaves(node)) return false;
      if (const std::optional<Branch> branch = first_open(sides)) {
        divide(sides, *branch, open_);
        return true;
      }
      if (node && node->unbounded()) static_cast<void>(search_.end_unbounded(sides, *node));
      sure_ = sure_ && search_.result.status == Status::Infeasible;
      return search_.result.status == Status::NotRun || search_.result.status == Status::Infeasible;
    }
    if (!node->ok()) sure_ = false;
    const bool found = best_.status == Status::Solved;
    if (found && !(detail::gain(search_.problem, best_.x, node->x) > search_.tolerance)) return true;
    if (const std::optional<Branch> branch = detail::to_divide(search_.problem, node->x, sides)) {
      divide(sides, *branch, open_);
      return true;
    }
    return leaf(sides, *node);
  }

  [[nodiscard]] bool leaves(const std::optional<qp::Result>& node) {
    if (!bounded_only_ || search_.result.iterations > 1) return false;
    if (!(node && node->unbounded()) && search_.problem.num_pairs() <= most_unbounded) return false;
    search_.result.reason = "the program without complementarity bounds nothing";
    return true;
  }

  /// A point that is complementary as far as sides of 1e-8 of their terms tell: the least one of its piece, and what is
  /// better beside it. Where that does not reach the bound of the node, sides that look like 0 are not, and the node is
  /// divided.
  bool leaf(const Sides& sides, const qp::Result& node) {
    const bool there = search_.descend(detail::piece_at(search_.problem, node.x, sides));
    if (search_.result.status == Status::Infeasible) return true;
    bool settled = false;
    if (there) {
      const Result& own = search_.result;
      const bool answers = own.certificate.residual <= search_.tolerance && own.stationarity >= Stationarity::Clarke;
      settled = own.figures.primal <= search_.tolerance &&
                !(detail::gain(search_.problem, own.x, node.x) > search_.tolerance);
      if (settled && !answers) sure_ = false;
      if (answers && (best_.status != Status::Solved || detail::gain(search_.problem, best_.x, own.x) > 0.0)) {
        best_ = own;
        best_.status = Status::Solved;
      }
    }
    if (search_.result.status != Status::NotRun) return false;
    if (settled) return true;
    if (const std::optional<Branch> branch = detail::to_divide(search_.problem, node.x, sides, any_open))
      divide(sides, *branch, open_);
    else
      sure_ = false;
    return true;
  }

  Search& search_;
  Result& best_;
  std::vector<Sides> open_;
  bool sure_ = true, bounded_only_;
};

Result search_tree(const Problem& problem, const BranchAndBound& options, bool bounded_only) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result = detail::born("branch and bound", problem), best;
  Search search{problem, options.tolerance, options.max_nodes, 10, deadline, result};
  Tree tree(search, best, bounded_only);
  const bool exhausted = tree.run();
  if (result.status == Status::Infeasible) return result;
  if (best.status == Status::Solved) {
    const Index programs = result.iterations;
    const Status end = result.status;
    const std::string_view reason = result.reason;
    result = std::move(best);
    result.iterations = programs;
    result.status = exhausted ? Status::Solved : end;
    result.reason = !exhausted    ? reason
                    : tree.sure() ? "the tree is exhausted: no other piece is better"
                                  : "the tolerance is met, and pieces that are not convex, or round, were left out";
    return result;
  }
  if (exhausted && tree.sure()) result.reason = "every piece is empty, each by a proof of its own";
  search.conclude();
  return result;
}

}  // namespace

Result detail::born(std::string_view solver, const Problem& problem) {
  const Index n = problem.num_unknowns(), k = problem.num_pairs();
  Result result;
  result.solver = solver;
  result.x.resize(n);
  for (Index j = 0; j < n; ++j)
    result.x[j] = qp::detail::clamp(0.0, qp::detail::lower(problem, j), qp::detail::upper(problem, j));
  result.y.setZero(problem.num_rows());
  result.u.setZero(k);
  result.v.setZero(k);
  result.s.resize(n);
  Look look;
  result.certificate = certify(problem, result.x, result.y, result.u, result.v, result.s, &look);
  result.figures = look.figures;
  result.biactive = look.biactive;
  return result;
}

std::optional<Branch> detail::to_divide(const Problem& problem, ConstVectorRef x, const Sides& sides, double least) {
  const Pairs pairs = pairs_at(problem, x);
  const Sides smaller = smaller_sides(pairs);
  std::optional<Branch> found;
  double worst = least;
  for (Index i = 0; i < problem.num_pairs(); ++i) {
    if (sides[at(i)] != Side::Both) continue;
    const bool of_G = smaller[at(i)] == Side::G;
    const double terms = of_G ? pairs.a_terms[i] : pairs.b_terms[i], side = of_G ? pairs.a[i] : pairs.b[i];
    const double part = terms > 0.0 ? std::max(0.0, side / terms) : 0.0;
    if (part <= worst) continue;
    worst = part;
    found = Branch{i, smaller[at(i)]};
  }
  return found;
}

Sides detail::piece_at(const Problem& problem, ConstVectorRef x, const Sides& node) {
  Sides piece = smaller_sides(pairs_at(problem, x));
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (node[i] != Side::Both) piece[i] = node[i];
  }
  return piece;
}

std::optional<Sides> detail::nearest_piece(Search& search, ConstVectorRef x) {
  const auto to_nearest = [&](const Sides& sides) {
    qp::Problem nearest = program_of(search.problem, sides);
    nearest.Q.setIdentity();
    nearest.c = -x;
    return nearest;
  };
  std::vector<Sides> open{Sides(at(search.problem.num_pairs()), Side::Both)};
  while (!open.empty()) {
    const Sides sides = std::move(open.back());
    open.pop_back();
    const std::optional<qp::Result> node = search.solve(to_nearest(sides));
    if (!node) return std::nullopt;
    if (node->status == Status::Infeasible || !(node->figures.primal <= feasible)) continue;
    std::optional<Branch> branch = to_divide(search.problem, node->x, sides);
    if (!branch) {
      Sides piece = piece_at(search.problem, node->x, sides);
      branch = to_divide(search.problem, node->x, sides, any_open);
      if (!branch) return piece;
      const std::optional<qp::Result> point = search.solve(to_nearest(piece));
      if (!point) return std::nullopt;
      if (point->ok()) return piece;
    }
    divide(sides, *branch, open);
  }
  return std::nullopt;
}

void BranchAndBound::validate() const {
  check::positive("mpcc::BranchAndBound::tolerance", tolerance);
  check::at_least("mpcc::BranchAndBound::max_nodes", max_nodes, 1);
  nonsmooth::detail::check_time_limit("mpcc::BranchAndBound::time_limit", time_limit);
}

Result detail::branch_where_bounded(const Problem& problem, const BranchAndBound& options) {
  return search_tree(problem, options, true);
}

Result solve(const Problem& problem, const BranchAndBound& options) { return search_tree(problem, options, false); }

}  // namespace nonsmooth::mpcc
