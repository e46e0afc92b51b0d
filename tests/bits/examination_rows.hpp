// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the table of all examinations (docs/examinations.md): a line begins with the table that it belongs to, F
// first order, M mechanics, S schemes.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <nonsmooth/kernel/analysis/examine.hpp>

namespace nonsmooth::bits {

class ExaminationRows {
 public:
  ExaminationRows(const std::filesystem::path& folder, const std::string& name) {
    std::filesystem::create_directories(folder);
    file_.open(folder / (name + ".rows"));
  }

  /// At the initial state; a row that says what an earlier one of the program does is left out, and all beyond kMost.
  void add(std::string_view name, const NonSmoothDynamicalSystem& model, double t0) {
    if (models_ == kMost) return;
    const analysis::ModelExamination found = analysis::examine(model, model.initial_state(t0));
    std::string rows;
    for (const auto& island : found.first_order) rows += row_of(island);
    for (const auto& island : found.mechanical) rows += row_of(island);
    rows += row_of(found);
    if (!known_.insert(rows).second) return;
    ++models_;
    std::istringstream lines(rows);
    std::set<std::string> written;  // islands that are alike have one row
    for (std::string line; std::getline(lines, line);) {
      if (written.insert(line.substr(0, 2) + line.substr(line.find('|'))).second)
        file_ << line.substr(0, 2) << "| " << name << " |" << line.substr(2) << '\n';
    }
    file_.flush();
  }

 private:
  static constexpr int kMost = 4;

  static std::string_view sign(analysis::Verdict verdict) {
    return verdict == analysis::Verdict::Holds ? "yes" : verdict == analysis::Verdict::Fails ? "no" : "?";
  }
  static std::string number(double value) {
    std::ostringstream text;
    text.precision(3);
    text << value;
    return text.str();
  }
  static std::string degrees(const analysis::FirstOrderIsland& island) {
    std::string text;
    const auto& list = island.degree.of_output;
    for (std::size_t i = 0; i < list.size() && i < 6; ++i) {
      text += (i > 0 ? " " : "") + (list[i] < 0                        ? std::string("?")
                                    : list[i] > island.system.A.rows() ? std::string("never")
                                                                       : std::to_string(list[i]));
    }
    return list.size() > 6 ? text + " ..." : text;
  }
  static std::string solutions(const analysis::WellPosedness& found) {
    const bool known = found.theorem != analysis::Theorem::NotKnown;
    const std::string_view reason = known ? to_string(found.theorem) : found.why_not;
    const std::string_view source = citation(found.theorem);
    std::string text = std::string(sign(found.existence)) + ", " + std::string(sign(found.uniqueness));
    return text + " | " + std::string(reason) + (source.empty() ? "" : " [" + std::string(source) + "]");
  }
  static std::string rates(const Eigen::VectorXcd& rates) {
    return rates.size() == 0 ? "" : number(rates.cwiseAbs().maxCoeff());
  }

  static std::string row_of(const analysis::FirstOrderIsland& island) {
    std::ostringstream row;
    row << "F " << ' '
        << (island.systems.size() == 1 ? island.systems.front() : std::to_string(island.systems.size()) + " systems")
        << " | ";
    if (!island.why_not.empty()) {
      row << "| | | | | | | | | " << island.why_not << " |\n";
      return row.str();
    }
    row << island.system.A.rows() << " | " << island.rows.size() << " | " << to_string(island.laws)
        << (island.constant ? "" : ", linearised") << " | " << degrees(island) << " | " << sign(island.D.p.verdict)
        << " / " << sign(island.D.positive_semidefinite.verdict) << " | " << sign(island.CB.p.verdict) << " | "
        << sign(island.passivity.passive.verdict) << " | "
        << (island.index.index < 0 ? std::string("?") : std::to_string(island.index.index)) << " | "
        << solutions(island.solutions) << " |\n";
    return row.str();
  }

  static std::string row_of(const analysis::MechanicalIsland& island) {
    std::ostringstream row;
    row << "M " << ' '
        << (island.systems.size() == 1 ? island.systems.front() : std::to_string(island.systems.size()) + " systems")
        << " | ";
    if (!island.why_not.empty()) {
      row << island.velocities << " | | | | | | | | " << island.why_not << " |\n";
      return row.str();
    }
    const auto above =
        std::count_if(island.friction.begin(), island.friction.end(), [](const auto& c) { return c.above(); });
    row << island.velocities << " | " << island.degrees_of_freedom << " | " << island.bilateral << " / "
        << island.hyperstatic_degree << " | " << island.unilateral << " / " << island.closed << " / "
        << island.hyperstatic_contacts << " | ";
    if (island.spectrum.size() > 0)
      row << number(std::abs(island.spectrum[0]) < 1e-13 * island.spectrum.maxCoeff() ? 0.0 : island.spectrum[0])
          << " to " << number(island.spectrum[island.spectrum.size() - 1]);
    row << " | ";
    if (!island.friction.empty()) row << above << " of " << island.friction.size();
    row << " | " << sign(island.unique_step) << " | " << solutions(island.solutions) << " |\n";
    return row.str();
  }

  static std::string row_of(const analysis::ModelExamination& found) {
    std::ostringstream row;
    row << "S ";
    for (const auto& scheme : found.schemes)
      if (!scheme.can) row << (row.str().size() > 2 ? "; " : " ") << scheme.scheme;
    row << " | " << (found.recommended.empty() ? "none" : found.recommended) << " | " << number(found.step.fastest_rate)
        << " | " << (std::isfinite(found.step.step) ? number(found.step.step) : "") << " | ";
    if (!found.jump.known) {
      row << "?";
    } else if (!found.jump.events.empty()) {
      row << number(found.jump.change.cwiseAbs().maxCoeff());
    }
    row << " |\n";
    return row.str();
  }

  std::ofstream file_;
  std::set<std::string> known_;
  int models_ = 0;
};

}  // namespace nonsmooth::bits
