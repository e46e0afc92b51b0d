// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include <nonsmooth/numerics/friction/problem.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

namespace nonsmooth::friction {

/// Nonsmooth Gauss-Seidel: one contact after the other takes its exact solution for the present reactions of the
/// others, r_i := P_K(r_i + omega (r_local - r_i)), until the measure is met.
///
/// The local solutions are those of mixed::GaussSeidel (closed form in 2D, one scalar equation in 3D, a semismooth
/// Newton method for Rolling, LU for bilateral blocks). A block without one takes a projected step, a singular
/// bilateral block the least-norm correction, so that any W goes: unsymmetric, singular, with zero diagonal blocks.
///
/// Two things carry the sweeps over where the plain method stands still. On hyperstatic problems the reactions drift
/// for thousands of sweeps along one direction that W hardly sees, until a contact starts to slide: `extrapolate`
/// compares the last two steps over ten sweeps and, where one is a multiple lambda of the other to a fifth, goes
/// lambda / (1 - lambda) steps at once (Aitken), at most to where the first contact changes its mode; a jump after
/// which the sweeps change more than twice as much is taken back. And where the sweeps cycle between modes, omega
/// falls; where they converge it grows (see `relaxation`). `conjugate` takes a third way, for piles in which thousands
/// of sweeps carry a load from contact to contact.
///
/// Converges for symmetric positive definite W without friction; with friction in practice: to 1e-4 within some
/// hundreds of sweeps (thousands for static piles), to 1e-8 within some thousands or, on static piles and on
/// unsymmetric redundant problems, not at all. Cost: a sweep is a product with W, at the speed of memory for large
/// problems, and a local solve a contact of some tens of flops; preparation is worth twenty to thirty sweeps. Source:
/// Jourdan, Alart, Jean 1998 [jourdan1998]; the scalar equation: Bonnefon, Daviet 2011 [bonnefon2011].
struct GaussSeidel {
  /// In which order a sweep visits the contacts.
  enum class Order : unsigned char {
    Natural,  ///< as they come: programs number contacts by body, from the ground up
    /// Contacts that share a body soon after one another: for problems numbered without care. Against the natural order
    /// of a program that numbers from the ground up it saves little: 5264 sweeps to 1e-4 become 4902 on a wall of 12 x
    /// 10 blocks, 2864 become 2064 on 100 balls at rest.
    ReverseCuthillMcKee,
    User,  ///< user_order
  };

  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  Index max_iterations = 100'000;          ///< sweeps, >= 1; one visits each contact once (but see freeze)
  Order order = Order::Natural;
  std::vector<Index> user_order{};  ///< Order::User: a permutation of the blocks; else empty
  bool symmetric = false;           ///< every second sweep goes backward; rarely pays in sweeps
  /// omega in (0, 2), the same for all sweeps; 0: 1 with `conjugate`, else from 1.3, times 1.05 (to at most 1.5) after
  /// a window of sweeps (20 or a twentieth of all up to 100) whose changes fell, times 0.9 (to no less than 0.7) after
  /// one where they did not and the steps had no common direction. 1 with neither `extrapolate` nor `freeze` is the
  /// method of the books.
  double relaxation = 0.0;
  bool extrapolate = true;  ///< see above
  /// Each sweep is followed by a step in the directions of those before, as in Fletcher and Reeves's method of
  /// conjugate gradients, with what the sweep changed, d, for a gradient:
  ///
  ///     beta = |d|^2 / |d before|^2,    r := r + beta p,    p := d + beta p;    where beta > 1: r stays, p := 0.
  ///
  /// omega is 1 where it is chosen here, and no contact is left out of a sweep, as p would move it all the same.
  /// Source: Silcowitz-Hansen, Niebe, Erleben 2010 [silcowitz2010]. A few contacts that change their modes in turn may
  /// keep p going for ever where sweeps alone would end. Where |d|^2 has not fallen by a fifth for 500 sweeps, 200 come
  /// without directions therefore, with `freeze` and omega as without `conjugate` but from 1, then 400, 800, ... each
  /// next time. It pays on piles, walls and towers (docs/benchmarks.md, Piles of bodies in space, has figures); where
  /// most contacts converge early `freeze` may pay as much.
  bool conjugate = false;
  /// A contact whose change is below 1 % of the largest of the last sweep is left out of the next, then of the 2, 4,
  /// ... 32 next ones while that holds; all are visited before a certificate is looked at. Not along conjugate
  /// directions. Saves a third of the time or more on piles of hundreds of contacts, where many are open or converge
  /// early, and nothing on towers.
  bool freeze = true;
  /// Chunks of the order, of some 128 contacts or more, are visited by colours: those of one share no body, so that
  /// several threads sweep at once (below some 2000 contacts too little to gain much; of up to 10^5 contacts there are
  /// 16 chunks, and more than eight threads gain nothing). The colours are used, and the
  /// bits are the same, whatever num_threads is. For an order without care, whose chunks
  /// touch each other all over, the colours are those of single contacts, and sweeps are slower: ReverseCuthillMcKee
  /// helps there.
  bool colored = false;
  int num_threads = 1;      ///< 1 to 4096; above 1 only with `colored`
  Index check_every = 100;  ///< sweeps between two certificates at most (they come earlier where plausible); >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; looked at after each sweep
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and GaussSeidel::validate, for a set that the family does not solve, a
/// user_order that is no permutation of the blocks, and a start of another size than q.
[[nodiscard]] Result solve(const Problem& problem, const GaussSeidel& options);

/// For hot loops: starts from result.r where it has the right size (a warm start, projected on K), else from 0;
/// options.start is not looked at. Keeps the memory and the threads of the call before; with canonical sets (see
/// BlockSet) it allocates nothing while the problem does not grow. Does not validate. With `threads`, parts that W does
/// not couple are swept by themselves, several at once, each until it meets the tolerance on the scale of the whole (at
/// most 1000 times its own) or max_iterations, where the measure is the certificate and the order neither the user's
/// nor coloured: the same bits for any number of threads.
class GaussSeidelWorkspace {
 public:
  GaussSeidelWorkspace();
  ~GaussSeidelWorkspace();
  GaussSeidelWorkspace(GaussSeidelWorkspace&&) noexcept;
  GaussSeidelWorkspace& operator=(GaussSeidelWorkspace&&) noexcept;

  void solve(const Problem& problem, const GaussSeidel& options, Result& result, ThreadPool* threads = nullptr);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth::friction
