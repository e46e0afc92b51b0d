// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Core>

#include <nonsmooth/kernel/examination.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What a simulation keeps to notice multipliers that are impulses, and energy from nowhere.
struct RunWatch {
  /// First-order systems that interactions with unbounded multipliers tie together.
  struct Island {
    std::vector<Index> systems, interactions;
    // A step that may have been an impulse: known when the next is made.
    bool pending = false, second = false;       ///< second: two steps may have been
    bool told = false;                          ///< at the end of a run: the step after may raise its size alone
    Index z = -1;                               ///< the unknown that jumped
    double t = 0.0, jump = 0.0, impulse = 0.0;  ///< when, how far, and h |lambda|
    Index interaction = 0, local = 0;           ///< of the multiplier that moved y most
  };
  std::vector<Island> islands;
  Eigen::VectorXd sizes, moved;  ///< by unknown: largest |z| so far, and how far it went in the last step

  /// First-order systems without inputs under a scheme that dissipation does not follow from, with a storage
  /// x^T P x / 2.
  struct Storage {
    std::vector<Index> systems;
    Index interaction = 0;  ///< the first, for the name
    Eigen::MatrixXd P;
    Eigen::VectorXd before, after, product;
  };
  std::vector<Storage> storages;

  bool mechanics = false;                  ///< the energy of the mechanical systems is looked at
  bool only_falls = false;                 ///< without contacts it does not rise: no stiffness, theta >= 1/2
  Eigen::VectorXd mass, stiffness, force;  ///< by unknown; mass and stiffness of diagonal systems
  Eigen::VectorXd way, mean, product;      ///< scratch, by unknown
  double terms = 0.0;                      ///< largest sizes of the terms of a step's change of energy so far
};

/// Notes `count` steps with it: a new entry, or so many more in the one there is. 0 raises the worst of one there is.
void add_remark(RunRemark::Kind kind, const std::string& subject, double t, double value, RunRemarks& remarks,
                Index count = 1);

}  // namespace nonsmooth
