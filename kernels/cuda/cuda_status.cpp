// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_status.h"

#include <fmt/core.h>

namespace cannery::kernels::cuda {

namespace {

/// cudaErrorContained, which CUDA 12.8 does not have yet.
constexpr int kContained = 226;

/// Errors that no call on the device survives, and that are the device's (its driver logs an Xid)
/// are losses; a wrong address is our mistake, and so a failure.
Outcome outcomeOf(cudaError_t answer)
{
    // Compared apart, as the enumeration of older versions lacks it.
    if (answer == kContained) {
        return Outcome::Lost;
    }
    switch (answer) {
    case cudaSuccess:
        return Outcome::Done;
    case cudaErrorMemoryAllocation:
        return Outcome::OutOfMemory;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
        return Outcome::NoDevice;
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
        return Outcome::DriverTooOld;
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceAlreadyInUse:
        return Outcome::Unavailable;
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorMpsServerNotReady:
    case cudaErrorMpsRpcFailure:
    case cudaErrorMpsClientTerminated:
    case cudaErrorSystemNotReady:
    case cudaErrorUnknown:
        return Outcome::Lost;
    default:
        return Outcome::Failed;
    }
}

} // namespace

CallStatus statusOf(cudaError_t answer)
{
    const Outcome outcome = outcomeOf(answer);
    if (outcome == Outcome::Done) {
        return {};
    }
    static_cast<void>(cudaGetLastError());
    return {outcome, fmt::format("{} ({})", cudaGetErrorString(answer), cudaGetErrorName(answer))};
}

} // namespace cannery::kernels::cuda
