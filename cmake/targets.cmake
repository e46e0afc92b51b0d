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

# Batches halve the time of a whole build, and a changed file costs its batch: presets for development go without. What
# compiles each file with its own includes only, and so keeps them honest, is the preset fuzz, which has
# CMAKE_DISABLE_PRECOMPILE_HEADERS too.
option(NONSMOOTH_BATCHES "Compile several sources of a folder as one unit" ON)
file(WRITE "${PROJECT_BINARY_DIR}/unit_sizes.txt" "")

# nonsmooth_batch_sources(<target> <bytes> [<folder> <bytes>]...): one object file a batch: files of one folder, up to so
# many bytes of source, so that no batch takes above 20 s; fewer in folders that are named, as Eigen's decompositions take
# more time a byte.
function(nonsmooth_batch_sources target bytes)
  if(NOT NONSMOOTH_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  set(folder_before)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    file(SIZE "${path}" size)
    math(EXPR total "${total} + ${size}")
    if(NOT folder STREQUAL folder_before OR total GREATER limit)
      if(NOT folder STREQUAL folder_before)
        cmake_path(GET folder FILENAME name)
        set(limit ${bytes})
        list(FIND ARGN "${name}" position)
        if(position GREATER -1)
          math(EXPR position "${position} + 1")
          list(GET ARGN ${position} limit)
        endif()
      endif()
      math(EXPR last_of_${name} "0${last_of_${name}} + 1")
      set(total ${size})
      set(folder_before "${folder}")
    endif()
    set(batch "${name}_${last_of_${name}}")
    set_source_files_properties("${path}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${batch}")
    list(APPEND batches "${batch}")
    math(EXPR bytes_of_${batch} "0${bytes_of_${batch}} + ${size} * ${bytes} / ${limit}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # What build_with_progress (cmake/progress.sh) takes for the work of a batch.
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_BINARY_DIR BASE_DIRECTORY "${PROJECT_BINARY_DIR}" OUTPUT_VARIABLE folder)
  list(REMOVE_DUPLICATES batches)
  foreach(batch IN LISTS batches)
    file(APPEND "${PROJECT_BINARY_DIR}/unit_sizes.txt"
         "${folder}/CMakeFiles/${target}.dir/Unity/unity_${batch}_cxx.cxx.o ${bytes_of_${batch}}\n")
  endforeach()
endfunction()

# nonsmooth_precompiled_set(<set> HEADERS <headers> LIBRARIES <libraries> OPTIONS <flags>): third-party and standard headers
# only, which change with the compiler, not with us. nonsmooth_precompile(<target> <set>): uses them; the target has the
# set's flags.
function(nonsmooth_precompiled_set set)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES;OPTIONS")
  set(target nonsmooth_precompiled_${set})
  file(CONFIGURE OUTPUT precompiled_${set}.cpp CONTENT "// Only its precompiled header is used.\n")
  add_library(${target} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/precompiled_${set}.cpp")
  nonsmooth_compile_options(${target})
  # ccache reads precompiled headers only when gcc keeps their #include in the preprocessed text.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> ${arg_OPTIONS})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

function(nonsmooth_precompile target set)
  if(TARGET nonsmooth_precompiled_${set})
    target_precompile_headers(${target} REUSE_FROM nonsmooth_precompiled_${set})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
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
  # numerics/internal: what the three libraries share and do not install.
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/numerics/internal")
  target_compile_features(${target} PUBLIC cxx_std_20)
  nonsmooth_compile_options(${target})
  nonsmooth_batch_sources(${target} 45000 linear_algebra 18000)
  nonsmooth_precompile(${target} libraries)
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
