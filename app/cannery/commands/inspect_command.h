// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/reports/inspection.h"

namespace cannery::app {

/// `cannery inspect PATH`: shows what is inside a checkpoint, event file, SavedModel, TFRecord
/// file or table; a table of embeddings along its principal components.
class InspectCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    Result<Inspection> inspectEmbedding() const;

    std::string m_path;
    std::optional<std::int64_t> m_records;
    std::optional<std::string> m_table;
    std::optional<std::string> m_projector;
    bool m_embeddings = false;
    bool m_json = false;
};

} // namespace cannery::app
