// SPDX-License-Identifier: Apache-2.0
// Counts SuiteSparse's orderings and factorisations of a whole program, by standing before its functions. Included by
// one source of a program.
#pragma once

#include <dlfcn.h>

namespace nonsmooth::test {

/// Of all threads; programs that look have one.
struct SuiteSparseCalls {
  long long orderings = 0, factorisations = 0;
};
inline SuiteSparseCalls suitesparse_calls;  // NOLINT: what is counted is of the program

/// The library's function of that name, which those below stand before.
template <class Function>
Function* next_symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));  // NOLINT: what dlsym is for
}

}  // namespace nonsmooth::test

extern "C" {

void* cholmod_analyze(void* A, void* common) {
  ++nonsmooth::test::suitesparse_calls.orderings;
  static const auto original = nonsmooth::test::next_symbol<void*(void*, void*)>("cholmod_analyze");
  return original(A, common);
}
int cholmod_factorize(void* A, void* L, void* common) {
  ++nonsmooth::test::suitesparse_calls.factorisations;
  static const auto original = nonsmooth::test::next_symbol<int(void*, void*, void*)>("cholmod_factorize");
  return original(A, L, common);
}
void* klu_analyze(int n, int* columns, int* rows, void* common) {
  ++nonsmooth::test::suitesparse_calls.orderings;
  static const auto original = nonsmooth::test::next_symbol<void*(int, int*, int*, void*)>("klu_analyze");
  return original(n, columns, rows, common);
}
void* klu_factor(int* columns, int* rows, double* values, void* symbolic, void* common) {
  ++nonsmooth::test::suitesparse_calls.factorisations;
  static const auto original = nonsmooth::test::next_symbol<void*(int*, int*, double*, void*, void*)>("klu_factor");
  return original(columns, rows, values, symbolic, common);
}

}  // extern "C"
