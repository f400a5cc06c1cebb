#include "app/cannery/command.h"

#include <array>
#include <string_view>

namespace cannery::app {

namespace {

struct ExitCodeRow
{
    std::string_view idPrefix;
    ExitCode exitCode;
};

/// The part of an error's id before its first dot names the room it comes from.
constexpr std::array kExitCodes{
    ExitCodeRow{"command.usage", ExitCode::Usage},
    ExitCodeRow{"train.nan_loss", ExitCode::NanLoss},
    ExitCodeRow{"checkpoint.", ExitCode::NoCheckpoint},
    ExitCodeRow{"spec.", ExitCode::ExperimentOrData},
    ExitCodeRow{"csv.", ExitCode::ExperimentOrData},
    ExitCodeRow{"data.", ExitCode::ExperimentOrData},
    ExitCodeRow{"features.", ExitCode::ExperimentOrData},
    ExitCodeRow{"graph.", ExitCode::ExperimentOrData},
    ExitCodeRow{"layers.", ExitCode::ExperimentOrData},
    ExitCodeRow{"estimators.", ExitCode::ExperimentOrData},
    ExitCodeRow{"heads.", ExitCode::ExperimentOrData},
    ExitCodeRow{"warm_start.", ExitCode::ExperimentOrData},
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

ExitCode reportFailure(const Console& console, const Error& error)
{
    console.problem(error);
    return exitCodeOf(error);
}

} // namespace cannery::app
