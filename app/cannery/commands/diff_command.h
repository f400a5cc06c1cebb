// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

namespace cannery::app {

/// `cannery diff A B`: what differs between two experiments, field by field.
class DiffCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    std::string m_first;
    std::string m_second;
    bool m_resolved = false;
    bool m_json = false;
};

} // namespace cannery::app
