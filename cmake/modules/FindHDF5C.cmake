# SPDX-License-Identifier: Apache-2.0
# The C library of HDF5, serial. Gives the target HDF5C::HDF5C. CMake's own FindHDF5 compiles a C program, which a
# project of C++ alone cannot.
find_path(HDF5C_INCLUDE_DIR hdf5.h HINTS "${HDF5_ROOT}" ENV HDF5_ROOT PATH_SUFFIXES include include/hdf5/serial hdf5/serial)
find_library(HDF5C_LIBRARY NAMES hdf5_serial hdf5 HINTS "${HDF5_ROOT}" ENV HDF5_ROOT PATH_SUFFIXES lib hdf5/serial)
mark_as_advanced(HDF5C_INCLUDE_DIR HDF5C_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5C
  REQUIRED_VARS HDF5C_LIBRARY HDF5C_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian and Ubuntu: apt-get install libhdf5-dev")

if(HDF5C_FOUND AND NOT TARGET HDF5C::HDF5C)
  add_library(HDF5C::HDF5C UNKNOWN IMPORTED)
  set_target_properties(HDF5C::HDF5C PROPERTIES
    IMPORTED_LOCATION "${HDF5C_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${HDF5C_INCLUDE_DIR}")
endif()
