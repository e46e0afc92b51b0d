// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"

#include <ode/ode.h>

namespace engines {
namespace {

constexpr int kMostContacts = 8;  // of a pair

class Ode final : public Engine {
 public:
  Ode(const Drop& drop, int iterations) : step_(drop.step), friction_(drop.friction) {
    static const bool started = dInitODE2(0) != 0 && dAllocateODEDataForThread(dAllocateMaskAll) != 0;
    (void)started;
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0.0, 0.0, -drop.gravity);
    dWorldSetQuickStepNumIterations(world_, iterations);
    for (const Vector& n : {Vector{0.0, 0.0, 1.0}, Vector{1.0, 0.0, 0.0}, Vector{-1.0, 0.0, 0.0}, Vector{0.0, 1.0, 0.0},
                            Vector{0.0, -1.0, 0.0}})
      dCreatePlane(space_, n[0], n[1], n[2], n[2] > 0.0 ? 0.0 : -drop.half_width);
    for (const Pose& pose : drop.poses) add(drop, pose);
  }
  ~Ode() override {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  Ode(const Ode&) = delete;
  Ode& operator=(const Ode&) = delete;

  void step() override {
    contacts_ = 0;
    dSpaceCollide(space_, this,
                  [](void* self, dGeomID one, dGeomID other) { static_cast<Ode*>(self)->collide(one, other); });
    dWorldQuickStep(world_, step_);
    dJointGroupEmpty(group_);
  }
  [[nodiscard]] long contacts() const override { return contacts_; }
  [[nodiscard]] Pose pose(std::size_t body) const override {
    const dReal* x = dBodyGetPosition(bodies_[body]);
    const dReal* q = dBodyGetQuaternion(bodies_[body]);
    return {{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}};
  }

 private:
  void add(const Drop& drop, const Pose& pose) {
    const dBodyID body = dBodyCreate(world_);
    const Vector& half = drop.half_extents;
    dMass mass;
    dGeomID geometry = nullptr;
    if (drop.radius > 0.0) {
      dMassSetSphereTotal(&mass, drop.mass, drop.radius);
      geometry = dCreateSphere(space_, drop.radius);
    } else {
      dMassSetBoxTotal(&mass, drop.mass, 2.0 * half[0], 2.0 * half[1], 2.0 * half[2]);
      geometry = dCreateBox(space_, 2.0 * half[0], 2.0 * half[1], 2.0 * half[2]);
    }
    dBodySetMass(body, &mass);
    dGeomSetBody(geometry, body);
    dBodySetPosition(body, pose.position[0], pose.position[1], pose.position[2]);
    const dQuaternion q = {pose.orientation[0], pose.orientation[1], pose.orientation[2], pose.orientation[3]};
    dBodySetQuaternion(body, q);
    bodies_.push_back(body);
  }
  void collide(dGeomID one, dGeomID other) {
    const dBodyID first = dGeomGetBody(one), second = dGeomGetBody(other);
    if (first == nullptr && second == nullptr) return;
    dContact points[kMostContacts] = {};
    const int count = dCollide(one, other, kMostContacts, &points[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      points[i].surface.mode = dContactApprox1;
      points[i].surface.mu = friction_;
      dJointAttach(dJointCreateContact(world_, group_, &points[i]), first, second);
    }
    contacts_ += count;
  }

  double step_, friction_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  std::vector<dBodyID> bodies_;
  long contacts_ = 0;
};

}  // namespace

std::unique_ptr<Engine> ode(const Drop& drop, int iterations) { return std::make_unique<Ode>(drop, iterations); }

}  // namespace engines
