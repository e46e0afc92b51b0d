# SPDX-License-Identifier: Apache-2.0
# Fails unless the program prints every line that its README says it prints: those of the first fenced block below "What it
# prints".  cmake -DPROGRAM=... -DREADME=... -P readme_output.cmake
cmake_minimum_required(VERSION 3.25)
file(READ "${README}" text)
string(REGEX MATCH "What it prints[^`]*```text\n([^`]+)```" block "${text}")
if(NOT block)
  message(FATAL_ERROR "${README}: no block of text below \"What it prints\"")
endif()
string(REPLACE "\n" ";" lines "${CMAKE_MATCH_1}")
execute_process(COMMAND "${PROGRAM}" --check OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
foreach(line IN LISTS lines)
  string(FIND "\n${printed}" "\n${line}\n" place)
  if(line AND place EQUAL -1)
    message(SEND_ERROR "${README}: the program does not print \"${line}\", but\n${printed}")
  endif()
endforeach()
