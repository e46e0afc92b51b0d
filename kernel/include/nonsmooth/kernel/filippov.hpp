// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// c(t, x), whose zeros are a surface that the right-hand side switches on. Its gradient must not vanish there: a
/// simulation by events that meets such a place ends, one by steps has no direction to go.
struct SwitchingFunction {
  std::string name{};                                                  ///< for messages; empty: "surface <number>"
  std::function<double(double t, ConstVectorRef x)> value{};           ///< required
  std::function<void(double t, ConstVectorRef x, VectorRef gradient)>  ///< dc/dx, n, comes in zeroed
      gradient{};                                                      ///< none: central differences
  /// dc/dt; none: differences of five places max(1e-3, 1e-6 |t|) apart, right where c(t, .) changes over 0.1 and more
  /// [unit of t]. Faster functions need it.
  std::function<double(double t, ConstVectorRef x)> rate{};
};

/// Where the signs of the switching functions are as given, x' = f(t, x). f is asked a little outside of its region
/// too, up to a step's length: it has to be smooth there.
struct FilippovRegion {
  std::string name{};                                                    ///< for messages; empty: "region <number>"
  std::vector<int> signs{};                                              ///< by switching function 1, -1 or 0: either
  std::function<void(double t, ConstVectorRef x, VectorRef value)> f{};  ///< n, comes in zeroed; none: 0
  std::function<void(double t, ConstVectorRef x, MatrixRef jacobian)> f_dx{};  ///< n x n; none: differences
};

/// What the right-hand side is where switching functions c_j vanish.
enum class FilippovMeaning : unsigned char {
  /// The closed convex hull of the fields of all regions that touch x: x' = sum_i theta_i f_i, theta >= 0,
  /// sum_i theta_i = 1 (Filippov 1988 [filippov1988]).
  Hull,
  /// Independent switches: x' = sum_i f_i prod_j w_ij, w_ij = alpha_j, 1 - alpha_j or 1 where S_ij = 1, -1, 0,
  /// alpha_j in H(c_j), the step function with H(0) = [0, 1]. A subset of the hull: the same on one surface, smaller on
  /// several (Acary, de Jong & Brogliato 2014 [acarydejongbrogliato2014]).
  MultiAffine,
};

/// x' in F(t, x), F discontinuous on surfaces c_j(t, x) = 0, j = 1..p: regions R_i = {S_ij c_j > 0 for all S_ij != 0}
/// with a field f_i each, and on the surfaces what `meaning` says.
///
///     FilippovSystem relay{.x0 = {{1.0}}, .switches = {{.value = [](double, ConstVectorRef x) { return x[0]; }}},
///                          .regions = {{.signs = {1}, .f = ...}, {.signs = {-1}, .f = ...}}};
///     const FilippovHandles handles = link_filippov(model, relay);
///
/// Every pattern of signs has to belong to exactly one region, as no one can tell which patterns never occur: parallel
/// surfaces x = 0 and x = 1 have regions {-1, 0}, {1, -1}, {1, 1}. The patterns are 2^p, p at most 8.
///
/// By steps (EulerMoreau with its weights w = g = 1; its theta acts on nothing) it is Stewart's problem [stewart1990],
/// solved by Newton's iteration:
///
///     x_{k+1} = x_k + h F(t_{k+1}, x_{k+1}) theta,   0 <= theta_i ⟂ g_i(x_{k+1}) - mu >= 0,   sum theta = 1,
///     g_i = -sum_j S_ij c_j,
///
/// i the patterns: where g_i is least is where x is. A sliding x is on its surface to the solver's tolerance at the end
/// of each step, whatever h: nothing chatters. Of MultiAffine it is one relay on [0, 1] a surface. By events
/// (EventDriven) x slides along the surfaces with a field of its own, and what enters and leaves is found
/// (docs/filippov.md).
struct FilippovSystem {
  ConstantVector x0{};  ///< n
  std::vector<SwitchingFunction> switches{};
  std::vector<FilippovRegion> regions{};
  FilippovMeaning meaning = FilippovMeaning::Hull;
  std::string name{};
};

/// The system, for State::x, and the interaction that carries its fields. State::lambda(fields): Hull: theta by
/// pattern, 2^p numbers, bit j of the number of a pattern set where c_j > 0; MultiAffine: alpha, p numbers. State::y: g
/// or -c.
struct FilippovHandles {
  SystemHandle system{};
  InteractionHandle fields{};
};

/// Adds it to a model. Further first-order relations may be linked to the system for time-stepping; EventDriven refuses
/// those. Without its interaction, once that was removed, the system is x' = 0, and EventDriven refuses it.
/// @throws InvalidArgument: no state, no switching function or more than 8, one without a value, signs of another
/// number or other than -1, 0, 1, patterns that no region covers or two do ("fields that do not cover", by their
/// names); at x0 and t = 0: what a function throws, a value or field of which a number is not finite, a given gradient
/// or Jacobian that differs from differences by more than 1e-4 of its largest entry and theirs.
FilippovHandles link_filippov(NonSmoothDynamicalSystem& model, FilippovSystem system);

/// For switches that act on d2c/dt2 alone, c a switching function of the system: where x comes to c = 0 with c' = 0, as
/// to the reference of a buck converter without hysteresis, it goes through the surface ever faster, and on one surface
/// with smooth fields never is there (in the plane the n-th turn takes some 1/n). The same system with one switching
/// function more,
///
///     d = (w_+ + w_-) / 2,   w_i = grad c . f_i + dc/dt of the fields to both sides of c, in regions with the signs
///                            `beside` in the other functions (of c itself it is not looked at; empty: 1),
///
/// on which no field depends. It makes the place a crossing of two surfaces, so that EventDriven goes on at rest on
/// both, with the weights of the fields that d2c/dt2 = 0 asks for, once x is within EventThresholds::accumulation of
/// them (1e-3, say): an EventKind::Accumulation tells the distance. Times at which d is zero are events too. Give c its
/// gradient: d has differences for its own, and differences of differences are known to 1e-5, as are the weights then.
/// @throws InvalidArgument as link_filippov(), where `surface` is none, of signs other than 1 and -1.
[[nodiscard]] FilippovSystem with_tangency(FilippovSystem system, Index surface, const std::vector<int>& beside = {});

}  // namespace nonsmooth
