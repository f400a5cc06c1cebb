// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/input/model_input.h"

namespace cannery::app {

/// `cannery evaluate RUN`: the metrics of a checkpoint on the evaluation rows, or on a new file.
class EvaluateCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    ModelOptions m_model;
    std::vector<std::string> m_files;
    std::optional<std::string> m_progress;
    bool m_json = false;
};

} // namespace cannery::app
