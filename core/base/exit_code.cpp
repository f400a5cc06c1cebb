// SPDX-License-Identifier: Apache-2.0
#include "core/base/exit_code.h"

#include <array>
#include <string_view>

namespace cannery {

namespace {

struct ExitCodeRow
{
    std::string_view idPrefix;
    ExitCode exitCode;
};

/// An error's id begins with its room; the first matching row decides.
constexpr std::array kExitCodes{
    ExitCodeRow{"command.usage", ExitCode::Usage},
    ExitCodeRow{"train.bad_checkpoint_choice", ExitCode::Usage},
    ExitCodeRow{"train.nan_loss", ExitCode::NanLoss},
    ExitCodeRow{"train.gpus_lost", ExitCode::DeviceLost},
    ExitCodeRow{"train.no_checkpoint", ExitCode::NoCheckpoint},
    ExitCodeRow{"train.no_model_dir", ExitCode::NoCheckpoint},
    ExitCodeRow{"train.no_experiment", ExitCode::NoCheckpoint},
    ExitCodeRow{"collectives.", ExitCode::PeerLost},
    ExitCodeRow{"strategies.not_joined", ExitCode::PeerLost},
    ExitCodeRow{"parameters.unreachable", ExitCode::PeerLost},
    ExitCodeRow{"parameters.no_chief", ExitCode::CoordinatorLost},
    ExitCodeRow{"coordinator.lost", ExitCode::CoordinatorLost},
    ExitCodeRow{"coordinator.unreachable", ExitCode::CoordinatorLost},
    ExitCodeRow{"train.checkpoint_", ExitCode::NoCheckpoint},
    ExitCodeRow{"train.sidecar_", ExitCode::NoCheckpoint},
    ExitCodeRow{"train.frozen_", ExitCode::NoCheckpoint},
    ExitCodeRow{"train.other_experiment", ExitCode::NoCheckpoint},
    ExitCodeRow{"checkpoint.", ExitCode::NoCheckpoint},
    ExitCodeRow{"tf.table_", ExitCode::NoCheckpoint},
    ExitCodeRow{"train.warm_start_", ExitCode::ExperimentOrData},
    ExitCodeRow{"train.no_", ExitCode::ExperimentOrData},
    ExitCodeRow{"train.two_cadences", ExitCode::ExperimentOrData},
    ExitCodeRow{"spec.", ExitCode::ExperimentOrData},
    ExitCodeRow{"sweep.", ExitCode::ExperimentOrData},
    ExitCodeRow{"csv.", ExitCode::ExperimentOrData},
    ExitCodeRow{"npz.", ExitCode::ExperimentOrData},
    ExitCodeRow{"image.", ExitCode::ExperimentOrData},
    ExitCodeRow{"image_folder.", ExitCode::ExperimentOrData},
    ExitCodeRow{"tfrecord.", ExitCode::ExperimentOrData},
    ExitCodeRow{"sqlite_source.", ExitCode::ExperimentOrData},
    ExitCodeRow{"zip.", ExitCode::ExperimentOrData},
    ExitCodeRow{"data.", ExitCode::ExperimentOrData},
    ExitCodeRow{"features.", ExitCode::ExperimentOrData},
    ExitCodeRow{"graph.", ExitCode::ExperimentOrData},
    ExitCodeRow{"layers.", ExitCode::ExperimentOrData},
    ExitCodeRow{"estimators.", ExitCode::ExperimentOrData},
    ExitCodeRow{"head.", ExitCode::ExperimentOrData},
    ExitCodeRow{"optimizer.", ExitCode::ExperimentOrData},
    ExitCodeRow{"schedule.", ExitCode::ExperimentOrData},
    ExitCodeRow{"gpu.group_lost", ExitCode::DeviceLost},
    ExitCodeRow{"gpu.lost", ExitCode::DeviceLost},
    ExitCodeRow{"gpu.out_of_memory", ExitCode::ExperimentOrData},
    ExitCodeRow{"gpu.smaller_batch", ExitCode::ExperimentOrData},
    ExitCodeRow{"gpu.no_batch_fits", ExitCode::ExperimentOrData},
    ExitCodeRow{"gpu.no_kernel", ExitCode::ExperimentOrData},
    ExitCodeRow{"plan.too_large", ExitCode::ExperimentOrData},
    ExitCodeRow{"io.packed_", ExitCode::ExperimentOrData},
    ExitCodeRow{"io.not_a_file", ExitCode::ExperimentOrData},
    ExitCodeRow{"io.too_large", ExitCode::ExperimentOrData},
};

} // namespace

ExitCode exitCodeOf(const Error& error)
{
    for (const ExitCodeRow& row : kExitCodes) {
        if (std::string_view(error.id).starts_with(row.idPrefix)) {
            return row.exitCode;
        }
    }
    return ExitCode::Failed;
}

} // namespace cannery
