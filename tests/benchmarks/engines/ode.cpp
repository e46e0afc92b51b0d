// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"

#include <cstdarg>

#include <ode/ode.h>
#include <benchmarks/timing.hpp>

namespace engines {
namespace {

constexpr int kMostContacts = 8;  // of a pair

class Ode final : public Engine {
 public:
  Ode(const Scene& scene, Settings settings)
      : step_(scene.step),
        friction_(scene.friction),
        restitution_(scene.restitution),
        exact_(settings == Settings::Accurate) {
    static const bool started = dInitODE2(0) != 0 && dAllocateODEDataForThread(dAllocateMaskAll) != 0;
    (void)started;
    dSetMessageHandler([](int, const char*, va_list) {});  // of its pivots, which are lost now and then
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    guides_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0.0, 0.0, -scene.gravity);
    dWorldSetQuickStepNumIterations(world_, 20);
    for (const auto& [n, offset] : scene.planes) dCreatePlane(space_, n[0], n[1], n[2], offset);
    for (const Body& body : scene.bodies) add(body);
  }
  ~Ode() override {
    dJointGroupDestroy(group_);
    dJointGroupDestroy(guides_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  Ode(const Ode&) = delete;
  Ode& operator=(const Ode&) = delete;

  double step() override {
    const double start = nonsmooth::benchmarks::cpu_seconds();
    contacts_ = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Vector& f = forces_[i];
      if (f != Vector{}) dBodyAddForce(bodies_[i], f[0], f[1], f[2]);
    }
    dSpaceCollide(space_, this,
                  [](void* self, dGeomID one, dGeomID other) { static_cast<Ode*>(self)->collide(one, other); });
    if (exact_)
      dWorldStep(world_, step_);
    else
      dWorldQuickStep(world_, step_);
    dJointGroupEmpty(group_);
    return nonsmooth::benchmarks::cpu_seconds() - start;
  }
  void set_velocity(std::size_t body, const Vector& v) override { dBodySetLinearVel(bodies_[body], v[0], v[1], v[2]); }
  [[nodiscard]] long contacts() const override { return contacts_; }
  [[nodiscard]] Motion motion(std::size_t body) const override {
    const dReal* x = dBodyGetPosition(bodies_[body]);
    const dReal* q = dBodyGetQuaternion(bodies_[body]);
    const dReal* v = dBodyGetLinearVel(bodies_[body]);
    const dReal* w = dBodyGetAngularVel(bodies_[body]);
    return {{{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
  }

 private:
  void add(const Body& description) {
    const auto& [position, q] = description.pose;
    const dBodyID body = dBodyCreate(world_);
    const double length = 2.0 * description.half_length;
    const Vector& half = description.half_extents;
    dMass mass;
    dGeomID geometry = nullptr;
    if (length > 0.0) {
      dMassSetCapsuleTotal(&mass, description.mass, 3, description.radius, length);
      geometry = dCreateCapsule(space_, description.radius, length);
    } else if (description.radius > 0.0) {
      dMassSetSphereTotal(&mass, description.mass, description.radius);
      geometry = dCreateSphere(space_, description.radius);
    } else {
      dMassSetBoxTotal(&mass, description.mass, 2.0 * half[0], 2.0 * half[1], 2.0 * half[2]);
      geometry = dCreateBox(space_, 2.0 * half[0], 2.0 * half[1], 2.0 * half[2]);
    }
    dBodySetMass(body, &mass);
    dGeomSetBody(geometry, body);
    dBodySetPosition(body, position[0], position[1], position[2]);
    const dQuaternion turn = {q[0], q[1], q[2], q[3]};
    dBodySetQuaternion(body, turn);
    if (description.guided) {
      const dJointID guide = dJointCreateSlider(world_, guides_);
      dJointAttach(guide, body, nullptr);
      dJointSetSliderAxis(guide, 1.0, 0.0, 0.0);
    }
    bodies_.push_back(body);
    forces_.push_back(description.force);
  }
  void collide(dGeomID one, dGeomID other) {
    const dBodyID first = dGeomGetBody(one), second = dGeomGetBody(other);
    if (first == nullptr && second == nullptr) return;
    dContact points[kMostContacts] = {};
    const int count = dCollide(one, other, kMostContacts, &points[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      points[i].surface.mode = dContactApprox1;
      points[i].surface.mu = friction_;
      if (restitution_ > 0.0) {
        points[i].surface.mode |= dContactBounce;
        points[i].surface.bounce = restitution_;
        points[i].surface.bounce_vel = 0.01;
      }
      dJointAttach(dJointCreateContact(world_, group_, &points[i]), first, second);
    }
    contacts_ += count;
  }

  double step_, friction_, restitution_;
  bool exact_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_, guides_;  // contacts of a step; guides
  std::vector<dBodyID> bodies_;
  std::vector<Vector> forces_;
  long contacts_ = 0;
};

}  // namespace

std::unique_ptr<Engine> ode(const Scene& scene, Settings settings) { return std::make_unique<Ode>(scene, settings); }

}  // namespace engines
