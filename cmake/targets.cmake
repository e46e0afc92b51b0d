# SPDX-License-Identifier: Apache-2.0

# Flags of every target we compile ourselves; they stay private, so users keep their own.
# -ffp-contract=off: a fused multiply-add in one build and not in another would change bits. Never -ffast-math: NaN and
# infinity carry meaning here.
function(nonsmooth_compile_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                           $<$<BOOL:${NONSMOOTH_WARNINGS_AS_ERRORS}>:-Werror>)
  # g++ collects garbage above 1 GB instead of 128 MB: a tenth less time for a batch, a tenth more memory, the same bits.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
  # g++ 12 sees overflows in inlined std::string and std::vector code that are not there (GCC PR 105329, 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
  endif()
endfunction()

# Batches halve the time of a whole build, and a changed file costs its batch: presets for development go without. What
# compiles each file with its own includes only, and so keeps them honest, is CMAKE_DISABLE_PRECOMPILE_HEADERS beside it,
# which the preset fuzz has for numerics and the readers.
option(NONSMOOTH_BATCHES "Compile several sources of a folder as one unit" ON)
# At 88000 no batch takes above 20 s and 1 GB; at twice that all take 0.83 of the time, where few cores share the batches.
cmake_host_system_information(RESULT nonsmooth_cores QUERY NUMBER_OF_LOGICAL_CORES)
set(nonsmooth_batch_bytes 88000)
if(nonsmooth_cores LESS_EQUAL 4)
  set(nonsmooth_batch_bytes 176000)
endif()
set(NONSMOOTH_BATCH_BYTES ${nonsmooth_batch_bytes} CACHE STRING "Source in a batch of a library, at most")
mark_as_advanced(NONSMOOTH_BATCH_BYTES)
file(WRITE "${PROJECT_BINARY_DIR}/unit_sizes.txt" "")

# nonsmooth_batch_sources(<target> [LARGE] [ALONE <name>...]): one object file a batch: files of one folder, up to
# NONSMOOTH_BATCH_BYTES of source. LARGE: 264000, which tests, most of whose time is Eigen's templates, have in 0.7 of the
# time. Files named stay by themselves: some of Eigen's decompositions take twenty times as long a byte.
function(nonsmooth_batch_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LARGE" "" "ALONE")
  set(bytes ${NONSMOOTH_BATCH_BYTES})
  if(arg_LARGE)
    set(bytes 264000)
  endif()
  if(NOT NONSMOOTH_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    list(APPEND folders "${folder}")
    list(APPEND "in_${folder}" "${path}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_BINARY_DIR BASE_DIRECTORY "${PROJECT_BINARY_DIR}" OUTPUT_VARIABLE binary)
  set(objects "${binary}/CMakeFiles/${target}.dir")
  set(sizes "")  # what build_with_progress (cmake/progress.sh) takes for the work of a unit
  set(names)
  foreach(folder IN LISTS folders)
    cmake_path(GET folder FILENAME name)
    if(name IN_LIST names)  # folders of one name are batches of their own
      cmake_path(GET folder PARENT_PATH parent)
      cmake_path(GET parent FILENAME parent)
      set(name "${parent}_${name}")
    endif()
    list(APPEND names "${name}")
    list(SORT "in_${folder}")
    set(number 0)
    set(total ${bytes})
    foreach(path IN LISTS "in_${folder}")
      file(SIZE "${path}" size)
      cmake_path(GET path STEM file)
      if(file IN_LIST arg_ALONE)
        set_source_files_properties("${path}" TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE relative)
        math(EXPR size "20 * ${size}")
        string(APPEND sizes "${objects}/${relative}.o ${size}\n")
        continue()
      endif()
      math(EXPR total "${total} + ${size}")
      if(total GREATER bytes)
        if(number GREATER 0)
          string(APPEND sizes "${objects}/Unity/unity_${name}_${number}_cxx.cxx.o ${before}\n")
        endif()
        math(EXPR number "${number} + 1")
        set(total ${size})
      endif()
      set(before ${total})
      set_source_files_properties("${path}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${name}_${number}")
    endforeach()
    if(number GREATER 0)
      string(APPEND sizes "${objects}/Unity/unity_${name}_${number}_cxx.cxx.o ${before}\n")
    endif()
  endforeach()
  file(APPEND "${PROJECT_BINARY_DIR}/unit_sizes.txt" "${sizes}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# nonsmooth_precompiled_set(<set> HEADERS <headers> LIBRARIES <libraries> OPTIONS <flags>): third-party and standard headers,
# which change with the compiler, not with us. nonsmooth_precompile(<target> <set>): uses them, with the set's flags (g++
# takes the precompiled header's level of optimisation, whatever its command line says).
function(nonsmooth_precompiled_set set)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES;OPTIONS")
  set(target nonsmooth_precompiled_${set})
  file(CONFIGURE OUTPUT precompiled_${set}.cpp CONTENT "// Only its precompiled header is used.\n")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/precompiled_${set}.cpp")
  nonsmooth_compile_options(${target})
  # ccache reads precompiled headers only when gcc keeps their #include in the preprocessed text.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> ${arg_OPTIONS})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF NONSMOOTH_OPTIONS "${arg_OPTIONS}")
  target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

function(nonsmooth_precompile target set)
  target_precompile_headers(${target} REUSE_FROM nonsmooth_precompiled_${set})
  get_target_property(options nonsmooth_precompiled_${set} NONSMOOTH_OPTIONS)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> ${options})
  get_target_property(code nonsmooth_precompiled_${set} POSITION_INDEPENDENT_CODE)  # a flag that both must share
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ${code})
endfunction()

# nonsmooth_add_library(<name> <set>): library nonsmooth_<name> from <name>/include/**.hpp and <name>/src/**.cpp, with alias,
# export and install, and the set's precompiled headers and flags.
# The lists are globbed (CONFIGURE_DEPENDS): one algorithm is one file pair, and adding it edits no list.
function(nonsmooth_add_library name set)
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
  # A folder, not a target: users of a static library would have to find a target, though no header of ours names Boost.
  target_include_directories(${target} SYSTEM PRIVATE ${Boost_INCLUDE_DIRS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  nonsmooth_compile_options(${target})
  nonsmooth_batch_sources(${target} ALONE orthogonal_factors)
  nonsmooth_precompile(${target} ${set})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS ${target} EXPORT Nonsmooth_${name}
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${name}
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${name}
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${name}
    FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT ${name})
endfunction()
