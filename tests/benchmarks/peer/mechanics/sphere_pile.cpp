// SPDX-License-Identifier: Apache-2.0
// Siconos's mechanics with Bullet's detection of contacts, set up as its own examples of granular matter are.
#include <SiconosBulletCollisionManager.hpp>  // first: it says which classes the visitors of the kernel know

#include <RigidBodyDS.hpp>
#include <SiconosContactor.hpp>
#include <SiconosShape.hpp>

#include <cmath>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SiconosKernel.hpp>

#include <benchmarks/peer/sphere_pile.hpp>
#include <benchmarks/peer/values.hpp>

namespace peer {
namespace {

class Pile final : public SpherePile {
 public:
  Pile(const Balls& balls, int sweeps)
      : model_(std::make_shared<NonSmoothDynamicalSystem>(0.0, 1e6 * balls.step)),
        problem_(std::make_shared<FrictionContact>(3)),
        simulation_(std::make_shared<TimeStepping>(model_, std::make_shared<TimeDiscretisation>(0.0, balls.step))) {
    for (std::size_t i = 0; i < balls.positions.size(); ++i) add(balls, i);
    SolverOptions& options = *problem_->numericsSolverOptions();
    options.iparam[SICONOS_IPARAM_MAX_ITER] = sweeps;
    options.dparam[SICONOS_DPARAM_TOL] = balls.tolerance;
    problem_->setMStorageType(NM_SPARSE_BLOCK);
    problem_->setMaxSize(static_cast<unsigned>(30 * balls.positions.size()));
    problem_->setNumericsVerboseMode(false);
    problem_->setKeepLambdaAndYState(true);
    simulation_->insertIntegrator(std::make_shared<MoreauJeanOSI>(0.5));
    simulation_->insertNonSmoothProblem(problem_);
    simulation_->setNewtonOptions(SICONOS_TS_LINEAR);
    simulation_->setNewtonMaxIteration(1);
    simulation_->setCheckSolverFunction([](int, Simulation*) {});  // it would end the program
    SiconosBulletOptions one_point;  // of a ball and a wall: it would look for several by turning them a little
    one_point.perturbationIterations = 0;
    one_point.minimumPointsPerturbationThreshold = 0;
    const auto contacts = std::make_shared<SiconosBulletCollisionManager>(one_point);
    simulation_->insertInteractionManager(contacts);
    contacts->useEqualityConstraints(false);  // there are no joints to look for, contact by contact
    add_walls(balls, *contacts);
    contacts->insertNonSmoothLaw(std::make_shared<NewtonImpactFrictionNSL>(0.0, 0.0, balls.friction, 3), 0, 0);
    simulation_->initialize();
  }

  void step() override {
    if (started_) simulation_->nextStep();
    started_ = true;
    simulation_->computeOneStep();
  }
  [[nodiscard]] Answer answer() const override {
    const SP::FrictionContactProblem problem = problem_->frictionContactProblem();
    const auto contacts = static_cast<std::size_t>(problem->numberOfContacts);
    Answer answer;
    answer.mu.assign(problem->mu, problem->mu + contacts);
    answer.q.assign(problem->q, problem->q + 3 * contacts);
    answer.r.assign(problem_->z()->getArray(), problem_->z()->getArray() + 3 * contacts);
    answer.u = answer.q;
    if (contacts > 0) NM_gemv(1.0, problem->M, answer.r.data(), 1.0, answer.u.data());
    return answer;
  }
  [[nodiscard]] std::array<double, 3> position(std::size_t ball) const override {
    const SiconosVector& q = *balls_[ball]->q();
    return {q.getValue(0), q.getValue(1), q.getValue(2)};
  }

 private:
  void add(const Balls& balls, std::size_t i) {
    const auto& x = balls.positions[i];
    const auto& Q = balls.orientations[i];
    const auto& v = balls.velocities[i];
    const auto& w = balls.spins[i];
    auto inertia = std::make_shared<SimpleMatrix>(3, 3);
    inertia->eye();
    *inertia *= 0.4 * balls.mass * balls.radius * balls.radius;
    balls_.push_back(std::make_shared<RigidBodyDS>(vector_of({x[0], x[1], x[2], Q[0], Q[1], Q[2], Q[3]}),
                                                   vector_of({v[0], v[1], v[2], w[0], w[1], w[2]}), balls.mass,
                                                   inertia));
    auto contactors = std::make_shared<SiconosContactorSet>();
    contactors->push_back(
        std::make_shared<SiconosContactor>(std::make_shared<SiconosSphere>(static_cast<float>(balls.radius))));
    balls_.back()->setContactors(contactors);
    balls_.back()->setFExtPtr(vector_of({0.0, 0.0, -balls.mass * balls.gravity}));
    model_->insertDynamicalSystem(balls_.back());
  }
  /// As boxes: planes are hulls of 2 km here, and single precision is too little for them.
  static void add_walls(const Balls& balls, SiconosBulletCollisionManager& contacts) {
    constexpr double width = 4.0, thickness = 1.0;
    const double beyond = balls.half_width + 0.5 * thickness;
    const auto add_box = [&](double x, double y, double z, double size_x, double size_y, double size_z) {
      auto wall = std::make_shared<SiconosContactorSet>();
      wall->push_back(std::make_shared<SiconosContactor>(std::make_shared<SiconosBox>(size_x, size_y, size_z)));
      contacts.insertStaticContactorSet(wall, vector_of({x, y, z, 1.0, 0.0, 0.0, 0.0}));
    };
    add_box(0.0, 0.0, -0.5 * thickness, width, width, thickness);
    for (const double side : {-1.0, 1.0}) {
      add_box(side * beyond, 0.0, 0.5 * width, thickness, width, 2.0 * width);
      add_box(0.0, side * beyond, 0.5 * width, width, thickness, 2.0 * width);
    }
  }

  SP::NonSmoothDynamicalSystem model_;
  std::shared_ptr<FrictionContact> problem_;
  SP::TimeStepping simulation_;
  std::vector<std::shared_ptr<RigidBodyDS>> balls_;
  bool started_ = false;  // the end of a step is the state of the next: answers are read in between
};

}  // namespace

std::unique_ptr<SpherePile> sphere_pile(const Balls& balls, int sweeps) {
  return std::make_unique<Pile>(balls, sweeps);
}

}  // namespace peer
