// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iomanip>
#include <iostream>
#include <map>
#include <string>

#include <nonsmooth/numerics/analysis/verdict.hpp>

/// Verdicts of an examination, counted against what is known by construction.
namespace nonsmooth::fuzz {

/// Verdicts on one property of one family.
struct Line {
  long holds = 0, fails = 0, not_known = 0, wrong = 0;
};

class Table {
 public:
  void start(long instance) { instance_ = instance; }

  void count(const std::string& family, const std::string& property, analysis::Verdict verdict, bool expected) {
    Line& line = lines_[family + ": " + property];
    ++due_;
    if (verdict == analysis::Verdict::NotKnown) {
      ++line.not_known;
      if (++missed_ <= 10)
        std::cout << "instance " << instance_ << ", " << family << ": " << property << ", not known\n";
      return;
    }
    ++(verdict == analysis::Verdict::Holds ? line.holds : line.fails);
    if ((verdict == analysis::Verdict::Holds) != expected) complain(line, family, property + ", wrong verdict");
  }

  /// `what` is empty where nothing is wrong.
  void check(const std::string& family, const std::string& what) {
    if (!what.empty()) complain(lines_[family + ": " + what], family, what);
  }

  [[nodiscard]] bool report() const {
    for (const auto& [name, line] : lines_) {
      std::cout << "  " << std::left << std::setw(72) << name << std::right << std::setw(8) << line.holds << " hold"
                << std::setw(8) << line.fails << " fail" << std::setw(6) << line.not_known << " not known"
                << std::setw(4) << line.wrong << " wrong\n";
    }
    const bool enough = missed_ * 100 <= due_;
    std::cout << wrong_ << " wrong, " << missed_ << " of " << due_ << " not known" << (enough ? "\n" : ": TOO MANY\n");
    return wrong_ == 0 && enough;
  }

 private:
  void complain(Line& line, const std::string& family, const std::string& what) {
    ++line.wrong;
    if (++wrong_ <= 20) std::cout << "instance " << instance_ << ", " << family << ": " << what << '\n';
  }

  std::map<std::string, Line> lines_;
  long instance_ = 0, due_ = 0, missed_ = 0, wrong_ = 0;
};

}  // namespace nonsmooth::fuzz
