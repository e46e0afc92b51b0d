// SPDX-License-Identifier: Apache-2.0
#include "known_solver.hpp"

#include <cstddef>
#include <type_traits>
#include <typeinfo>

#include <internal/class_name.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include "number.hpp"

namespace nonsmooth {
namespace {

// The names of all fields of all options: what a new algorithm has besides has to be added, or `require_all_named` does
// not compile.
#define NONSMOOTH_SOLVER_OPTIONS(FIELD) \
  FIELD(tolerance)                      \
  FIELD(measure)                        \
  FIELD(max_iterations)                 \
  FIELD(max_sweeps)                     \
  FIELD(max_steps)                      \
  FIELD(max_rounds)                     \
  FIELD(max_inner_steps)                \
  FIELD(dense_limit)                    \
  FIELD(check_every)                    \
  FIELD(relaxation)                     \
  FIELD(extrapolate)                    \
  FIELD(conjugate)                      \
  FIELD(freeze)                         \
  FIELD(colored)                        \
  FIELD(order)                          \
  FIELD(user_order)                     \
  FIELD(symmetric)                      \
  FIELD(local)                          \
  FIELD(penalty)                        \
  FIELD(accelerate)                     \
  FIELD(max_refactorizations)           \
  FIELD(memory)                         \
  FIELD(hyperstaticity)                 \
  FIELD(descent)                        \
  FIELD(decrease)                       \
  FIELD(outer)                          \
  FIELD(inner)                          \
  FIELD(sweeps)                         \
  FIELD(first)                          \
  FIELD(first_sweeps)                   \
  FIELD(patch)                          \
  FIELD(patch_steps)                    \
  FIELD(coverage)                       \
  FIELD(rule)                           \
  FIELD(step)                           \
  FIELD(scaled)                         \
  FIELD(acceptance)                     \
  FIELD(growth)                         \
  FIELD(reduction)                      \
  FIELD(facets)                         \
  FIELD(cone)                           \
  FIELD(pivoting)                       \
  FIELD(method)                         \
  FIELD(tangential)                     \
  FIELD(form)                           \
  FIELD(formulation)                    \
  FIELD(regularization)                 \
  FIELD(term)                           \
  FIELD(polish)                         \
  FIELD(damping)                        \
  FIELD(cone_complementarity)           \
  FIELD(curvature)                      \
  FIELD(decay)                          \
  FIELD(restart)                        \
  FIELD(fill)                           \
  FIELD(time_limit)
// No answer depends on them.
#define NONSMOOTH_SOLVER_OPTIONS_LEFT_OUT(FIELD) FIELD(num_threads) FIELD(start)

template <class Options>
constexpr std::size_t num_named() {
  std::size_t count = 0;
#define NONSMOOTH_COUNT(name) \
  if constexpr (requires(const Options& options) { options.name; }) ++count;
  NONSMOOTH_SOLVER_OPTIONS(NONSMOOTH_COUNT)
  NONSMOOTH_SOLVER_OPTIONS_LEFT_OUT(NONSMOOTH_COUNT)
#undef NONSMOOTH_COUNT
  return count;
}

/// Compiles where `Options` has as many fields as are named above.
template <class Options>
void require_all_named(const Options& options) {
  constexpr std::size_t named = num_named<Options>();
  static_assert(5 <= named && named <= 17, "one more number of fields to be listed here");
  if constexpr (named == 5) {
    [[maybe_unused]] const auto& [a, b, c, d, e] = options;
  } else if constexpr (named == 6) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f] = options;
  } else if constexpr (named == 7) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g] = options;
  } else if constexpr (named == 8) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h] = options;
  } else if constexpr (named == 9) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i] = options;
  } else if constexpr (named == 10) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j] = options;
  } else if constexpr (named == 11) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k] = options;
  } else if constexpr (named == 12) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = options;
  } else if constexpr (named == 13) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = options;
  } else if constexpr (named == 14) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = options;
  } else if constexpr (named == 15) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = options;
  } else if constexpr (named == 16) {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = options;
  } else {
    [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = options;
  }
}

template <class Value>
std::string text_of(const Value& value) {
  if constexpr (std::is_floating_point_v<Value>) {
    return number(value);
  } else if constexpr (std::is_enum_v<Value>) {
    return std::to_string(static_cast<std::underlying_type_t<Value>>(value));
  } else if constexpr (std::is_integral_v<Value>) {
    return std::to_string(value);
  } else {
    std::string text = "[";
    for (const auto entry : value) text += (text.size() > 1 ? " " : "") + text_of(entry);
    return text + "]";
  }
}

/// Shows `visit` the options of an algorithm of this library; false: it is none.
template <class... Options, class Visit>
bool show_one_of(const AnySolver& solver, const Visit& visit) {
  const auto look = [&](const auto* options) {
    if (options) visit(*options);
    return options != nullptr;
  };
  return (look(solver.get_if<Options>()) || ...);
}

template <class Visit>
bool show_options(const AnySolver& solver, const Visit& visit) {
  using namespace friction;
  return show_one_of<mixed::Automatic, mixed::GaussSeidel, mixed::Admm, mixed::FischerBurmeister, mixed::NaturalNewton,
                     mixed::ProximalNewton, friction::Automatic, friction::GaussSeidel, friction::Admm,
                     friction::ProximalNewton, BarzilaiBorwein, ConeRelaxation, DirectMcp, Extragradient, Faceted,
                     FixedPoint, Frictionless, GaussSeidelNewton, GaussSeidelSchwarz, Haslinger, InteriorPoint, Jacobi,
                     Nesterov, Panagiotopoulos, PlanarLcp, SemismoothNewton, Tresca, GlobalAutomatic, GlobalAdmm,
                     GlobalInteriorPoint, GlobalProximalNewton>(solver, visit);
}

}  // namespace

std::optional<KnownSolver> known_solver(const AnySolver& solver) {
  std::optional<KnownSolver> found;
  show_options(solver, [&](const auto& options) {
    found = KnownSolver{class_name(typeid(options)), options.tolerance};
  });
  return found;
}

std::vector<std::pair<std::string, std::string>> options_of(const AnySolver& solver) {
  std::vector<std::pair<std::string, std::string>> fields;
  show_options(solver, [&]<class Options>(const Options& options) {
    require_all_named(options);
#define NONSMOOTH_TELL(name) \
  if constexpr (requires(const Options& any) { any.name; }) fields.emplace_back(#name, text_of(options.name));
    NONSMOOTH_SOLVER_OPTIONS(NONSMOOTH_TELL)
#undef NONSMOOTH_TELL
  });
  return fields;
}

#undef NONSMOOTH_SOLVER_OPTIONS
#undef NONSMOOTH_SOLVER_OPTIONS_LEFT_OUT

}  // namespace nonsmooth
