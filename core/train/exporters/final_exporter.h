#pragma once

#include "core/train/exporters/exporter.h"

namespace cannery::train {

/// Exports once, when training has reached its last step.
class FinalExporter : public Exporter
{
public:
    explicit FinalExporter(const spec::FinalExporter& spec);

    const std::string& name() const override { return m_name; }
    Result<std::optional<ExportResult>> afterEvaluation(const ExportOccasion& occasion) override;

private:
    std::string m_name;
    spec::Receiver::Kind m_receiver;
};

} // namespace cannery::train
