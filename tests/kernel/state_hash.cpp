// SPDX-License-Identifier: Apache-2.0
// hash_of() takes contacts some at a time: the hash is that of their words one after the other. StateHash takes it of
// copies of the arrays.
#include <array>

#include <gtest/gtest.h>

#include <model/fingerprint/word_hash.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/state_hash.hpp>
#include <nonsmooth/kernel/systems/lagrangian.hpp>

namespace nonsmooth::state_hash_test {
namespace {

State falling_point() {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.q0 = {1.0}, .v0 = {-2.0}, .name = "point"});
  return model.initial_state(0.25);
}

/// Contacts of 1 to 6 rows, every third of them of a sleeper.
void add_contacts(std::size_t count, State& state) {
  for (std::size_t i = 0; i < count; ++i) {
    ContactMemory contact;
    contact.source = static_cast<std::uint32_t>(i % 2);
    contact.feature = 1000 * i + 7;
    contact.rows = static_cast<decltype(contact.rows)>(1 + i % 6);
    for (std::size_t r = 0; r < 6; ++r) contact.impulse[r] = 0.5 + static_cast<double>(6 * i + r);
    if (i % 3 == 0) contact.sleeper = static_cast<decltype(contact.sleeper)>(i);
    state.contacts.push_back(contact);
  }
}

std::uint64_t word_by_word(const State& state) {
  WordHash hash;
  for (const double number : {state.t, state.t_origin, state.grid_step}) hash.add(number);
  hash.add(static_cast<std::uint64_t>(state.k));
  for (const double number : {state.last_step, state.differences_t}) hash.add(number);
  for (const auto* array : {&state.positions, &state.unknowns, &state.outputs, &state.velocities, &state.multipliers,
                            &state.differences, &state.law_memory}) {
    for (const double number : *array) hash.add(number);
  }
  for (const ContactMemory& contact : state.contacts) {
    hash.add(std::uint64_t{contact.source});
    hash.add(contact.feature);
    for (std::size_t r = 0; r < static_cast<std::size_t>(contact.rows); ++r) hash.add(contact.impulse[r]);
    if (contact.sleeper >= 0) hash.add(static_cast<std::uint64_t>(contact.sleeper));
  }
  for (const auto* array : {&state.sleep.island, &state.sleep.rested}) {
    for (const Index number : *array) hash.add(static_cast<std::uint64_t>(number));
  }
  for (const double number : state.sleep.accelerations) hash.add(number);
  for (const auto& pair : state.sleep.touching) {
    for (const Index system : pair) hash.add(static_cast<std::uint64_t>(system));
  }
  return hash.value();
}

TEST(StateHash, IsThatOfItsWordsOneByOne) {
  for (const std::size_t count : {0, 1, 31, 32, 33, 64, 200}) {
    State state = falling_point();
    add_contacts(count, state);
    EXPECT_EQ(hash_of(state), word_by_word(state)) << count << " contacts";
    if (count == 0) continue;
    const std::uint64_t before = hash_of(state);
    state.contacts.back().impulse[0] += 1.0;
    EXPECT_NE(hash_of(state), before) << count << " contacts";
  }
}

/// By a StateHash that was kept of it, and copies of its arrays, while the state is another one.
std::uint64_t of_copies(State state, StateHash& hash) {
  hash.keep(state);
  const std::array<Eigen::VectorXd, 5> copies{state.positions, state.unknowns, state.outputs, state.velocities,
                                              state.multipliers};
  for (auto* array : {&state.positions, &state.unknowns, &state.outputs, &state.velocities, &state.multipliers,
                      &state.differences, &state.law_memory}) {
    array->setConstant(17.0);
  }
  state.contacts.assign(3, {});
  StateHash::Arrays arrays;
  for (std::size_t a = 0; a < arrays.size(); ++a)
    arrays[a] = {copies[a].data(), static_cast<std::size_t>(copies[a].size())};
  return hash.value(arrays);
}

TEST(StateHash, OfCopiesIsThatOfTheState) {
  StateHash hash;  // one for all: it keeps nothing of the state before
  for (const std::size_t count : {0, 200, 1, 33}) {
    for (const Index size : {0, 1, 3, 64, 65, 1000}) {
      for (const double number : {0.0, -0.0, 2.5}) {
        State state = falling_point();
        state.t = 0.75;
        state.t_origin = 0.5;
        state.k = 12;
        state.outputs = Eigen::VectorXd::LinSpaced(size, -1.0, 2.0);
        state.velocities = 3.0 * state.outputs;
        state.multipliers = state.outputs.reverse();
        state.differences = Eigen::VectorXd::Zero(size);
        if (size > 0) state.differences[size - 1] = number;
        state.law_memory = Eigen::VectorXd::Constant(size % 7, 1.5);
        add_contacts(count, state);
        EXPECT_EQ(of_copies(state, hash), word_by_word(state)) << count << ' ' << size << ' ' << number;
        state.sleep.island = {0, -1};
        state.sleep.rested = {3, 4};
        state.sleep.accelerations = Eigen::VectorXd::Constant(size, -9.81);
        state.sleep.touching = {{0, 1}};
        EXPECT_EQ(of_copies(state, hash), word_by_word(state)) << "asleep, " << count << ' ' << size << ' ' << number;
      }
    }
  }
}

}  // namespace
}  // namespace nonsmooth::state_hash_test
