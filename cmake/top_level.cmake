# SPDX-License-Identifier: Apache-2.0
# What a build of this project on its own wants, and what a parent project decides for itself.

get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT is_multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

# Notes what g++ did for how long in each unit, for cmake/build_times.sh; costs a tenth more, and a cache would tell old times.
option(NONSMOOTH_TIME_REPORT "Have g++ tell how long it parsed, instantiated and optimised each unit" OFF)

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(NONSMOOTH_TIME_REPORT AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/timed_compiler.sh")
elseif(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers need the sloppiness; without the directory in the hash, build folders share their objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_NOHASHDIR=1 "${CCACHE_PROGRAM}")
endif()

# `cmake --build BUILD --target format-check`: nothing is rewritten.
find_program(CLANG_FORMAT_PROGRAM clang-format)
mark_as_advanced(CLANG_FORMAT_PROGRAM)
if(CLANG_FORMAT_PROGRAM)
  set(patterns)
  foreach(folder IN ITEMS numerics kernel io examples tests)
    list(APPEND patterns "${PROJECT_SOURCE_DIR}/${folder}/*.hpp" "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  endforeach()
  file(GLOB_RECURSE formatted_files CONFIGURE_DEPENDS ${patterns})
  if(formatted_files)
    add_custom_target(format-check COMMAND "${CLANG_FORMAT_PROGRAM}" --dry-run -Werror ${formatted_files} VERBATIM)
  endif()
endif()
