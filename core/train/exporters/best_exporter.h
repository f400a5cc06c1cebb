// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/exporters/exporter.h"
#include "storage/runs/decision_metric.h"

#include <cstdint>
#include <map>

namespace cannery::train {

/// Exports the best model that there is, whenever that is better than what it has exported before,
/// and keeps the newest few. Evaluations of earlier processes count (those in the event files of
/// the evaluation too): what was best when a process was killed is exported by the next one, from
/// its checkpoint. TensorFlow 2 always exports at a process's first evaluation; a worse model would
/// then stand above the best one, so this does not.
class BestExporter : public Exporter
{
public:
    explicit BestExporter(const spec::BestExporter& spec);

    /// "train.no_such_metric" when the evaluation lacks the metric compared.
    Result<std::optional<ExportWish>> afterEvaluation(const ExportOccasion& occasion) override;

private:
    Result<void> readPast(const ExportOccasion& occasion);
    std::optional<double> bestExported(const ExportOccasion& occasion) const;
    ExportWish bestThereIs(const ExportOccasion& occasion) const;

    storage::DecisionMetric m_metric;
    std::map<std::int64_t, double> m_values; ///< of every evaluation, by step
    bool m_hasReadPast = false;
};

} // namespace cannery::train
