// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <nonsmooth/numerics/friction/automatic.hpp>
#include <nonsmooth/numerics/friction/faceted.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/limits.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

namespace nonsmooth {

/// Options of an algorithm for u = W r + q: those of mixed and of friction.
template <class Options>
concept ReducedSolverOptions = requires(const mixed::Problem& problem, const Options& options) {
  { solve(problem, options) } -> std::convertible_to<mixed::Result>;
  options.validate();
  { options.tolerance } -> std::convertible_to<double>;   // as Limits
  { options.time_limit } -> std::convertible_to<double>;  // as Limits
};

/// Options of an algorithm for the global form: friction's GlobalAutomatic, GlobalAdmm and the like.
template <class Options>
concept GlobalSolverOptions = requires(const friction::GlobalProblem& problem, const Options& options) {
  { solve(problem, options) } -> std::same_as<friction::GlobalResult>;
  options.validate();
  { options.tolerance } -> std::convertible_to<double>;   // as Limits
  { options.time_limit } -> std::convertible_to<double>;  // as Limits
};

/// Any algorithm of mixed or friction, or of friction's global form, with its options: made of the options, or of the
/// name that it has in its registry and limits. Immutable; copies share what it holds.
///
///     AnySolver a = friction::GaussSeidelNewton{.tolerance = 1e-9}, b = "gauss-seidel newton",
///               c = {"friction::admm", Limits{.tolerance = 1e-6}};
class AnySolver {
 public:
  AnySolver() = default;  ///< mixed::Automatic{}
  template <class Options>
  requires(ReducedSolverOptions<Options> || GlobalSolverOptions<Options>) AnySolver(const Options& options)
      : held_(hold(options)) {}
  /// The options of that entry within the limits. Of a name that stands in several registries, mixed's comes before
  /// friction's; "mixed::", "friction::" and "global::" before it choose the registry.
  /// @throws InvalidArgument listing the known names, and as Limits::validate.
  template <std::convertible_to<std::string_view> Name>
  AnySolver(const Name& name, const Limits& limits = {}) : AnySolver(named(name, limits)) {}

  void validate() const;  ///< @throws InvalidArgument naming the field
  /// The options, where they are of this kind; else nullptr.
  template <class Options>
  [[nodiscard]] const Options* get_if() const noexcept {
    if constexpr (has_workspace<Options>) {
      return std::get_if<Options>(&held_);
    } else {
      using Problem = std::conditional_t<GlobalSolverOptions<Options>, friction::GlobalProblem, mixed::Problem>;
      const auto* pointer = std::get_if<Pointer<Problem>>(&held_);
      const auto* found = pointer ? dynamic_cast<const Held<Options, Problem>*>(pointer->get()) : nullptr;
      return found ? &found->options : nullptr;
    }
  }
  /// It is for the global form alone, or for that form too: mixed::Automatic is, whose tolerance and limits
  /// friction::GlobalAutomatic then has.
  [[nodiscard]] bool takes_global() const noexcept;
  [[nodiscard]] bool takes_reduced() const noexcept;

  /// From r = start where it has the right size and is not 0, else as an algorithm without a start begins: the options'
  /// own start is not used. Sweeps of both GaussSeidel go over all of W, unlike AnySolverWorkspace's. Ends as a
  /// registry's does: refined near a solution, round-off told. An entry of W
  /// or q that is not finite gives NumericalFailure, and so does an answer of a user's algorithm that has another size.
  /// Figures and decisions are those of friction's algorithms.
  /// @throws InvalidArgument for sets that the algorithm does not take, and for one of the global form alone.
  [[nodiscard]] friction::Result solve_from(ConstVectorRef start, const mixed::Problem& problem) const;
  /// The same of the global form. @throws InvalidArgument as GlobalProblem::validate, and for an algorithm that needs
  /// W.
  [[nodiscard]] friction::GlobalResult solve_from(ConstVectorRef start, const friction::GlobalProblem& problem) const;

 private:
  /// What the form's problem is answered with; friction's result has what mixed's has.
  template <class Problem>
  using ResultOf =
      std::conditional_t<std::is_same_v<Problem, mixed::Problem>, friction::Result, friction::GlobalResult>;

  template <class Problem>
  struct Algorithm {
    virtual ~Algorithm() = default;
    virtual void validate() const = 0;
    [[nodiscard]] virtual ResultOf<Problem> run(const Problem& problem, ConstVectorRef start) const = 0;

    double tolerance = 0.0, time_limit = 0.0;
    bool refines = false;  ///< what it leaves near a solution is to be refined
  };
  template <class Problem>
  using Pointer = std::shared_ptr<const Algorithm<Problem>>;

  template <class Options, class Problem>
  struct Held final : Algorithm<Problem> {
    explicit Held(const Options& given) : options(given) {
      this->tolerance = given.tolerance;
      this->time_limit = given.time_limit;
      // Automatic has refined, facets are asked for their own error, and so are other measures.
      this->refines = !std::is_same_v<Options, friction::Automatic> && !std::is_same_v<Options, friction::Faceted>;
      if constexpr (requires { given.measure; })
        this->refines = this->refines && given.measure == friction::Measure::Certificate;
    }
    void validate() const override { options.validate(); }
    [[nodiscard]] ResultOf<Problem> run(const Problem& problem, ConstVectorRef start) const override {
      Options from = options;
      if constexpr (requires { from.start; }) from.start = start;
      if constexpr (std::is_same_v<decltype(solve(problem, from)), mixed::Result>)
        return {solve(problem, from), {}, {}, {}};
      else
        return solve(problem, from);
    }

    Options options;
  };

  /// They have workspaces that loops keep.
  template <class Options>
  static constexpr bool has_workspace =
      std::is_same_v<Options, mixed::Automatic> || std::is_same_v<Options, mixed::GaussSeidel> ||
      std::is_same_v<Options, friction::GaussSeidel>;
  using Choice = std::variant<mixed::Automatic, mixed::GaussSeidel, friction::GaussSeidel, Pointer<mixed::Problem>,
                              Pointer<friction::GlobalProblem>>;

  template <class Options>
  static Choice hold(const Options& options) {
    if constexpr (has_workspace<Options>) {
      return options;
    } else {
      using Problem = std::conditional_t<GlobalSolverOptions<Options>, friction::GlobalProblem, mixed::Problem>;
      return Pointer<Problem>(std::make_shared<const Held<Options, Problem>>(options));
    }
  }
  static AnySolver named(std::string_view name, const Limits& limits);

  Choice held_;
};

/// The hot loop's door to any algorithm of the reduced form, from result.r. The memory of mixed::Automatic and of both
/// GaussSeidel is kept from call to call; the others allocate. Parts that W does not couple are shared among `threads`
/// by these three: the same bits for any number of them. What comes is what AnySolver::solve_from gives, but for both
/// GaussSeidel where W has several parts: each part is swept by itself until it meets the tolerance or the limit, so
/// that r has other bits within the tolerance, the iterations are the most of any part, and the status is that of the
/// parts (Solved where all are). A user's order, colours and measures other than the certificate are never so split.
class AnySolverWorkspace {
 public:
  AnySolverWorkspace();
  ~AnySolverWorkspace();
  AnySolverWorkspace(AnySolverWorkspace&&) noexcept;
  AnySolverWorkspace& operator=(AnySolverWorkspace&&) noexcept;

  /// `same_matrix` promises W and K of the last call, bit for bit. Figures are not computed, numbers not looked at;
  /// what mixed::GaussSeidel leaves is not refined. @throws InvalidArgument as AnySolver::solve_from.
  void solve(const AnySolver& solver, const mixed::Problem& problem, bool same_matrix, ThreadPool& threads,
             mixed::Result& result, std::vector<friction::Decision>& decisions);
  /// What AnySolver::solve_from gives of the global form, bit for bit, from `start`. The memory of mixed::Automatic is
  /// kept; the others allocate.
  /// @throws InvalidArgument as AnySolver::solve_from.
  void solve(const AnySolver& solver, const friction::GlobalProblem& problem, ConstVectorRef start,
             friction::GlobalResult& result);
  void reset() noexcept;  ///< forgets factors

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
