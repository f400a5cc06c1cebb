// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

namespace cannery::app {

/// `cannery fmt FILE...`: formats experiment files; comments are kept.
class FmtCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    std::vector<std::string> m_files;
    bool m_check = false;
    bool m_stdout = false;
};

} // namespace cannery::app
