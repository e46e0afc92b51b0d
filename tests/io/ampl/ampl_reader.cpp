// SPDX-License-Identifier: Apache-2.0
// A .nl file by AMPL's library, in a process of its own, which that library ends where a file is wrong.
//
// ampl_reader FILE reads points from its input, n numbers each, and prints with all digits: n, the number of rows and
// of objectives; the bounds of the variables; the sides of the rows; for each row the variable that it complements,
// from 1, or 0; the start; for each objective 1 where it is maximised. Then at each point: every objective, every
// gradient of one, every row, and the Jacobian of the rows, row by row.
//
// ampl_reader FILE hessian: at each point then the second derivatives of the first objective plus sum_i (i + 1) row_i.
// The part of the library that has these falls over some logical operators, and leaves slopes out of some objectives.
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include <asl_pfgh.h>

int main(int count, char** words) {
  if (count < 2) return 2;
  const bool second = count > 2;
  ASL* asl = ASL_alloc(second ? ASL_read_pfgh : ASL_read_fg);
  want_xpi0 = 1;
  FILE* file = jac0dim(words[1], static_cast<ftnlen>(std::string(words[1]).size()));
  std::vector<real> start(static_cast<std::size_t>(n_var), 0.0);
  X0 = start.data();
  if ((second ? pfgh_read(file, 0) : fg_read(file, 0)) != 0) return 1;
  const auto print = [](const real* values, int size) {
    for (int i = 0; i < size; ++i) std::cout << values[i] << '\n';
  };
  std::cout.precision(std::numeric_limits<real>::max_digits10);
  std::cout << n_var << ' ' << n_con << ' ' << n_obj << '\n';
  print(LUv, 2 * n_var);
  print(LUrhs, 2 * n_con);
  for (int i = 0; i < n_con; ++i) std::cout << (cvar != nullptr ? cvar[i] : 0) << '\n';
  print(X0, n_var);
  for (int i = 0; i < n_obj; ++i) std::cout << static_cast<int>(objtype[i]) << '\n';

  std::vector<real> x(static_cast<std::size_t>(n_var)), rows(static_cast<std::size_t>(n_con)),
      gradient(static_cast<std::size_t>(n_var)), entries(static_cast<std::size_t>(nzc)),
      weights(static_cast<std::size_t>(n_con)), ones(static_cast<std::size_t>(n_obj), 0.0);
  for (int i = 0; i < n_con; ++i) weights[static_cast<std::size_t>(i)] = i + 1.0;
  if (n_obj > 0) ones[0] = 1.0;
  std::vector<real> hessian(second ? x.size() * x.size() : 0);
  const auto next = [&x] {
    for (real& entry : x) std::cin >> entry;
    return static_cast<bool>(std::cin);
  };
  while (next()) {
    for (int i = 0; i < n_obj; ++i) {
      const real value = objval(i, x.data(), nullptr);
      print(&value, 1);
    }
    for (int i = 0; i < n_obj; ++i) {
      objgrd(i, x.data(), gradient.data(), nullptr);
      print(gradient.data(), n_var);
    }
    conval(x.data(), rows.data(), nullptr);
    print(rows.data(), n_con);
    jacval(x.data(), entries.data(), nullptr);
    for (int i = 0; i < n_con; ++i) {
      gradient.assign(gradient.size(), 0.0);
      for (const cgrad* term = Cgrad[i]; term != nullptr; term = term->next) {
        gradient[static_cast<std::size_t>(term->varno)] = entries[static_cast<std::size_t>(term->goff)];
      }
      print(gradient.data(), n_var);
    }
    if (second) fullhes(hessian.data(), n_var, -1, ones.data(), weights.data());
    print(hessian.data(), static_cast<int>(hessian.size()));
  }
  ASL_free(&asl);
}
