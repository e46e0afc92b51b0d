// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/laws/graphs.hpp>

#include <cmath>

#include "fixed_law.hpp"

namespace nonsmooth {
namespace laws {
namespace {

Fixed fixed(const RelayLaw& law, LawUse use) {
  if (!(law.lower <= law.upper)) {
    throw InvalidArgument("RelayLaw", "lower = " + std::to_string(law.lower) + ", upper = " + std::to_string(law.upper),
                          "lower <= upper");
  }
  Fixed result;
  LawBlock& block = result.block;
  block.parts = {{box(law.lower, law.upper), 1}};
  result.shape.in_forces = !use.first_order;
  return result;
}

Fixed fixed(const NormalConeLaw& law, LawUse use) {
  const Index n = law.A.cols(), faces = law.A.rows();
  if (n < 1 || faces < 1) throw InvalidArgument("NormalConeLaw::A", "an empty matrix", "faces x rows");
  if (!law.A.allFinite()) throw InvalidArgument("NormalConeLaw::A", "an entry that is not finite", "finite entries");
  check::size("NormalConeLaw::b", law.b.size(), faces, "one a row of A");
  check::finite("NormalConeLaw::b", ConstVectorRef(law.b));
  Fixed result;
  LawBlock& block = result.block;
  result.shape.size = n;
  result.shape.auxiliary = faces;
  block.parts = {{set_of(SetKind::Free), n}};
  for (Index i = 0; i < faces; ++i) block.parts.push_back({set_of(SetKind::Orthant), 1});
  block.coupling = Eigen::MatrixXd::Zero(n + faces, n + faces);
  block.coupling.topRightCorner(n, faces) = law.A.transpose();
  block.coupling.bottomLeftCorner(faces, n) = -law.A;
  block.offset = Eigen::VectorXd::Zero(n + faces);
  block.offset.tail(faces) = law.b;
  result.shape.in_forces = !use.first_order;
  return result;
}

Fixed fixed(const SimplexLaw& law, LawUse use) {
  check::within("SimplexLaw::rows", law.rows, 1, 1024);
  Fixed result;
  LawBlock& block = result.block;
  result.shape.size = law.rows;
  result.shape.auxiliary = 1;
  block.parts.assign(static_cast<std::size_t>(law.rows), {set_of(SetKind::Orthant), 1});
  block.parts.push_back({set_of(SetKind::Free), 1});
  block.coupling = Eigen::MatrixXd::Zero(law.rows + 1, law.rows + 1);
  block.coupling.topRightCorner(law.rows, 1).setConstant(-1.0);
  block.coupling.bottomLeftCorner(1, law.rows).setOnes();
  block.offset = Eigen::VectorXd::Zero(law.rows + 1);
  block.offset[law.rows] = -1.0;
  result.shape.in_forces = !use.first_order;
  return result;
}

Fixed fixed(const PiecewiseLinearLaw& law, LawUse use) {
  const auto& points = law.points;
  if (points.empty()) throw InvalidArgument("PiecewiseLinearLaw::points", "no point", "at least one");
  for (const auto& [name, slope] :
       {std::pair{"slope_before", law.slope_before}, std::pair{"slope_after", law.slope_after}}) {
    if (!(slope >= 0.0))
      throw InvalidArgument(std::string("PiecewiseLinearLaw::") + name, check::text(slope), ">= 0, or infinity");
  }
  struct Segment {
    double lambda, lower, upper, compliance;
  };
  std::vector<Segment> segments;
  const auto compliance = [](double slope) { return std::isinf(slope) ? 0.0 : 1.0 / slope; };
  if (law.slope_before > 0.0) segments.push_back({points.front().first, -unbounded, 0.0, compliance(law.slope_before)});
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].first) || !std::isfinite(points[i].second))
      throw InvalidArgument("PiecewiseLinearLaw::points", "a coordinate that is not finite", "finite points");
    if (i == 0) continue;
    const double run = points[i].first - points[i - 1].first, rise = points[i].second - points[i - 1].second;
    if (!(run >= 0.0 && rise >= 0.0 && run + rise > 0.0)) {
      throw InvalidArgument("PiecewiseLinearLaw::points",
                            "point " + std::to_string(i) + " left of, below or equal to the one before",
                            "a monotone graph: neither coordinate falls, no two points equal");
    }
    if (rise > 0.0) segments.push_back({points[i - 1].first, 0.0, rise, run / rise});
  }
  if (law.slope_after > 0.0) segments.push_back({points.back().first, 0.0, unbounded, compliance(law.slope_after)});

  const auto count = static_cast<Index>(segments.size());
  Fixed result;
  LawBlock& block = result.block;
  result.shape.auxiliary = count;
  block.parts = {{set_of(SetKind::Free), 1}};
  block.coupling = Eigen::MatrixXd::Zero(1 + count, 1 + count);
  block.offset = Eigen::VectorXd::Zero(1 + count);
  block.offset[0] = points.front().second;
  for (Index i = 0; i < count; ++i) {
    const Segment& segment = segments[static_cast<std::size_t>(i)];
    block.parts.push_back({box(segment.lower, segment.upper), 1});
    block.coupling(0, 1 + i) = 1.0;
    block.coupling(1 + i, 0) = -1.0;
    block.coupling(1 + i, 1 + i) = segment.compliance;
    block.offset[1 + i] = segment.lambda;
  }
  result.shape.in_forces = !use.first_order;
  return result;
}

}  // namespace
}  // namespace laws

std::shared_ptr<const NonSmoothLaw> make_law(const RelayLaw& law) {
  return laws::fixed_law(law, laws::fixed, "RelayLaw");
}
std::shared_ptr<const NonSmoothLaw> make_law(const NormalConeLaw& law) {
  return laws::fixed_law(law, laws::fixed, "NormalConeLaw");
}
std::shared_ptr<const NonSmoothLaw> make_law(const SimplexLaw& law) {
  return laws::fixed_law(law, laws::fixed, "SimplexLaw");
}
std::shared_ptr<const NonSmoothLaw> make_law(const PiecewiseLinearLaw& law) {
  return laws::fixed_law(law, laws::fixed, "PiecewiseLinearLaw");
}

}  // namespace nonsmooth
