// SPDX-License-Identifier: Apache-2.0
// bits_examinations FOLDER: what can be said of each model of tests/problems before it runs, a file of rows a model.
#include <exception>
#include <iostream>

#include <problems/named_models.hpp>

#include "examination_rows.hpp"

int main(int argc, char** argv) {
  namespace problems = nonsmooth::problems;
  if (argc != 2) {
    std::cerr << "Usage: bits_examinations FOLDER\n";
    return 2;
  }
  try {
    for (const auto* models : {&problems::mechanical_models(), &problems::bodies_in_space(), &problems::piles(),
                               &problems::waves(), &problems::first_order_models()}) {
      for (const problems::NamedModel& named : *models) {
        nonsmooth::bits::ExaminationRows rows(argv[1], std::string("model-") + named.name);
        rows.add(named.name, named.make().system, 0.0);
      }
    }
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
}
