// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/input/model_input.h"
#include "app/cannery/reports/export_view.h"
#include "core/train/exporters/verified_export.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// `cannery export RUN --output DIR`: writes a SavedModel that TensorFlow serves. `--as program`:
/// writes the experiment as a program of tf.estimator.
class ExportCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    ExitCode exportProgram(Console& console) const;
    /// "command.usage.asset" for an --asset without a name or a file.
    Result<train::ExportExtras> extras() const;
    Result<train::VerifiedExport> write(train::OpenedModel& model,
                                        const train::ModelExportRequest& request) const;
    void report(const Console& console, const train::OpenedModel& model,
                const ExportedModel& exported, const train::VerifiedExport& made) const;
    void reportEvaluationGraph(const Console& console, const train::OpenedModel& model,
                               const train::VerifiedExport& made) const;

    ModelOptions m_model;
    std::optional<std::string> m_as;
    std::optional<std::string> m_output;
    std::optional<std::string> m_receiver;
    std::vector<std::string> m_features;
    std::optional<std::string> m_modes;
    std::vector<std::string> m_assets;
    std::optional<std::int64_t> m_warmupRows;
    bool m_asText = false;
    std::optional<std::string> m_progress;
    bool m_force = false;
    bool m_noVerify = false;
    bool m_json = false;
};

} // namespace cannery::app
