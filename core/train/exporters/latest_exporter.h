#pragma once

#include "core/train/exporters/exporter.h"

namespace cannery::train {

/// Exports after every evaluation and keeps the newest few.
class LatestExporter : public Exporter
{
public:
    explicit LatestExporter(const spec::LatestExporter& spec);

    const std::string& name() const override { return m_name; }
    Result<std::optional<ExportResult>> afterEvaluation(const ExportOccasion& occasion) override;

private:
    std::string m_name;
    spec::Receiver::Kind m_receiver;
    std::int64_t m_keep;
};

} // namespace cannery::train
