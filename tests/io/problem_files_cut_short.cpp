// SPDX-License-Identifier: Apache-2.0
// Texts that end too early: none is read as another problem but where no reader can tell.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "problem_files.hpp"

namespace nonsmooth::problem_files_cut_short_test {
namespace {

using namespace nonsmooth::problem_files_test;

/// The text up to the end of its word number `count`.
std::string first_words(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end != std::string::npos; --count) {
    end = text.find_first_not_of(" \t\n", end);
    end = end == std::string::npos ? end : text.find_first_of(" \t\n", end);
  }
  return text.substr(0, end);
}

std::size_t number_of_words(const std::string& text) {
  std::istringstream stream(text);
  return static_cast<std::size_t>(
      std::distance(std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()));
}

std::string written(const AnyProblem& problem, const std::filesystem::path& path) {
  write_problem(problem, path);
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class CutShort : public Files {
 protected:
  /// Every text that ends behind a word before the last is refused, but those that are `other` there.
  static void expect_refused(const std::string& text, const std::vector<std::pair<std::size_t, ProblemClass>>& others) {
    const ProblemClass whole = class_of(read_problem_text(text, "f").problem);
    const std::size_t words = number_of_words(text);
    std::size_t read = 0;
    for (std::size_t count = 1; count < words; ++count) {
      const std::string cut = first_words(text, count);
      try {
        const ProblemFile file = read_problem_text(cut, "f");
        const ProblemClass found = class_of(file.problem);
        const bool documented = std::find(others.begin(), others.end(), std::pair(count, found)) != others.end();
        EXPECT_TRUE(documented) << to_string(whole) << " cut behind word " << count << " of " << words << " is read as "
                                << to_string(found) << ":\n"
                                << cut;
        read += documented ? 1 : 0;
      } catch (const FormatError&) {
      }
      if (count > 6) {  // past the sizes its own class finds nothing either: no other problem of the class
        EXPECT_THROW((void)read_problem_text(cut, "f", whole), FormatError) << cut;
      }
    }
    EXPECT_EQ(read, others.size());
  }
};

TEST_F(CutShort, ATextIsNotReadAsAnotherProblem) {
  const std::filesystem::path path = file("p.dat");
  const auto ones = [](Index n) { return Eigen::MatrixXd::Ones(n, n).eval(); };
  for (const Index n : {1, 2, 3}) {
    expect_refused(written(lcp::Problem{.M = ones(n), .q = Eigen::VectorXd::Ones(n)}, path), {});
    expect_refused(written(lcp::SparseProblem{.M = ones(n).sparseView(), .q = Eigen::VectorXd::Ones(n)}, path), {});
    const relay::Problem relay{.M = ones(n),
                               .q = Eigen::VectorXd::Ones(n),
                               .lower = Eigen::VectorXd::Zero(n),
                               .upper = Eigen::VectorXd::Ones(n)};
    const auto behind_q = static_cast<std::size_t>(6 + n * n + n);
    expect_refused(written(relay, path), {{behind_q, ProblemClass::Lcp}});
  }
  for (const AnyProblem& problem :
       {AnyProblem(some_mlcp(2, 2, 3)), AnyProblem(some_mlcp(4, 2, 1)), AnyProblem(some_mlcp(1, 1, 1)),
        AnyProblem(soc_cones()), AnyProblem(friction_problem(2)), AnyProblem(friction_problem(3)),
        AnyProblem(drucker_prager()), AnyProblem(von_mises()), AnyProblem(generic())}) {
    expect_refused(written(problem, path), {});
  }
  for (const SetKind kind : {SetKind::SecondOrderCone, SetKind::Coulomb3D, SetKind::DruckerPrager, SetKind::VonMises}) {
    const BlockSet set{.kind = kind, .mu = 1.0, .lift = 1.0, .radius = 1.0};
    for (const std::size_t blocks : {1u, 2u}) {
      // One cone of three rows: 3, 1, M, q, 0, 3, tau, of which 3D friction lacks no number behind the 0.
      const bool one_cone = kind == SetKind::SecondOrderCone && blocks == 1;
      const std::vector<std::pair<std::size_t, ProblemClass>> others = {{29, ProblemClass::Friction},
                                                                        {30, ProblemClass::Plasticity}};
      const mixed::Problem problem = some_blocks(std::vector<BlockSet>(blocks, set), std::vector<Index>(blocks, 3));
      expect_refused(written(problem, path), one_cone ? others : std::vector<std::pair<std::size_t, ProblemClass>>());
    }
  }
  // Sparse-block lcp of one block, and an mlcp in four matrices alone.
  expect_refused("1\n1\n1\n1\n1\n1\n1\n1\n1\n2\n1\n0 1\n0\n0\n1\n-1\n", {});
  expect_refused("2\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n0\n0\n1 0 0 1\n-1 -1\n", {});
  expect_refused("0\n1\n1\n1\n1\n1\n1\n1\n-1\n-1\n", {});
  // 3, number of blocks, M, q, eta, theta: behind eta it is 3D friction.
  expect_refused("3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n0.5\n0.25\n", {{20, ProblemClass::Friction}});
  // Of classes that are refused when they are whole.
  const std::string global = "3\n1\n1\n4\n4\n1\n1\n1\n4\n4\n2\n1\n0 1\n0\n0\n";
  for (std::size_t count = 1; count <= 15; ++count) {
    EXPECT_THROW((void)read_problem_text(first_words(global, count), "f"), FormatError) << first_words(global, count);
  }
}

TEST_F(CutShort, AnOldMlcpStillReads) {
  // A and B of 1, which look like the shape of another matrix; on one line and on several.
  for (const char* text : {"1 1 2\n1\n1\n2\n-1\n0.5\n-1\n", "1 1 2 1 1 1 -1 0 0", "1 1 2 1 0 1 -1 0 -1",
                           "2 1 3 1 0 0 1 "
                           "1 1 1 1 1 -1 -1 -1"}) {
    EXPECT_EQ(class_of(read_problem_text(text, "f").problem), ProblemClass::Mlcp) << text;
  }
}

TEST_F(CutShort, RealFilesAreNotReadAsOtherProblems) {
  const std::filesystem::path root(NONSMOOTH_REFERENCE_DATA);
  if (root.empty() || !std::filesystem::is_directory(root / "data"))
    GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  for (const char* name : {"lcp/lcp_ortiz_block.dat", "lcp/lcp_trivial_block.dat", "mlcp/PD_mlcp.dat",
                           "mlcp/Rectangular_mlcp.dat", "generic/GMP0.dat", "plasticity/plasticity_2d_footing_1.dat"}) {
    if (!std::filesystem::exists(root / "data" / name)) continue;
    std::ifstream stream(root / "data" / name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const std::size_t some = std::min<std::size_t>(60, number_of_words(text));
    for (std::size_t count = 1; count < some; ++count) {
      EXPECT_THROW((void)read_problem_text(first_words(text, count), "f"), FormatError) << name << ", " << count;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::problem_files_cut_short_test
