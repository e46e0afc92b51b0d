// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"

#include <cmath>

#include <btBulletDynamicsCommon.h>

namespace engines {
namespace {

btVector3 vector_of(const Vector& x) { return {btScalar(x[0]), btScalar(x[1]), btScalar(x[2])}; }

class Bullet final : public Engine {
 public:
  Bullet(const Drop& drop, int iterations)
      : dispatcher_(&configuration_), world_(&dispatcher_, &broad_phase_, &solver_, &configuration_), step_(drop.step) {
    world_.setGravity({0, 0, btScalar(-drop.gravity)});
    world_.getSolverInfo().m_numIterations = iterations;
    for (const Vector& n : {Vector{0.0, 0.0, 1.0}, Vector{1.0, 0.0, 0.0}, Vector{-1.0, 0.0, 0.0}, Vector{0.0, 1.0, 0.0},
                            Vector{0.0, -1.0, 0.0}}) {
      shapes_.push_back(std::make_unique<btStaticPlaneShape>(vector_of(n), btScalar(n[2] > 0 ? 0 : -drop.half_width)));
      add(*shapes_.back(), 0.0, Pose{}, drop.friction);
    }
    if (drop.radius > 0.0)
      shapes_.push_back(std::make_unique<btSphereShape>(btScalar(drop.radius)));
    else
      shapes_.push_back(std::make_unique<btBoxShape>(vector_of(drop.half_extents)));
    first_ = bodies_.size();
    for (const Pose& pose : drop.poses) add(*shapes_.back(), drop.mass, pose, drop.friction);
  }
  ~Bullet() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  Bullet(const Bullet&) = delete;
  Bullet& operator=(const Bullet&) = delete;

  void step() override { world_.stepSimulation(btScalar(step_), 0); }
  [[nodiscard]] long contacts() const override {
    long count = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const auto* manifold = const_cast<btCollisionDispatcher&>(dispatcher_).getManifoldByIndexInternal(i);
      count += manifold->getNumContacts();
    }
    return count;
  }
  [[nodiscard]] Pose pose(std::size_t body) const override {
    const btTransform& at = bodies_[first_ + body]->getWorldTransform();
    const btVector3& x = at.getOrigin();
    const btQuaternion q = at.getRotation();
    return {{x.x(), x.y(), x.z()}, {q.w(), q.x(), q.y(), q.z()}};
  }

 private:
  void add(btCollisionShape& shape, double mass, const Pose& pose, double friction) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0) shape.calculateLocalInertia(btScalar(mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo about(btScalar(mass), nullptr, &shape, inertia);
    const auto& q = pose.orientation;
    about.m_startWorldTransform = btTransform(
        btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])), vector_of(pose.position));
    about.m_friction = btScalar(std::sqrt(friction));  // a pair has the product
    about.m_restitution = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(about));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::size_t first_ = 0;
  double step_;
};

}  // namespace

std::unique_ptr<Engine> bullet(const Drop& drop, int iterations) { return std::make_unique<Bullet>(drop, iterations); }

}  // namespace engines
