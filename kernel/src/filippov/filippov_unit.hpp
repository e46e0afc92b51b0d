// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>

#include "hull_slice.hpp"
#include "model/instants.hpp"
#include "model/switched/filippov.hpp"

namespace nonsmooth::filippov {

using instants::Resolution;
using instants::text;
using instants::TimeWindow;

/// What determines theta in a mode that holds surfaces.
enum class FilippovRule : unsigned char {
  Unique,     ///< every theta gives the same x' (of none or one surface there is one theta)
  Basis,      ///< an extreme point: theta of one basis
  LeastNorm,  ///< the least |x'|
  Utkin,      ///< alpha_j by surface
  Moments,
};

/// One FilippovSystem in its mode: the sign of each c_j, 0 for surfaces that x slides along, and what determines theta.
///
///     x' = sum_i theta_i f_i,   theta >= 0,  sum theta = 1,  sum_i theta_i (grad c_j . f_i + dc_j/dt) = 0 where held,
///
/// i the patterns of signs that differ from the mode's in held surfaces alone. At an instant every choice of signs of
/// the surfaces that x is on (3 to their number) is a candidate; one is a motion where such a theta exists, released
/// c_j grow to their side, and all guards that are zero rise along its own flow. Guards: s_j c_j of the others; theta
/// of one held surface, or of a basis; alpha and 1 - alpha; of several surfaces the largest least theta, that theta
/// determines x', and that no motion that leaves becomes one (a surface that attracts no more). Sources: Filippov 1988
/// [filippov1988]; Stewart 1990 [stewart1990]; Dieci & Lopez 2011 [dieci2011].
class FilippovUnit {
 public:
  struct Mode {
    std::vector<signed char> signs;  ///< empty: none
    FilippovRule rule = FilippovRule::Unique;
    std::uint32_t basis = 0;
    SurfaceVector alpha{};      ///< where Newton's iteration starts
    bool others_start = false;  ///< motions that leave were there from the start: no guard

    template <class Memory>
    void remember(Memory& memory) {
      Eigen::VectorXd start = alpha;
      memory(signs, rule, basis, start, others_start);
      alpha = start;
    }
  };
  /// A motion that goes on from an instant.
  struct Motion {
    Mode mode;
    Eigen::VectorXd rate;
    Weights theta;
  };

  /// Where its numbers are.
  struct Place {
    Index z = 0;                                ///< first of its states in z
    Index num_positions = 0, num_unknowns = 0;  ///< of z
    Index row = 0, num_rows = 0;                ///< first of its multipliers; of State::multipliers
  };
  FilippovUnit(std::shared_ptr<const FilippovFields> fields, std::string name, InteractionHandle handle, Place place,
               const EventDrivenOptions& options);

  void set_window(const TimeWindow& window) noexcept { window_ = window; }
  /// What is added to every field from here on, as by relations that are linked beside; empty: nothing.
  void set_input(const Eigen::VectorXd& input) { input_ = input; }
  void rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot);
  /// df/dx (n x n) of x' = f in the mode; false where it slides on several surfaces, or its field has no Jacobian.
  [[nodiscard]] bool rates_dz(double t, const Eigen::VectorXd& z, Eigen::MatrixXd& A);
  [[nodiscard]] Index num_guards() const noexcept { return static_cast<Index>(guards_.size()); }
  /// The first so many guards are those of surfaces.
  [[nodiscard]] Index num_surface_guards() const noexcept { return num_surface_guards_; }
  void guards(double t, const Eigen::VectorXd& z, double* values);
  void surface_guards(double t, const Eigen::VectorXd& z, double* values);
  [[nodiscard]] std::string guard_name(Index guard) const;
  /// Gradient (n) and rate of a guard that is a surface's; false of others.
  [[nodiscard]] bool surface_slope(Index guard, double t, const Eigen::VectorXd& z, Eigen::VectorXd& slope,
                                   double& by_time);
  /// Of the mode: motions that leave several held surfaces are looked for, and how far they are from being some.
  [[nodiscard]] bool may_leave() const noexcept { return held_.surfaces.size() > 1 && !mode_.others_start; }
  [[nodiscard]] double margin_to_leave(double t, const Eigen::VectorXd& x) {
    evaluate(t, x, held_);
    return -margin_of_others();
  }
  void guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips);
  bool remove_drift(double t, Eigen::VectorXd& z);
  void write(double t, const Eigen::VectorXd& z, State& state);
  [[nodiscard]] Resolution resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                   std::vector<Event>& log);
  void reset();
  /// Thresholds are relative to what is met from here on, in the mode that it has; `reach` names magnitudes of x.
  void forget_magnitudes();
  void reach(const Eigen::VectorXd& magnitudes) { largest_ = largest_.cwiseMax(magnitudes); }
  template <class Memory>
  void remember(Memory& memory) {
    memory(mode_, largest_, last_x_, steepest_);
    if constexpr (Memory::reads) {
      if (!mode_.signs.empty()) activate(mode_);
    }
    for (Guard& guard : guards_) guard.remember(memory);
  }

  [[nodiscard]] const Mode& mode() const noexcept { return mode_; }
  [[nodiscard]] const std::vector<Motion>& others() const noexcept { return others_; }
  /// Where its signs are not those of the mode; by `kind`.
  void list_changes(const Motion& motion, double t, EventKind kind, std::vector<Event>& log) const;
  /// As FirstOrderPart::write_other.
  void write_other(const Motion& motion, Eigen::VectorXd& zdot, Eigen::VectorXd& multipliers) const;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Index z() const noexcept { return z_; }
  [[nodiscard]] const FilippovFields& fields() const noexcept { return *fields_; }
  [[nodiscard]] const std::shared_ptr<const FilippovFields>& shared_fields() const noexcept { return fields_; }

 private:
  struct Guard {
    enum class Kind : unsigned char { Surface, Weight, Lower, Upper, Inner, OneRate, Others } kind = Kind::Surface;
    Index index = 0;  ///< surface; pattern among the held ones; held surface
    double sign = 1.0;
    int zeros = 0;
    double offset = 0.0;

    template <class Memory>
    void remember(Memory& memory) {
      memory(zeros, offset);
    }
  };
  /// A set of surfaces at (t, x), with the fields that meet there.
  struct Meeting {
    std::vector<Index> surfaces;  ///< at most kMostHeld
    std::vector<Index> pattern;   ///< of all surfaces, by pattern of these
    Eigen::MatrixXd N;            ///< gradients, n x kMostHeld
    SurfaceRates w;
    SurfaceVector terms, lengths;
  };

  // Values (filippov_unit.cpp, filippov_guards.cpp, filippov_drift.cpp).
  void gather(const Eigen::VectorXd& z) { x_ = z.segment(z_, fields_->n()); }
  [[nodiscard]] double surface(Index j, double t, const Eigen::VectorXd& x);
  /// Sum of magnitudes that c_j is taken from, |dc/dx| with the largest |x| met.
  [[nodiscard]] double surface_terms(Index j, double t, const Eigen::VectorXd& x);
  void meet(const std::vector<signed char>& signs, Meeting& meeting) const;
  void evaluate(double t, const Eigen::VectorXd& x, Meeting& meeting);
  void evaluate_on(double t, Meeting& meeting);
  /// theta of the mode at the last evaluate(held_); false where there is none.
  bool weights(const Mode& mode, Weights& theta);
  void combine(const Meeting& meeting, const Weights& theta, Eigen::VectorXd& rate) const;
  [[nodiscard]] bool sliding_dz(double t, const Eigen::VectorXd& z, Eigen::MatrixXd& A);
  bool flow(const Mode& mode, double t, const Eigen::VectorXd& x, Eigen::VectorXd& rate);
  void guard_values(double t, const Eigen::VectorXd& x, double* values);
  [[nodiscard]] double spread();
  [[nodiscard]] double margin_of_others() const;
  void project(double t, Eigen::VectorXd& x, const Meeting& meeting, bool at_once);
  void activate(const Mode& mode);
  void make_guards();
  [[nodiscard]] double noise_of_weights() const noexcept { return differences_ ? 1e-9 : 1e-13; }

  // The instant (filippov_instant.cpp): at_ is x there.
  void tell_accumulation(double t, double way, std::vector<Event>& log) const;
  [[nodiscard]] std::vector<signed char> touched(double t, const std::vector<Index>& crossed, bool near);
  [[nodiscard]] std::vector<Motion> find_motions(double t, const std::vector<signed char>& signs);
  void add_motions(double t, const Meeting& all, const std::vector<signed char>& candidate,
                   std::vector<Motion>& motions);
  void add_multi_affine(double t, const Mode& mode, std::vector<Motion>& motions);
  void add_on_faces(double t, const Mode& mode, std::vector<Motion>& motions);
  /// Makes `mode` the present one, and adds it where it goes on from at_.
  bool add_motion(double t, Mode mode, std::vector<Motion>& motions);
  [[nodiscard]] bool stays_on(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& rate);
  [[nodiscard]] bool goes_on(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& rate);
  [[nodiscard]] bool zeros_rise(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& rate,
                                const std::vector<std::size_t>& at_zero);
  [[nodiscard]] double fastest_rate(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& rate);
  void runge_kutta_step(double t, double h, Eigen::VectorXd& x);

  // Several motions (filippov_choice.cpp).
  [[nodiscard]] Resolution choose(double t, std::vector<Motion>& motions, std::vector<Event>& log);
  [[nodiscard]] std::optional<Motion> chosen(double t, const std::vector<Motion>& motions);
  /// OnAmbiguity::ImplicitLimit; none: no motion of the list.
  [[nodiscard]] std::optional<Motion> implicit_limit(double t, const std::vector<Motion>& motions);
  /// True where motions with the same x' are at different places a hundredth of their fastest time later.
  [[nodiscard]] bool part_later(double t, const std::vector<Motion>& motions);
  [[nodiscard]] bool same_rate(const Motion& one, const Motion& other) const;
  [[nodiscard]] std::string text_of(const Motion& motion) const;
  [[nodiscard]] std::string text_of(const std::vector<signed char>& signs) const;
  [[nodiscard]] std::string text_of_state() const;

  std::shared_ptr<const FilippovFields> fields_;
  std::string name_;
  InteractionHandle handle_;
  Index z_;
  Place place_;
  double smallest_size_;  ///< of a coordinate: absolute / relative tolerance
  EventThresholds thresholds_;
  OnAmbiguity on_ambiguity_;
  std::function<Index(const std::vector<OtherMotion>&)> choose_;
  bool differences_ = false;  ///< some gradient is not given
  TimeWindow window_;
  Eigen::VectorXd input_;

  Mode mode_;
  std::vector<Guard> guards_;
  Index num_surface_guards_ = 0;
  Meeting held_;
  HullSlice slice_, part_;
  Eigen::VectorXd largest_, last_x_, steepest_;  ///< |x|; x after the last step; gradients, by surface
  std::vector<Motion> others_;
  std::string refusal_;
  std::vector<std::string> tried_;  ///< candidates, and why each is no motion
  std::vector<char> on_, near_;     ///< surfaces that at_ is on; by a threshold above round-off
  Eigen::VectorXd on_terms_;        ///< of their rates, the largest of all fields there
  Mode before_;

  // Scratch.
  Eigen::VectorXd at_, x_, rate_, moved_, k1_, k2_, k3_, k4_, stage_, gradient_, values_;
  Eigen::MatrixXd F_;  ///< fields by region, n x regions
  std::vector<char> known_;
  Weights theta_, other_theta_;
  SurfaceVector alpha_;
  std::vector<Weights> vertices_;
  std::vector<std::uint32_t> masks_;
  Eigen::MatrixXd vertex_rates_, gram_;
  Eigen::VectorXd mu_;
};

/// The interaction by which a system has its fields; null: it has none, or is no FilippovSystem.
[[nodiscard]] const Layout::Interaction* interaction_of_fields(const NonSmoothDynamicalSystem& model,
                                                               const Layout::System& place);

/// Of all FilippovSystems of a model, in the order of its layout. @throws InvalidArgument: one without its fields.
[[nodiscard]] std::vector<FilippovUnit> filippov_units(const NonSmoothDynamicalSystem& model,
                                                       const EventDrivenOptions& options);

}  // namespace nonsmooth::filippov
