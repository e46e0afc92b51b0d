// SPDX-License-Identifier: Apache-2.0
// An examination as a text.
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <nonsmooth/kernel/analysis/examine.hpp>

namespace nonsmooth::analysis {
namespace {

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

void write(std::ostream& out, const char* what, const Finding& finding) {
  out << "  " << what << ": " << to_string(finding.verdict) << " (" << finding.reason << ")\n";
}

std::string degrees_of(const RelativeDegree& degree, Index states) {
  switch (degree.kind) {
    case DegreeKind::Uniform:
      return "uniform, " + std::to_string(degree.uniform());
    case DegreeKind::Infinite:
      return "an output is never reached";
    case DegreeKind::NotRegular:
      return "none: the decoupling matrix is singular";
    case DegreeKind::Vector:
    case DegreeKind::NotKnown:
      break;
  }
  std::string text = degree.kind == DegreeKind::Vector ? "vector (" : "by row (";
  for (std::size_t i = 0; i < degree.of_output.size(); ++i) {
    const Index r = degree.of_output[i];
    text += (i > 0 ? ", " : "") + (r < 0 ? std::string("?") : r > states ? std::string("never") : std::to_string(r));
  }
  return text + ")";
}

void write(std::ostream& out, const WellPosedness& solutions) {
  out << "  existence: " << to_string(solutions.existence) << ", uniqueness: " << to_string(solutions.uniqueness);
  out << ", of multipliers: " << to_string(solutions.unique_multiplier);
  if (solutions.theorem != Theorem::NotKnown) {
    out << "; " << to_string(solutions.theorem);
    const std::string_view source = citation(solutions.theorem);
    if (!source.empty()) out << " [" << source << "]";
  }
  if (!solutions.why_not.empty()) out << "; " << solutions.why_not;
  out << '\n';
}

void write(std::ostream& out, const FirstOrderIsland& island) {
  out << "First order: " << list_of(island.systems);
  if (!island.interactions.empty()) out << " with " << list_of(island.interactions);
  out << '\n';
  if (!island.why_not.empty()) {
    out << "  not examined further: " << island.why_not << '\n';
    return;
  }
  out << "  " << island.system.A.rows() << " states, " << island.rows.size()
      << " rows, laws: " << to_string(island.laws) << (island.constant ? "" : "; linearised at the state")
      << (island.driven ? "; driven" : "") << '\n';
  out << "  relative degree: " << degrees_of(island.degree, island.system.A.rows()) << '\n';
  write(out, "D a P-matrix", island.D.p);
  write(out, "D positive semidefinite", island.D.positive_semidefinite);
  write(out, "C B a P-matrix", island.CB.p);
  write(out, "passive", island.passivity.passive);
  write(out, "controllable", island.controllable.complete);
  write(out, "observable", island.observable.complete);
  out << "  index: ";
  if (island.index.index < 0) {
    out << "not known\n";
  } else {
    out << island.index.index << " (" << island.index.reason << ")\n";
  }
  if (island.zero_dynamics.exists == Verdict::Holds)
    out << "  zero dynamics of " << island.zero_dynamics.A_xi.rows() << " states\n";
  write(out, island.solutions);
}

void write_friction(std::ostream& out, const std::vector<FrictionBound>& friction) {
  if (friction.empty()) return;
  double least = std::numeric_limits<double>::infinity();
  for (const FrictionBound& contact : friction) {
    if (contact.known) least = std::min(least, contact.margin);
    if (!contact.known)
      out << "  " << contact.contact << ": bilateral rows hold the normal, Painlevé's bound is not known\n";
    if (contact.above())
      out << "  " << contact.contact << ": mu = " << contact.friction << " is not below Painlevé's bound "
          << contact.bound << " (margin " << contact.margin << ")\n";
  }
  if (least > 1.0) out << "  friction is below Painlevé's bound by a factor of " << least << " at least\n";
}

/// Which rows depend on which, and around which loops.
void write_loops(std::ostream& out, const MechanicalIsland& island) {
  if (!island.redundant.empty()) {
    out << "  redundant: " << list_of(island.redundant) << " (hyperstatic degree " << island.hyperstatic_degree
        << "; by the count of rows " << island.counted_freedoms << " degrees of freedom)\n";
  }
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < island.dependences.size() && i < kMost; ++i) {
    const RowDependence& one = island.dependences[i];
    out << "    " << one.row << " =";
    for (const RowDependence::Term& term : one.terms)
      out << (term.coefficient < 0.0 ? " - " : " + ") << std::abs(term.coefficient) << " x " << term.row;
    out << (one.terms.empty() ? " 0\n" : "\n");
  }
  for (std::size_t i = 0; i < island.loops.size() && i < kMost; ++i) {
    const KinematicLoop& loop = island.loops[i];
    out << "  loop:";
    for (std::size_t k = 0; k < loop.interactions.size(); ++k)
      out << (k == 0 ? " " : ", ") << loop.interactions[k] << ", " << loop.systems[k];
    out << '\n';
  }
  if (island.loops.size() > kMost) out << "  and " << island.loops.size() - kMost << " more loops\n";
}

void write(std::ostream& out, const MechanicalIsland& island) {
  out << "Mechanics: " << list_of(island.systems);
  if (!island.interactions.empty()) out << " with " << list_of(island.interactions);
  out << '\n';
  if (!island.why_not.empty()) {
    out << "  not examined further: " << island.why_not << '\n';
    return;
  }
  out << "  " << island.velocities << " velocities, " << island.degrees_of_freedom << " degrees of freedom, "
      << island.bilateral << " bilateral rows, " << island.unilateral << " contacts of which " << island.closed
      << " closed, " << island.others << " rows of other laws\n";
  write_loops(out, island);
  if (!island.contradicting.empty()) out << "  contradicting: " << list_of(island.contradicting) << '\n';
  if (!island.unreached.empty()) out << "  rows that no velocity reaches: " << list_of(island.unreached) << '\n';
  if (island.hyperstatic_contacts > 0)
    out << "  closed contacts beyond what the motion needs: " << island.hyperstatic_contacts << '\n';
  if (island.spectrum.size() > 0)
    out << "  W of " << island.spectrum.size() << " acting rows: eigenvalues from " << island.spectrum[0] << " to "
        << island.spectrum[island.spectrum.size() - 1] << '\n';
  if (!island.inside.empty()) out << "  starts inside: " << list_of(island.inside) << '\n';
  write_friction(out, island.friction);
  if (!island.rates_why_not.empty()) out << "  rates not known: " << island.rates_why_not << '\n';
  write(out, island.solutions);
  out << "  one velocity after a step: " << to_string(island.unique_step) << " (" << island.unique_step_reason << ")\n";
}

void write_schemes(std::ostream& out, const ModelExamination& found) {
  out << "Schemes\n";
  for (const SchemeVerdict& scheme : found.schemes) {
    out << "  " << scheme.scheme << ": " << (scheme.can ? "can" : "cannot");
    if (!scheme.reason.empty()) out << " (" << scheme.reason << ")";
    out << '\n';
  }
  if (found.recommended.empty()) {
    out << "  none is recommended" << (found.recommended_for.empty() ? "" : ": ") << found.recommended_for << '\n';
  } else {
    out << "  recommended: " << found.recommended << " (" << found.recommended_for << ")\n";
  }
}

}  // namespace

std::string to_string(const ModelExamination& found) {
  std::ostringstream out;
  for (const FirstOrderIsland& island : found.first_order) write(out, island);
  for (const MechanicalIsland& island : found.mechanical) write(out, island);
  if (!found.jump.known) {
    out << "Start: not known (" << found.jump.why_not << ")\n";
  } else {
    const auto largest = [](const Eigen::VectorXd& change) {
      return change.size() > 0 ? change.cwiseAbs().maxCoeff() : 0.0;
    };
    const double jump = largest(found.jump.change), move = largest(found.jump.moved);
    out << "Start: " << (jump == 0.0 && move == 0.0 ? "consistent" : "not consistent");
    if (jump > 0.0) out << ", the state jumps by up to " << jump;
    if (move > 0.0) out << ", positions are moved by up to " << move;
    out << '\n';
  }
  out << "Step: rates from " << found.step.slowest_rate << " to " << found.step.fastest_rate << " 1/s, ";
  if (std::isfinite(found.step.step)) {
    out << (found.step.step < found.step.for_rates ? "penetration" : "accuracy") << " asks for h <= " << found.step.step
        << " s\n";
  } else {
    out << "nothing here binds h\n";
  }
  write_schemes(out, found);
  for (const Remark& remark : found.remarks) out << "Remark: " << remark.message() << '\n';
  return out.str();
}

}  // namespace nonsmooth::analysis
