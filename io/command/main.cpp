// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "command.hpp"

int main(int argc, char** argv) {
  return nonsmooth::command::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), std::cout,
                                 std::cerr);
}
