// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

namespace cannery::app {

/// `cannery doctor`: shows the machine's hardware and which kernels it gets.
class DoctorCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    bool m_json = false;
};

} // namespace cannery::app
