# SPDX-License-Identifier: Apache-2.0
# What an installed copy needs to be found: CMake package files and pkg-config files, one component per library.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Nonsmooth")

list(JOIN NONSMOOTH_PRECOMPILED_HEADERS " " PACKAGE_PRECOMPILED_HEADERS)
configure_package_config_file(cmake/NonsmoothConfig.cmake.in "${PROJECT_BINARY_DIR}/NonsmoothConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/NonsmoothConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/NonsmoothConfig.cmake" "${PROJECT_BINARY_DIR}/NonsmoothConfigVersion.cmake"
        DESTINATION "${package_dir}" COMPONENT numerics)
install(FILES cmake/modules/FindLAPACKE.cmake cmake/modules/FindSuiteSparse.cmake
        DESTINATION "${package_dir}/modules" COMPONENT numerics)
if(NONSMOOTH_BUILD_IO)
  install(FILES cmake/modules/FindHDF5C.cmake DESTINATION "${package_dir}/modules" COMPONENT io)
endif()

# pkg-config: the prefix is relative to the .pc file, so an installed tree may be moved.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "/prefix" OUTPUT_VARIABLE pc_folder)
cmake_path(APPEND pc_folder pkgconfig)
set(pc_prefix "/prefix")
cmake_path(RELATIVE_PATH pc_prefix BASE_DIRECTORY "${pc_folder}" OUTPUT_VARIABLE PC_RELATIVE_PREFIX)

set(PC_numerics_DESCRIPTION "complementarity and friction problems, solvers, block-sparse linear algebra")
set(PC_numerics_REQUIRES "eigen3 >= 3.4")
set(PC_numerics_PRIVATE "-lklu -lbtf -lcholmod -lamd -lcolamd -lsuitesparseconfig -llapacke -lopenblas -pthread")
if(NONSMOOTH_WITH_GPL)
  string(PREPEND PC_numerics_PRIVATE "-lumfpack -lspqr ")
endif()
set(PC_kernel_DESCRIPTION "systems, relations, laws, integrators and simulations of nonsmooth dynamics")
set(PC_kernel_REQUIRES "nonsmooth-numerics = ${PROJECT_VERSION}")
list(JOIN NONSMOOTH_SUNDIALS_LIBRARIES " " PC_kernel_PRIVATE)
set(PC_io_DESCRIPTION "problem files, recorders, plots and progress of nonsmooth simulations")
set(PC_io_REQUIRES "nonsmooth-kernel = ${PROJECT_VERSION}")
set(PC_io_PRIVATE "${HDF5C_LIBRARY} -lz")  # a path: Debian has a serial and a parallel HDF5

foreach(PC_NAME IN ITEMS numerics kernel io)
  if(NOT TARGET nonsmooth_${PC_NAME})
    continue()
  endif()
  install(EXPORT Nonsmooth_${PC_NAME} NAMESPACE Nonsmooth:: FILE Nonsmooth_${PC_NAME}.cmake
          DESTINATION "${package_dir}" COMPONENT ${PC_NAME})
  # A static library hands its own needs to whoever links it; a shared one keeps them.
  get_target_property(type nonsmooth_${PC_NAME} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    set(PC_LIBS "-lnonsmooth_${PC_NAME} ${PC_${PC_NAME}_PRIVATE}")
    set(PC_LIBS_PRIVATE "")
  else()
    set(PC_LIBS "-lnonsmooth_${PC_NAME}")
    set(PC_LIBS_PRIVATE "${PC_${PC_NAME}_PRIVATE}")
  endif()
  set(PC_DESCRIPTION "${PC_${PC_NAME}_DESCRIPTION}")
  set(PC_REQUIRES "${PC_${PC_NAME}_REQUIRES}")
  configure_file(cmake/nonsmooth.pc.in "${PROJECT_BINARY_DIR}/nonsmooth-${PC_NAME}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/nonsmooth-${PC_NAME}.pc"
          DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT ${PC_NAME})
endforeach()
