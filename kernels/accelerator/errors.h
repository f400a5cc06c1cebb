// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

/// What can go wrong with a device, in the same words whichever plug-in finds it.
namespace cannery::kernels {

inline constexpr ErrorKind kNoPlugin{
    "gpu.no_plugin",
    "The part of Cannery for GPUs is not installed: no {0} beside the program. Install the package "
    "cannery-cuda, or set {1} to the file."};
inline constexpr ErrorKind kPluginNotLoaded{"gpu.plugin_not_loaded",
                                            "'{0}' cannot be loaded: {1}. GPUs stay unused."};
inline constexpr ErrorKind kPluginVersion{
    "gpu.plugin_version",
    "'{0}' belongs to another version of Cannery ({1}; this is {2}): install the packages of one "
    "version."};
inline constexpr ErrorKind kNoGpuFound{
    "gpu.none", "This machine has no GPU that {0} can use. Set strategy.one_device.device to "
                "\"CPU:0\", or \"auto\" to use a GPU only where there is one."};
inline constexpr ErrorKind kNoSuchGpu{
    "gpu.no_such_device", "There is no GPU:{0}: this machine has {1}, numbered from 0."};
inline constexpr ErrorKind kGpuBusy{
    "gpu.busy", "GPU:{0} ({1}) is in use by another program, which has it alone: {2}."};
inline constexpr ErrorKind kDriverTooOld{
    "gpu.driver_too_old",
    "The GPU's driver is too old for {0}: {1}. Install a newer driver, or train on the CPU."};
inline constexpr ErrorKind kGpuMemory{
    "gpu.out_of_memory", "{0} does not fit into the GPU's memory: {1} more are needed, and {2} of "
                         "{3} are free."};
inline constexpr ErrorKind kGpuLost{
    "gpu.lost", "GPU:{0} ({1}) is lost: {2}. The last checkpoint is kept; look at the system's log "
                "for messages of its driver (Xid)."};
inline constexpr ErrorKind kGpuFailed{"gpu.failed", "A computation on GPU:{0} ({1}) failed: {2}."};
inline constexpr ErrorKind kNoGpuKernel{"gpu.no_kernel", "No GPU kernel computes {0}: {1}."};

} // namespace cannery::kernels
