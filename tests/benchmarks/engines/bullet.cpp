// SPDX-License-Identifier: Apache-2.0
// A shared object that bullet_process.cpp opens, one for each precision of Bullet.
#include "engines.hpp"

#include <cmath>

#include <btBulletDynamicsCommon.h>
#include <benchmarks/timing.hpp>

namespace engines {
namespace {

btVector3 vector_of(const Vector& x) { return {btScalar(x[0]), btScalar(x[1]), btScalar(x[2])}; }
Vector vector_of(const btVector3& x) { return {x.x(), x.y(), x.z()}; }

/// The turn of z to a normal.
Pose looking_along(const Vector& n) {
  const double w = std::sqrt(0.5 * (1.0 + n[2]));
  if (w < 1e-9) return {{}, {0.0, 1.0, 0.0, 0.0}};
  return {{}, {w, -0.5 * n[1] / w, 0.5 * n[0] / w, 0.0}};
}

class Bullet final : public Engine {
 public:
  Bullet(const Scene& scene, Settings settings)
      : dispatcher_(&configuration_), world_(&dispatcher_, &broad_phase_, &solver_, &configuration_), scene_(scene) {
    world_.setGravity({0, 0, btScalar(-scene.gravity)});
    const bool accurate = settings == Settings::Accurate;
    btContactSolverInfo& info = world_.getSolverInfo();
    info.m_numIterations = accurate ? 200 : 10;
    if (accurate) {
      info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
      info.m_leastSquaresResidualThreshold = 0;
      if (scene.restitution > 0.0) info.m_splitImpulsePenetrationThreshold = 0;
    }
    for (const auto& [n, offset] : scene.planes) {
      Pose pose;
      if (accurate) {
        constexpr double half_width = 10.0, half_height = 1.0;
        pose = looking_along(n);
        for (std::size_t i = 0; i < 3; ++i) pose.position[i] = (offset - half_height) * n[i];
        shapes_.push_back(std::make_unique<btBoxShape>(vector_of(Vector{half_width, half_width, half_height})));
      } else {
        shapes_.push_back(std::make_unique<btStaticPlaneShape>(vector_of(n), btScalar(offset)));
      }
      add(0.0, pose);
    }
    first_ = bodies_.size();
    for (const Body& body : scene.bodies) {
      if (body.half_length > 0.0)
        shapes_.push_back(std::make_unique<btCapsuleShapeZ>(btScalar(body.radius), btScalar(2.0 * body.half_length)));
      else if (body.radius > 0.0)
        shapes_.push_back(std::make_unique<btSphereShape>(btScalar(body.radius)));
      else
        shapes_.push_back(std::make_unique<btBoxShape>(vector_of(body.half_extents)));
      add(body.mass, body.pose);
      if (accurate && scene.restitution > 0.0) bodies_.back()->setContactProcessingThreshold(0);
      if (body.guided) {
        bodies_.back()->setLinearFactor({1, 0, 0});
        bodies_.back()->setAngularFactor(btScalar(0));
      }
    }
  }
  ~Bullet() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  Bullet(const Bullet&) = delete;
  Bullet& operator=(const Bullet&) = delete;

  double step() override {
    const double start = nonsmooth::benchmarks::cpu_seconds();
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const Vector& force = scene_.bodies[i].force;
      if (force != Vector{}) bodies_[first_ + i]->applyCentralForce(vector_of(force));
    }
    world_.stepSimulation(btScalar(scene_.step), 0);
    return nonsmooth::benchmarks::cpu_seconds() - start;
  }
  void set_velocity(std::size_t body, const Vector& v) override {
    bodies_[first_ + body]->setLinearVelocity(vector_of(v));
  }
  [[nodiscard]] long contacts() const override {
    long count = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const auto* manifold = const_cast<btCollisionDispatcher&>(dispatcher_).getManifoldByIndexInternal(i);
      count += manifold->getNumContacts();
    }
    return count;
  }
  [[nodiscard]] Motion motion(std::size_t body) const override {
    const btRigidBody& of = *bodies_[first_ + body];
    const btTransform& at = of.getWorldTransform();
    const btQuaternion q = at.getRotation();
    return {{vector_of(at.getOrigin()), {q.w(), q.x(), q.y(), q.z()}},
            vector_of(of.getLinearVelocity()),
            vector_of(of.getAngularVelocity())};
  }

 private:
  /// A body of the shape that was made last.
  void add(double mass, const Pose& pose) {
    btCollisionShape& shape = *shapes_.back();
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0) shape.calculateLocalInertia(btScalar(mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo about(btScalar(mass), nullptr, &shape, inertia);
    const auto& q = pose.orientation;
    about.m_startWorldTransform = btTransform(
        btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])), vector_of(pose.position));
    about.m_friction = btScalar(std::sqrt(scene_.friction));  // a pair has the product
    about.m_restitution = btScalar(std::sqrt(scene_.restitution));
    bodies_.push_back(std::make_unique<btRigidBody>(about));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  Scene scene_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::size_t first_ = 0;
};

/// A box, a ball or a capsule at its place.
class Placed {
 public:
  Placed(const Body& body, bool hulls) {
    if (body.half_length > 0.0) {
      shape_ = std::make_unique<btCapsuleShapeZ>(btScalar(body.radius), btScalar(2.0 * body.half_length));
    } else if (body.radius > 0.0) {
      shape_ = std::make_unique<btSphereShape>(btScalar(body.radius));
    } else if (hulls) {
      auto hull = std::make_unique<btConvexHullShape>();
      for (int corner = 0; corner < 8; ++corner) {
        const auto side = [&](int axis) { return (corner >> axis & 1) != 0 ? 1.0 : -1.0; };
        const Vector& half = body.half_extents;
        hull->addPoint(vector_of(Vector{side(0) * half[0], side(1) * half[1], side(2) * half[2]}));
      }
      hull->setMargin(0);
      shape_ = std::move(hull);
    } else {
      shape_ = std::make_unique<btBoxShape>(vector_of(body.half_extents));
    }
    object_.setCollisionShape(shape_.get());
    const auto& q = body.pose.orientation;
    object_.setWorldTransform(btTransform(btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])),
                                          vector_of(body.pose.position)));
  }
  btCollisionObject& object() { return object_; }

 private:
  std::unique_ptr<btCollisionShape> shape_;
  btCollisionObject object_;
};

struct Nearest final : btCollisionWorld::ContactResultCallback {
  Contact contact{std::nan(""), 0, 0.0};

  btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper*, int, int,
                           const btCollisionObjectWrapper*, int, int) override {
    contact.gap = std::fmin(contact.gap, double(point.getDistance()));
    ++contact.points;
    return 0;
  }
};

}  // namespace

extern "C" void find_bullet_contact(const Body* first, const Body* second, bool hulls, Contact* result) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broad_phase;
  btCollisionWorld world(&dispatcher, &broad_phase, &configuration);
  Placed a(*first, hulls), b(*second, hulls);
  constexpr int searches = 1000;
  const double start = nonsmooth::benchmarks::cpu_seconds();
  for (int k = 0; k < searches; ++k) {
    Nearest nearest;
    nearest.m_closestDistanceThreshold = 1;
    world.contactPairTest(&a.object(), &b.object(), nearest);
    *result = nearest.contact;
  }
  result->seconds = (nonsmooth::benchmarks::cpu_seconds() - start) / searches;
}

extern "C" Engine* make_bullet(const Scene* scene, Settings settings) { return new Bullet(*scene, settings); }

}  // namespace engines
