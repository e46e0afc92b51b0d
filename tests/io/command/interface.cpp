// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include <catalogue.hpp>

#include "helpers.hpp"

namespace nonsmooth::command_test::interface_test {
namespace {

const std::vector<std::string> subcommands{"info",     "solve",   "replay",  "solvers", "convert", "completion",
                                           "run-info", "extract", "compare", "plot",    "view",    "paraview"};
const std::filesystem::path source_folder = NONSMOOTH_COMMAND_FOLDER;

std::set<std::string> options(const std::string& text) {
  static const std::regex option("--[a-z][a-z-]*");
  return {std::sregex_token_iterator(text.begin(), text.end(), option), {}};
}

/// Every option the program knows: it is in some help text, for CLI11 writes these from the options themselves.
std::set<std::string> all_options() {
  std::set<std::string> all = options(run({"--help"}).out);
  for (const std::string& name : subcommands) all.merge(options(run({name, "--help"}).out));
  return all;
}

TEST(Interface, EveryLevelHasHelpWithExamples) {
  const Outcome top = run({"--help"});
  EXPECT_EQ(top.code, command::success);
  for (const std::string& name : subcommands) {
    EXPECT_NE(top.out.find("\n  " + name + " "), std::string::npos) << name;
    const Outcome help = run({name, "--help"});
    EXPECT_EQ(help.code, command::success);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("Usage: nonsmooth " + name), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("Examples:\n"), std::string::npos) << name;
    EXPECT_EQ(run({name, "-h"}).out, help.out);
  }
  EXPECT_NE(top.out.find("Examples:\n"), std::string::npos);
  EXPECT_EQ(all_options(),
            (std::set<std::string>{"--class",       "--compression", "--contacts",  "--doubles",        "--frames",
                                   "--help",        "--json",        "--log",       "--max-iterations", "--megabytes",
                                   "--no-contacts", "--output",      "--restarted", "--solution",       "--solver",
                                   "--spectrum",    "--steps",       "--three",     "--time-limit",     "--title",
                                   "--tolerance",   "--version",     "--x"}));
}

TEST(Interface, HelpIsACommandToo) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "solve"}).out, run({"solve", "--help"}).out);
  EXPECT_EQ(run({"help"}).code, command::success);
  EXPECT_EQ(run({"help", "slove"}).code, command::bad_input);
}

TEST(Interface, AFileThatLooksLikeAnOptionGetsAHint) {
  const Folder folder;
  (void)folder.write("-dash.dat", interior_lcp());
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.at(""));
  const Outcome option = run({"solve", "-dash.dat"}), file = run({"solve", "--", "-dash.dat"});
  std::filesystem::current_path(before);
  EXPECT_EQ(option.code, command::bad_input);
  EXPECT_NE(option.err.find("`-- -dash.dat`"), std::string::npos) << option.err;
  EXPECT_EQ(file.code, command::success) << file.err;
  EXPECT_EQ(run({"solve", "-none.dat"}).err.find("`--"), std::string::npos);
}

TEST(Interface, TwoDashesEndTheOptionsWhereverTheyStand) {
  const Folder folder;
  (void)folder.write("-dash.dat", interior_lcp());
  std::filesystem::copy_file(folder.at("-dash.dat"), folder.at("--json"));
  const std::string plain = folder.write("plain.dat", interior_lcp());
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.at(""));
  const Outcome behind = run({"solve", "--json", plain, "--", "-dash.dat", "--json", "--", plain});
  const Outcome last = run({"info", plain, "--"}), none = run({"solve", "--"});
  const Outcome convert = run({"convert", "-dash.dat", "--", "-out.dat"});
  const Outcome out = run({"convert", plain, "--", "-out.dat"});
  const Outcome excess = run({"completion", "bash", "--", "-more"});
  std::filesystem::current_path(before);
  EXPECT_EQ(behind.code, command::bad_input);  // the second "--" is a file, and there is none
  const auto rows = lines(behind.out);
  ASSERT_EQ(rows.size(), 4u) << behind.out << behind.err;
  EXPECT_EQ(members(rows[0])["file"], plain);
  EXPECT_EQ(members(rows[1])["file"], "-dash.dat");
  EXPECT_EQ(members(rows[2])["file"], "--json");
  EXPECT_EQ(members(rows[3])["file"], plain);
  EXPECT_NE(behind.err.find("nonsmooth: --:"), std::string::npos) << behind.err;
  EXPECT_EQ(last.code, command::success) << last.err;
  EXPECT_EQ(none.code, command::bad_input);
  EXPECT_EQ(convert.code, command::bad_input);  // "-dash.dat" stands before the mark
  EXPECT_EQ(out.code, command::success) << out.err;
  EXPECT_TRUE(std::filesystem::exists(folder.at("-out.dat")));
  EXPECT_NE(excess.err.find(" -more"), std::string::npos) << excess.err;
}

TEST(Interface, VersionIsOneLine) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.code, command::success);
  EXPECT_TRUE(std::regex_match(outcome.out, std::regex("nonsmooth [0-9]+\\.[0-9]+\\.[0-9]+\n"))) << outcome.out;
}

struct Refusal {
  std::string name;
  std::vector<std::string> arguments;  ///< "GOOD" stands for a file that can be solved
  std::string says;
};
void PrintTo(const Refusal& refusal, std::ostream* out) {
  for (const std::string& argument : refusal.arguments) *out << argument << ' ';
}

class Refusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refusals, EndWithTwoAMessageAndNoResult) {
  const Folder folder;
  const std::string good = folder.write("good.dat", interior_lcp());
  std::vector<std::string> arguments = GetParam().arguments;
  for (std::string& argument : arguments) {
    if (argument == "GOOD") argument = good;
  }
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, command::bad_input);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Command, Refusals,
    ::testing::Values(
        Refusal{"NoArguments", {}, "Usage"}, Refusal{"UnknownSubcommand", {"slove", "GOOD"}, "one of info, solve"},
        Refusal{"OptionAsSubcommand", {"--json"}, "--json"}, Refusal{"SolveWithoutFile", {"solve"}, "FILE"},
        Refusal{"SolveMissingFile", {"solve", "no_such_file.dat"}, "no_such_file.dat"},
        Refusal{"SolveFolder", {"solve", "/"}, "/"}, Refusal{"SolveEmptyName", {"solve", ""}, "FILE"},
        Refusal{"InfoMissingFile", {"info", "no_such_file.dat"}, "no_such_file.dat"},
        Refusal{"UnknownOption", {"solve", "GOOD", "--fast"}, "--fast"},
        Refusal{"SolverWithoutName", {"solve", "GOOD", "--solver"}, "--solver"},
        Refusal{"SolverOfEmptyName", {"solve", "GOOD", "--solver", ""}, "--solver"},
        Refusal{"SolverTwice", {"solve", "GOOD", "--solver", "lemke", "--solver", "murty"}, "--solver"},
        Refusal{"ToleranceZero", {"solve", "GOOD", "--tolerance", "0"}, "--tolerance: found '0'"},
        Refusal{"ToleranceNegative", {"solve", "GOOD", "--tolerance", "-1e-8"}, "--tolerance"},
        Refusal{"ToleranceNan", {"solve", "GOOD", "--tolerance", "nan"}, "--tolerance"},
        Refusal{"ToleranceInfinite", {"solve", "GOOD", "--tolerance", "inf"}, "--tolerance"},
        Refusal{"ToleranceWithLetter", {"solve", "GOOD", "--tolerance", "1e-8x"}, "--tolerance"},
        Refusal{"ToleranceUnderflows", {"solve", "GOOD", "--tolerance", "1e-400"}, "--tolerance"},
        Refusal{"ToleranceWithComma", {"solve", "GOOD", "--tolerance", "1,5"}, "--tolerance"},
        Refusal{"IterationsNegative", {"solve", "GOOD", "--max-iterations", "-1"}, "--max-iterations"},
        Refusal{"IterationsFractional", {"solve", "GOOD", "--max-iterations", "1.5"}, "--max-iterations"},
        Refusal{"IterationsTooMany", {"solve", "GOOD", "--max-iterations", "99999999999999999999"}, "--max-iterations"},
        Refusal{"TimeLimitZero", {"solve", "GOOD", "--time-limit", "0"}, "--time-limit"},
        Refusal{"TimeLimitWord", {"solve", "GOOD", "--time-limit", "soon"}, "--time-limit"},
        Refusal{"ClassUnknown", {"solve", "GOOD", "--class", "lpc"}, "one of lcp, relay, mlcp"},
        Refusal{"SolversOfUnknownClass", {"solvers", "lpc"}, "one of lcp, relay, mlcp"},
        Refusal{"SolversOfTwoClasses", {"solvers", "lcp", "mlcp"}, "mlcp"},
        Refusal{"ConvertWithoutOutput", {"convert", "GOOD"}, "OUT"},
        Refusal{"ConvertToUnknownFormat", {"convert", "GOOD", "x.docx"}, "docx"},
        Refusal{"ConvertToMissingFolder", {"convert", "GOOD", "/no/such/folder/x.h5"}, "/no/such/folder"},
        Refusal{"ConvertMissingFile", {"convert", "no_such_file.dat", "x.h5"}, "no_such_file.dat"},
        Refusal{"CompletionOfUnknownShell", {"completion", "fish"}, "bash or zsh"},
        Refusal{"CompletionWithoutShell", {"completion"}, "SHELL"}),
    [](const auto& refusal) { return refusal.param.name; });

TEST(Interface, AnOutputThatCannotBeWrittenIsAnError) {
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(command::run({"--version"}, out, err), command::bad_input);
  EXPECT_NE(err.str().find("could not be written"), std::string::npos);
}

TEST(Solvers, AreListedForEveryClassAutomaticFirst) {
  for (const ProblemClass problem_class : command::all_classes()) {
    const std::string name(to_string(problem_class));
    const Outcome outcome = run({"solvers", name, "--json"});
    EXPECT_EQ(outcome.code, command::success);
    const auto rows = lines(outcome.out);
    ASSERT_FALSE(rows.empty()) << name;
    for (const std::string& row : rows) {
      ASSERT_TRUE(Json::object(row)) << row;
      auto member = members(row);
      EXPECT_EQ(member["class"], name);
      EXPECT_FALSE(member["description"].empty());
      EXPECT_TRUE(member["dense"] == "true" || member["sparse"] == "true") << row;
    }
    EXPECT_EQ(members(rows[0])["name"], "automatic");
    EXPECT_EQ(lines(run({"solvers", name}).out).size(), rows.size() + 1);  // and the titles
  }
  const Outcome all = run({"solvers"});
  EXPECT_NE(all.out.find("block principal pivoting"), std::string::npos);
  EXPECT_NE(all.out.find("friction"), std::string::npos);
}

TEST(Info, SaysWhatIsInTheFile) {
  const Folder folder;
  const std::string file = folder.write("interior.h5", interior_lcp(), "a small problem");
  const Outcome outcome = run({"info", file, folder.at("missing.dat"), file});
  EXPECT_EQ(outcome.code, command::bad_input);
  for (const char* said :
       {"lcp", "2 rows", "dense", "4 of 4", "yes", "2 complementarity", "6 (largest entry)", "a small problem"}) {
    EXPECT_NE(outcome.out.find(said), std::string::npos) << said;
  }
  EXPECT_NE(outcome.err.find("missing.dat"), std::string::npos);
  auto member = members(lines(run({"info", "--json", file}).out).at(0));
  EXPECT_EQ(member["nonzeros"], "4");
  EXPECT_EQ(member["q_norm"], "6");
  EXPECT_EQ(member["title"], "a small problem");
  EXPECT_EQ(member["blocks"], R"([{"set": "complementarity", "rows": 1, "count": 2}])");
}

TEST(Convert, RoundTripKeepsEveryBit) {
  const Folder folder;
  const lcp::Problem problem{.M = Eigen::Matrix2d{{0.1, 1.0 / 3.0}, {-1e-300, 2e17}}, .q = Eigen::Vector2d{-0.7, 1e-5}};
  const std::string first = folder.write("first.dat", problem);
  EXPECT_EQ(run({"convert", first, folder.at("second.h5")}).code, command::success);
  const Outcome back = run({"convert", folder.at("second.h5"), folder.at("third.dat")});
  EXPECT_EQ(back.code, command::success) << back.err;
  EXPECT_EQ(back.out, "");
  const auto read = std::get<lcp::Problem>(read_problem(folder.at("third.dat")).problem);
  EXPECT_EQ(read.M, problem.M);
  EXPECT_EQ(read.q, problem.q);
}

TEST(Completion, PrintsTheInstalledScriptsAndTheyNameEveryOption) {
  const std::string bash = run({"completion", "bash"}).out, zsh = run({"completion", "zsh"}).out;
  EXPECT_EQ(bash, read_text(source_folder / "completion/nonsmooth.bash"));
  EXPECT_EQ(zsh, read_text(source_folder / "completion/_nonsmooth"));
  for (const std::string& script : {bash, zsh}) {
    const auto known = options(script);
    for (const std::string& option : all_options()) EXPECT_TRUE(known.contains(option)) << option;
    for (const std::string& name : subcommands) EXPECT_NE(script.find(name), std::string::npos) << name;
    for (const ProblemClass problem_class : command::all_classes()) {
      std::string name(to_string(problem_class));
      std::replace(name.begin(), name.end(), ' ', '-');
      EXPECT_NE(script.find(name), std::string::npos) << name;
    }
  }
}

TEST(Completion, BashCompletesCommandsOptionsClassesAndFiles) {
  const Folder folder;
  const std::string script = folder.write_text("nonsmooth.bash", run({"completion", "bash"}).out);
  const auto complete = [&](const std::string& words) {
    const std::string line = "bash -c 'source \"" + script + "\"; COMP_WORDS=(nonsmooth " + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _nonsmooth; echo \"${COMPREPLY[*]}\"' 2>&1";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(line.c_str(), "r"), ::pclose);
    std::string text;
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) text += static_cast<char>(c);
    return text;
  };
  if (std::system("bash -c true >/dev/null 2>&1") != 0) GTEST_SKIP() << "bash is not installed";
  EXPECT_NE(complete("\"\"").find("info"), std::string::npos);
  EXPECT_EQ(complete("he"), "help\n");
  EXPECT_EQ(complete("help conv"), "convert\n");
  EXPECT_EQ(complete("so"), "solve solvers\n");
  EXPECT_EQ(complete("solve --t"), "--tolerance --time-limit\n");
  EXPECT_EQ(complete("solve --class ml"), "mlcp\n");
  EXPECT_EQ(complete("solvers fr"), "friction\n");
  EXPECT_EQ(complete("completion \"\""), "bash zsh\n");
  EXPECT_EQ(complete("solve " + folder.at("non")), script + "\n");
}

TEST(ManPage, NamesEveryOptionAndCommand) {
  std::string page = read_text(source_folder / "nonsmooth.1");
  ASSERT_FALSE(page.empty());
  std::erase(page, '\\');  // "\-" is a plain hyphen
  const auto known = options(page);
  for (const std::string& option : all_options()) EXPECT_TRUE(known.contains(option)) << option;
  for (const std::string& name : subcommands) EXPECT_NE(page.find(name), std::string::npos) << name;
  EXPECT_NE(page.find("nonsmooth help"), std::string::npos);
}

}  // namespace
}  // namespace nonsmooth::command_test::interface_test
