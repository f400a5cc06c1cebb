// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/input/model_input.h"
#include "app/cannery/tables/table_choice.h"

namespace cannery::app {

/// `cannery predict RUN --input F|- --output F|-`: writes the model's predictions for rows without
/// labels. `--serve`: answers rows one by one.
struct PredictedCount;

class PredictCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    tl::expected<train::OpenedModel, ExitCode> load(Console& console) const;
    ExitCode serve(Console& console);
    ExitCode report(Console& console, const train::OpenedModel& model, const std::string& output,
                    const PredictedCount& count) const;

    ModelOptions m_model;
    std::optional<std::string> m_input;
    std::optional<std::string> m_data;
    TableChoice m_choice;
    std::optional<std::string> m_output;
    std::optional<std::string> m_format;
    std::optional<std::string> m_progress;
    bool m_force = false;
    bool m_serve = false;
    bool m_spreadsheetSafe = false;
    bool m_likeInput = false;
    bool m_explain = false;
    bool m_json = false;
};

} // namespace cannery::app
