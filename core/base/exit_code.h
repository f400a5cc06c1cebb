// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

namespace cannery {

/// The exit codes of `cannery`. Scripts and launchers rely on these numbers.
enum class ExitCode
{
    Done = 0,
    Failed = 1,
    Usage = 2,
    ExperimentOrData = 3, ///< the experiment file or the data has errors
    NanLoss = 4,
    NoCheckpoint = 5,  ///< no usable checkpoint
    HungUp = 129,      ///< SIGHUP (the terminal was closed): stopped and saved
    Interrupted = 130, ///< Ctrl-C: stopped and saved
    ReaderGone = 141,  ///< the reader of the result (`| head`) closed the pipe
    Terminated = 143,  ///< SIGTERM: stopped and saved
    // Of a task of a cluster, whose launcher starts it again, as after any code from 128:
    PeerLost = 200,        ///< another task is lost
    CoordinatorLost = 201, ///< the chief is lost
    // Of any training; --restarts starts it again, too:
    DeviceLost = 202, ///< the GPU that trained
};

/// The exit code for an error of the libraries: 3 for bad data and bad experiments, 4 for a NaN
/// loss, 5 for a missing or unusable checkpoint, otherwise 1.
ExitCode exitCodeOf(const Error& error);

} // namespace cannery
