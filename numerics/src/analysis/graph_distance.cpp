// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/analysis/graph_distance.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::analysis {
namespace {

void check_pair(const FilledGraph& a, const FilledGraph& b) {
  a.validate();
  b.validate();
  if (a.x.rows() != b.x.rows()) {
    throw InvalidArgument("analysis::FilledGraph::x", std::to_string(b.x.rows()) + " components in the second graph",
                          std::to_string(a.x.rows()) + ", as in the first");
  }
  const double length = a.t[a.t.size() - 1] - a.t[0];
  const double apart = std::fmax(std::abs(a.t[0] - b.t[0]), std::abs(a.t[a.t.size() - 1] - b.t[b.t.size() - 1]));
  if (apart > 1e-9 * length) {
    throw InvalidArgument("analysis::FilledGraph::t", "intervals whose ends are " + check::text(apart) + " s apart",
                          "two functions over the same interval");
  }
}

/// The values of a graph from left to right: over each interval between two instants without a jump inside, by the
/// limits from within.
class Reader {
 public:
  explicit Reader(const FilledGraph& graph) : graph_(graph) { skip(); }

  /// The end of its present piece; the last piece goes on for ever, as the ends of two graphs differ by rounding.
  [[nodiscard]] double end() const {
    return k_ + 2 < graph_.t.size() ? graph_.t[k_ + 1] : std::numeric_limits<double>::infinity();
  }
  void next() {
    ++k_;
    skip();
  }
  [[nodiscard]] double value(Index i, double t) const {
    const double first = graph_.t[k_], part = (t - first) / (graph_.t[k_ + 1] - first);
    return graph_.x(i, k_) + std::clamp(part, 0.0, 1.0) * (graph_.x(i, k_ + 1) - graph_.x(i, k_));
  }

 private:
  void skip() {
    while (k_ + 2 < graph_.t.size() && graph_.t[k_ + 1] == graph_.t[k_]) ++k_;
  }
  const FilledGraph& graph_;
  Index k_ = 0;
};

/// Calls with (length, a_i - b_i where it begins, and where it ends) for each component and each interval on which both
/// are linear.
template <class Visit>
void over_common_pieces(const FilledGraph& a, const FilledGraph& b, const Visit& visit) {
  Reader of_a(a), of_b(b);
  const double last = std::fmin(a.t[a.t.size() - 1], b.t[b.t.size() - 1]);
  double t = std::fmax(a.t[0], b.t[0]);
  while (t < last) {
    const double end = std::fmin(last, std::fmin(of_a.end(), of_b.end()));
    if (end > t) {
      for (Index i = 0; i < a.x.rows(); ++i) {
        visit(end - t, of_a.value(i, t) - of_b.value(i, t), of_a.value(i, end) - of_b.value(i, end));
      }
    }
    t = std::fmax(t, end);
    if (of_a.end() <= t) of_a.next();
    if (of_b.end() <= t) of_b.next();
  }
}

/// A polyline in R^{n+1}, time first, in units of the metric.
class Polyline {
 public:
  Polyline(const FilledGraph& graph, const GraphMetric& metric) : points_(graph.x.rows() + 1, graph.t.size()) {
    points_.row(0) = graph.t.transpose() / metric.time_scale;
    points_.bottomRows(graph.x.rows()) = graph.x;
    for (Index i = 0; i < metric.scales.size(); ++i) points_.row(i + 1) /= metric.scales[i];
  }

  [[nodiscard]] Index num_segments() const noexcept { return points_.cols() - 1; }
  [[nodiscard]] auto point(Index k) const { return points_.col(k); }

  [[nodiscard]] double distance(Index segment, const Eigen::VectorXd& p) const {
    const auto first = points_.col(segment), last = points_.col(segment + 1);
    const double square = (last - first).squaredNorm();
    const double part = square > 0.0 ? std::clamp((p - first).dot(last - first) / square, 0.0, 1.0) : 0.0;
    return (p - first - part * (last - first)).norm();
  }

  struct Nearest {
    Index segment = 0;
    double distance = std::numeric_limits<double>::infinity();
  };
  /// Segments are sorted by time, which alone keeps those apart that are farther than what was found.
  [[nodiscard]] Nearest nearest(const Eigen::VectorXd& p) const {
    const auto times = points_.row(0);
    Index low = 0, high = num_segments() - 1;  // the first segment that ends at p's time or later
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (times[middle + 1] < p[0])
        low = middle + 1;
      else
        high = middle;
    }
    Nearest found;
    const auto look = [&](Index k) {
      const double d = distance(k, p);
      if (d < found.distance) found = {k, d};
    };
    for (Index k = low; k < num_segments() && times[k] - p[0] < found.distance; ++k) look(k);
    for (Index k = low - 1; k >= 0 && p[0] - times[k + 1] < found.distance; --k) look(k);
    return found;
  }

 private:
  Eigen::MatrixXd points_;  ///< (n + 1) x N
};

/// The largest distance from a point of `from` to `to`, if it is larger than `found`, to the accuracy asked for.
double directed_distance(const Polyline& from, const Polyline& to, double found, double accuracy) {
  struct Part {
    Eigen::VectorXd first, last;
    Polyline::Nearest at_first, at_last;
  };
  std::vector<Part> parts;
  for (Index k = 0; k < from.num_segments(); ++k) {
    parts.push_back({from.point(k), from.point(k + 1), to.nearest(from.point(k)), to.nearest(from.point(k + 1))});
    while (!parts.empty()) {
      Part part = std::move(parts.back());
      parts.pop_back();
      found = std::fmax(found, std::fmax(part.at_first.distance, part.at_last.distance));
      const double length = (part.last - part.first).norm();
      // 1-Lipschitz from both ends; convex to the segment that is nearest to either end.
      const double bound =
          std::fmin(0.5 * (part.at_first.distance + part.at_last.distance + length),
                    std::fmin(std::fmax(part.at_first.distance, to.distance(part.at_first.segment, part.last)),
                              std::fmax(to.distance(part.at_last.segment, part.first), part.at_last.distance)));
      const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * (part.first.norm() + part.last.norm());
      if (bound <= (1.0 + accuracy) * found || length <= rounding) continue;
      const Eigen::VectorXd middle = 0.5 * (part.first + part.last);
      const auto at_middle = to.nearest(middle);
      parts.push_back({part.first, middle, part.at_first, at_middle});
      parts.push_back({middle, part.last, at_middle, part.at_last});
    }
  }
  return found;
}

void check_metric(const GraphMetric& metric, Index n) {
  check::positive("analysis::GraphMetric::time_scale", metric.time_scale);
  if (metric.scales.size() != 0 && metric.scales.size() != n) {
    throw InvalidArgument("analysis::GraphMetric::scales", std::to_string(metric.scales.size()) + " entries",
                          std::to_string(n) + ", one a component, or none");
  }
  for (Index i = 0; i < metric.scales.size(); ++i) {
    if (!(metric.scales[i] > 0.0) || !std::isfinite(metric.scales[i])) {
      throw InvalidArgument("analysis::GraphMetric::scales",
                            check::text(metric.scales[i]) + " for component " + std::to_string(i), "positive numbers");
    }
  }
  if (!(metric.accuracy >= 1e-12 && metric.accuracy < 1.0)) {
    throw InvalidArgument("analysis::GraphMetric::accuracy", check::text(metric.accuracy), "a number in [1e-12, 1)");
  }
}

}  // namespace

void FilledGraph::validate() const {
  if (t.size() < 2) {
    throw InvalidArgument("analysis::FilledGraph::t", std::to_string(t.size()) + " instants", "two or more");
  }
  if (x.rows() < 1 || x.cols() != t.size()) {
    throw InvalidArgument("analysis::FilledGraph::x",
                          std::to_string(x.rows()) + " x " + std::to_string(x.cols()) + " numbers",
                          "a column for each of the " + std::to_string(t.size()) + " instants");
  }
  for (Index k = 0; k < t.size(); ++k) {
    if (!std::isfinite(t[k]) || !x.col(k).allFinite()) {
      throw InvalidArgument("analysis::FilledGraph", "a number that is not finite at instant " + std::to_string(k),
                            "finite numbers");
    }
    if (k > 0 && t[k] < t[k - 1]) {
      throw InvalidArgument("analysis::FilledGraph::t",
                            check::text(t[k]) + " after " + check::text(t[k - 1]) + " at instant " + std::to_string(k),
                            "instants that do not decrease");
    }
  }
  if (t[t.size() - 1] == t[0]) {
    throw InvalidArgument("analysis::FilledGraph::t", "one instant alone, " + check::text(t[0]), "an interval");
  }
}

FilledGraph step_function(const Eigen::VectorXd& t, const Eigen::MatrixXd& x, Hold hold) {
  FilledGraph{t, x}.validate();
  const Index N = t.size();
  FilledGraph graph{Eigen::VectorXd(2 * N - 1), Eigen::MatrixXd(x.rows(), 2 * N - 1)};
  for (Index k = 0; k < N; ++k) {
    graph.t[2 * k] = t[k];
    graph.x.col(2 * k) = x.col(k);
    if (k + 1 == N) break;
    if (t[k + 1] == t[k]) {
      throw InvalidArgument("analysis::step_function::t", "instant " + std::to_string(k) + " twice",
                            "instants that increase");
    }
    // The corner between two values: where the first ends, or where the second begins.
    graph.t[2 * k + 1] = hold == Hold::After ? t[k + 1] : t[k];
    graph.x.col(2 * k + 1) = hold == Hold::After ? x.col(k) : x.col(k + 1);
  }
  return graph;
}

double l1_distance(const FilledGraph& a, const FilledGraph& b) {
  check_pair(a, b);
  double sum = 0.0;
  over_common_pieces(a, b, [&](double length, double first, double last) {
    const double p = std::abs(first), q = std::abs(last);
    // Of one sign a trapezium, otherwise two triangles.
    if (first * last >= 0.0)
      sum += 0.5 * length * (p + q);
    else
      sum += 0.5 * length * (p * p + q * q) / (p + q);
  });
  return sum;
}

double sup_distance(const FilledGraph& a, const FilledGraph& b) {
  check_pair(a, b);
  double largest = 0.0;
  over_common_pieces(a, b, [&](double, double first, double last) {
    largest = std::fmax(largest, std::fmax(std::abs(first), std::abs(last)));
  });
  return largest;
}

double hausdorff_distance(const FilledGraph& a, const FilledGraph& b, const GraphMetric& metric) {
  check_pair(a, b);
  check_metric(metric, a.x.rows());
  const Polyline of_a(a, metric), of_b(b, metric);
  return directed_distance(of_b, of_a, directed_distance(of_a, of_b, 0.0, metric.accuracy), metric.accuracy);
}

}  // namespace nonsmooth::analysis
