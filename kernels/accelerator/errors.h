// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

/// What can go wrong with a device, in the same words whichever plug-in finds it.
namespace cannery::kernels {

inline constexpr ErrorKind kNoPlugin{
    "gpu.no_plugin",
    "The part of Cannery for GPUs is not installed: there is no file '{0}'. Install the package "
    "cannery-cuda, or set {1} to the file."};
inline constexpr ErrorKind kPluginNotLoaded{"gpu.plugin_not_loaded",
                                            "'{0}' cannot be loaded: {1}. GPUs stay unused."};
inline constexpr ErrorKind kPluginVersion{
    "gpu.plugin_version",
    "'{0}' belongs to another version of Cannery ({1}; this is {2}): install the packages of one "
    "version."};
inline constexpr ErrorKind kNoGpuFound{
    "gpu.none",
    "This machine has no GPU that {0} can use. Leave GPUs and NCCL out of the strategy to train on "
    "the CPU; the device \"auto\" of one_device is a GPU only where there is one."};
inline constexpr ErrorKind kGpusNotListed{
    "gpu.not_listed", "{0} cannot tell which GPUs this machine has: {1}. The system's log may have "
                      "messages of the driver."};
inline constexpr ErrorKind kNoSuchGpu{
    "gpu.no_such_device", "There is no GPU:{0}: this machine has {1}, numbered from 0."};
inline constexpr ErrorKind kGpuBusy{
    "gpu.busy", "GPU:{0} ({1}) is in use by another program, which has it alone: {2}."};
inline constexpr ErrorKind kGpuTooOld{
    "gpu.too_old",
    "GPU:{0} ({1}) is too old: it is an {2}, and kernels are built for {3} and later ones."};
inline constexpr ErrorKind kGpuFull{
    "gpu.full", "GPU:{0} ({1}) has no memory left to work in: other programs use all of it."};
inline constexpr ErrorKind kGpuNotOpened{"gpu.not_opened", "GPU:{0} ({1}) cannot be used: {2}."};
inline constexpr ErrorKind kDriverTooOld{
    "gpu.driver_too_old",
    "The GPU's driver is too old for {0}: {1}. Install a newer driver, or train on the CPU."};
inline constexpr ErrorKind kGpuMemory{
    "gpu.out_of_memory", "{0} does not fit into the GPU's memory: {1} more are needed, and {2} of "
                         "{3} are free."};
inline constexpr ErrorKind kNoPinnedMemory{
    "gpu.no_pinned_memory", "This machine cannot lock {0} of its memory for copies to GPU:{1} "
                            "({2}). End other programs, or train in smaller batches."};
inline constexpr ErrorKind kGpuLost{
    "gpu.lost", "GPU:{0} ({1}) is lost: {2}. The last checkpoint is kept; look at the system's log "
                "for messages of its driver (Xid)."};
inline constexpr ErrorKind kGpuFailed{"gpu.failed", "A computation on GPU:{0} ({1}) failed: {2}."};
inline constexpr ErrorKind kNoNccl{
    "gpu.no_nccl", "Several GPUs add up with NCCL, which cannot be loaded: {0}. Install NVIDIA's "
                   "package libnccl2, or train on one GPU."};
inline constexpr ErrorKind kNotJoined{"gpu.not_joined",
                                      "{0} cannot compute together with the other GPUs: {1}."};
inline constexpr ErrorKind kGroupLost{
    "gpu.group_lost",
    "GPU:{0} ({1}) has stopped, because another GPU that it computes with has failed."};
inline constexpr ErrorKind kNoGpuKernel{"gpu.no_kernel", "No GPU kernel computes {0}: {1}."};

} // namespace cannery::kernels
