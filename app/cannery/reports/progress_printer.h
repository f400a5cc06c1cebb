// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/train/loop/training_observer.h"

#include <optional>
#include <vector>

namespace cannery::app {

/// Shows the progress of a training on stderr: on a terminal a progress line with rate and time
/// left, and a line for each event. Keeps what the final report needs.
class ProgressPrinter final : public train::TrainingObserver
{
public:
    explicit ProgressPrinter(Console& console) : m_console(&console) {}

    void dataLoaded(const train::DataSummary& data) override;
    void progressed(const train::Progress& progress) override;
    void evaluated(const train::EvaluationResult& result) override;
    void exported(const train::ExportResult& result) override;
    void logged(train::LogLevel level, std::string_view sentence) override;

private:
    Console* m_console;
};

/// "1 m 20 s", "3 h 5 m"; below ten seconds with one decimal.
std::string durationText(double seconds);

} // namespace cannery::app
