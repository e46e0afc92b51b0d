# SPDX-License-Identifier: Apache-2.0
# Parts of SuiteSparse by component: Config AMD COLAMD BTF KLU CHOLMOD UMFPACK SPQR. Gives SuiteSparse::<component>.
# A module of our own, because the SuiteSparse 5 of Debian 12 comes without CMake package files.
set(_header_Config SuiteSparse_config.h)
set(_header_AMD amd.h)
set(_header_COLAMD colamd.h)
set(_header_BTF btf.h)
set(_header_KLU klu.h)
set(_header_CHOLMOD cholmod.h)
set(_header_UMFPACK umfpack.h)
set(_header_SPQR SuiteSparseQR.hpp)

set(_library_Config suitesparseconfig)
foreach(_part IN ITEMS AMD COLAMD BTF KLU CHOLMOD UMFPACK SPQR)
  string(TOLOWER ${_part} _library_${_part})
endforeach()

set(_required)
foreach(_part IN LISTS SuiteSparse_FIND_COMPONENTS)
  if(NOT DEFINED _header_${_part})
    message(FATAL_ERROR "FindSuiteSparse: unknown component ${_part}")
  endif()
  find_path(SuiteSparse_${_part}_INCLUDE_DIR ${_header_${_part}} PATH_SUFFIXES suitesparse)
  find_library(SuiteSparse_${_part}_LIBRARY ${_library_${_part}})
  mark_as_advanced(SuiteSparse_${_part}_INCLUDE_DIR SuiteSparse_${_part}_LIBRARY)
  list(APPEND _required SuiteSparse_${_part}_LIBRARY SuiteSparse_${_part}_INCLUDE_DIR)
  if(SuiteSparse_${_part}_LIBRARY AND SuiteSparse_${_part}_INCLUDE_DIR)
    set(SuiteSparse_${_part}_FOUND TRUE)
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SuiteSparse REQUIRED_VARS ${_required} HANDLE_COMPONENTS
  REASON_FAILURE_MESSAGE "Debian and Ubuntu: apt-get install libsuitesparse-dev")

if(SuiteSparse_FOUND)
  foreach(_part IN LISTS SuiteSparse_FIND_COMPONENTS)
    if(NOT TARGET SuiteSparse::${_part})
      add_library(SuiteSparse::${_part} UNKNOWN IMPORTED)
      set_target_properties(SuiteSparse::${_part} PROPERTIES
        IMPORTED_LOCATION "${SuiteSparse_${_part}_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${SuiteSparse_${_part}_INCLUDE_DIR}")
    endif()
  endforeach()
endif()
unset(_part)
unset(_required)
