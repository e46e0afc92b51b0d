# SPDX-License-Identifier: Apache-2.0

# Flags of every target we compile ourselves; they stay private, so users keep their own.
# -ffp-contract=off: a fused multiply-add in one build and not in another would change bits. Never -ffast-math: NaN and
# infinity carry meaning here.
function(nonsmooth_compile_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                           $<$<BOOL:${NONSMOOTH_WARNINGS_AS_ERRORS}>:-Werror>)
  # g++ 12 sees overflows in inlined std::string and std::vector code that are not there (GCC PR 105329, 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
  endif()
endfunction()

# Library nonsmooth_<name> from <name>/include/**.hpp and <name>/src/**.cpp, with alias, export and install.
# The lists are globbed (CONFIGURE_DEPENDS): one algorithm is one file pair, and adding it edits no list.
function(nonsmooth_add_library name)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/include/*.hpp")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp"
                                              "${CMAKE_CURRENT_SOURCE_DIR}/src/*.hpp")
  set(target nonsmooth_${name})
  add_library(${target})
  add_library(Nonsmooth::${name} ALIAS ${target})
  target_sources(${target}
    PRIVATE ${sources}
    PUBLIC FILE_SET HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include" FILES ${headers})
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  target_compile_features(${target} PUBLIC cxx_std_20)
  nonsmooth_compile_options(${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    VERIFY_INTERFACE_HEADER_SETS ON  # target all_verify_interface_header_sets: each public header compiles alone
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS ${target} EXPORT Nonsmooth_${name}
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${name}
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${name}
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${name}
    FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT ${name})
endfunction()
