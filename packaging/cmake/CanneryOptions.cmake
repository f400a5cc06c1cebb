# SPDX-License-Identifier: Apache-2.0
# Options for all targets.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CANNERY_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
option(CANNERY_TOGETHER "Compile several files at once" OFF)
option(CANNERY_FUZZ "Let libFuzzer see which branches were taken, and build its targets (clang)" OFF)
set(CANNERY_ENGINE_ARCH "x86-64-v3" CACHE STRING "Instruction set level of the engine")
if(NOT CANNERY_ENGINE_ARCH MATCHES "^x86-64-v[34]$")
  # For the files that ask for the processor, which are not compiled for it.
  add_compile_definitions(CANNERY_RUNS_ANYWHERE)
endif()

# cannery_compile_options(<options...>)
# For all targets, in C and C++: nvcc takes none of them.
function(cannery_compile_options)
  foreach(option IN LISTS ARGN)
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:${option}>)
  endforeach()
endfunction()

find_program(CANNERY_CCACHE ccache)
if(CANNERY_CCACHE)
  # Required for precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${CANNERY_CCACHE})
  cannery_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
find_program(CANNERY_MOLD mold)
if(CANNERY_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

cannery_compile_options(-Wall -Wextra -Wpedantic -Wno-missing-field-initializers
                        $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
# gcc from 13 on takes every function with an argument and a result by reference for one that returns
# its argument: a row of a catalog found by a temporary key would be reported.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  cannery_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
endif()
# For those who develop Cannery: the presets dev, ci, asan and tsan. A newer compiler's warnings stop
# nobody else's build.
option(CANNERY_WARNINGS_ARE_ERRORS "Stop at a warning" OFF)
if(CANNERY_WARNINGS_ARE_ERRORS)
  cannery_compile_options(-Werror)
  # What follows values through inlined code: from 13 on, gcc also reports an optional that is not
  # read while it is empty. Strict where gcc 12 builds.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    cannery_compile_options(-Wno-error=maybe-uninitialized -Wno-error=array-bounds)
  endif()
endif()

# Bit-identical results must not depend on whether the compiler contracts a product and a sum into
# one operation at a call site.
cannery_compile_options(-ffp-contract=off)

if(CANNERY_SANITIZE)
  cannery_compile_options(-fsanitize=${CANNERY_SANITIZE} -fno-omit-frame-pointer
                          -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CANNERY_SANITIZE})
endif()
if(CANNERY_SANITIZE STREQUAL "thread")
  # With this macro, headers of Protocol Buffers make map fields larger than the system's library,
  # built without it. Our own sources use the other name.
  cannery_compile_options(-U__SANITIZE_THREAD__ -DCANNERY_SANITIZES_THREADS)
endif()
if(CANNERY_FUZZ)
  cannery_compile_options(-fsanitize=fuzzer-no-link)
endif()
