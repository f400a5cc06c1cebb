# SPDX-License-Identifier: Apache-2.0
# The plug-in for NVIDIA GPUs, kernels/cuda: CANNERY_BUILDS_CUDA says whether it is built.
# OFF: CUDA is not looked for. ON: an error if it is missing. AUTO: built where CUDA is.
set(CANNERY_CUDA AUTO CACHE STRING "Build the plug-in for NVIDIA GPUs: ON, OFF or AUTO")
set_property(CACHE CANNERY_CUDA PROPERTY STRINGS AUTO ON OFF)
set(CANNERY_OLDEST_CUDA 12.0)

set(CANNERY_BUILDS_CUDA OFF)
if(CANNERY_CUDA)
  find_package(CUDAToolkit ${CANNERY_OLDEST_CUDA} QUIET)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE AND TARGET CUDA::cublasLt
     AND TARGET CUDA::cudart_static)
    set(CANNERY_BUILDS_CUDA ON)
  elseif(NOT CANNERY_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "CANNERY_CUDA is ON, but the CUDA Toolkit ${CANNERY_OLDEST_CUDA} or later "
      "(nvcc, cudart, cuBLASLt) is not found. Install it, set CUDAToolkit_ROOT to its folder, or "
      "set CANNERY_CUDA to OFF to build without the plug-in for GPUs.")
  else()
    message(STATUS "No CUDA Toolkit: the plug-in for GPUs is not built")
  endif()
endif()

if(CANNERY_BUILDS_CUDA)
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE} CACHE FILEPATH "CUDA compiler")
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER} CACHE FILEPATH "C++ compiler of nvcc")
  # Code for the GPUs of data centres since 2020; the last one also as PTX, for later GPUs.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
  endif()
  if(CANNERY_CCACHE)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CANNERY_CCACHE})
  endif()
  enable_language(CUDA)
  # CMake 3.25 does not know that nvcc takes C++20.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
