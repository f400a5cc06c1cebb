#pragma once

#include "core/train/exporters/exporter.h"

namespace cannery::train {

/// Exports when an evaluation is better than every one before, those of earlier processes (in the
/// event files of the evaluation) included, and keeps the newest few. As in TensorFlow 2, the first
/// export of a process always happens.
class BestExporter : public Exporter
{
public:
    explicit BestExporter(const spec::BestExporter& spec);

    const std::string& name() const override { return m_name; }
    /// "train.no_such_metric" when the evaluation lacks the metric compared.
    Result<std::optional<ExportResult>> afterEvaluation(const ExportOccasion& occasion) override;

private:
    Result<void> readPast(const ExportOccasion& occasion);
    bool isBetter(double value, double than) const;

    std::string m_name;
    spec::Receiver::Kind m_receiver;
    std::int64_t m_keep;
    std::string m_metric;
    bool m_higherIsBetter;
    std::optional<double> m_best;
    bool m_hasReadPast = false;
    bool m_hasExported = false;
};

} // namespace cannery::train
