// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/command.h"

namespace cannery::app {

/// `cannery inspect PATH`: shows what is inside a checkpoint, event file, SavedModel or TFRecord
/// file.
class InspectCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    std::string m_path;
    std::optional<std::int64_t> m_records;
    bool m_json = false;
};

} // namespace cannery::app
