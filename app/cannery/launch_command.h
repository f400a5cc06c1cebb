// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/command.h"

#include <string>
#include <vector>

namespace cannery::app {

/// `cannery launch -n N FILE`: trains an experiment with a whole cluster of processes on this host,
/// or describes it to a launcher that starts it on many.
class LaunchCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    Result<void> checkNumbers() const;
    /// --dry-run
    ExitCode describe(Console& console) const;
    ExitCode launch(Console& console, const std::string& folder) const;
    /// `train FILE …` of every task.
    std::vector<std::string> trainWords(const std::string& folder) const;

    std::string m_file;
    std::optional<std::int64_t> m_workers;
    bool m_hasEvaluator = false;
    std::optional<std::int64_t> m_restarts;
    std::optional<std::string> m_logDir;
    std::optional<std::string> m_modelDir;
    std::optional<std::string> m_copy;
    std::vector<std::string> m_overrides;
    std::optional<std::int64_t> m_threads;
    std::optional<std::int64_t> m_seed;
    std::optional<std::string> m_platform; ///< of --dry-run
    std::optional<std::string> m_image;
    bool m_quiet = false;
    bool m_json = false;
};

} // namespace cannery::app
