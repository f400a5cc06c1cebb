// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// `cannery plan FILE`: shows the model's layers and parameters, and what training it will take.
class PlanCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    ExitCode runLearningRates(const Console& console) const;

    std::string m_file;
    std::vector<std::string> m_overrides;
    bool m_noMeasure = false;
    bool m_probe = false;
    std::optional<std::string> m_network;
    std::optional<std::int64_t> m_workers;
    bool m_ratesOnly = false;
    std::optional<std::int64_t> m_trainRows;
    std::optional<std::string> m_progress;
    bool m_json = false;
};

} // namespace cannery::app
