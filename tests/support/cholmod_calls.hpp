// SPDX-License-Identifier: Apache-2.0
// Counts CHOLMOD's orderings and factorisations of a whole program, by standing before its functions. Included by
// one source of a program.
#pragma once

#include <cstddef>

#include <dlfcn.h>

namespace nonsmooth::test {

/// Of all threads; programs that look have one.
struct CholmodCalls {
  long long orderings = 0, factorisations = 0;
};
inline CholmodCalls cholmod_calls;  // NOLINT: what is counted is of the program

/// The library's function of that name, which those below stand before.
template <class Function>
Function* next_symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));  // NOLINT: what dlsym is for
}

}  // namespace nonsmooth::test

extern "C" {

int cholmod_amd(void* A, int* set, std::size_t size, int* order, void* common) {
  ++nonsmooth::test::cholmod_calls.orderings;
  static const auto original = nonsmooth::test::next_symbol<int(void*, int*, std::size_t, int*, void*)>("cholmod_amd");
  return original(A, set, size, order, common);
}
int cholmod_factorize(void* A, void* L, void* common) {
  ++nonsmooth::test::cholmod_calls.factorisations;
  static const auto original = nonsmooth::test::next_symbol<int(void*, void*, void*)>("cholmod_factorize");
  return original(A, L, common);
}

}  // extern "C"
