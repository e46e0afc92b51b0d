# SPDX-License-Identifier: Apache-2.0
# LAPACKE with OpenBLAS. Gives the target LAPACKE::LAPACKE.
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke)
find_library(LAPACKE_LIBRARY lapacke)
find_library(OPENBLAS_LIBRARY openblas)
mark_as_advanced(LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY OPENBLAS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE
  REQUIRED_VARS LAPACKE_LIBRARY OPENBLAS_LIBRARY LAPACKE_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian and Ubuntu: apt-get install liblapacke-dev libopenblas-dev")

if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE UNKNOWN IMPORTED)
  set_target_properties(LAPACKE::LAPACKE PROPERTIES
    IMPORTED_LOCATION "${LAPACKE_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LAPACKE_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${OPENBLAS_LIBRARY}")
endif()
