// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/exporters/exporter.h"
#include "storage/runs/decision_metric.h"

#include <cstdint>
#include <map>

namespace cannery::train {

/// Exports the best model whenever it is better than what was exported before, and keeps the newest
/// few exports. Evaluations of earlier processes count (including those in the event files of the
/// evaluation): what was best when a process was killed is exported by the next one, from its
/// checkpoint. TensorFlow 2 always exports at a process's first evaluation, which may put a worse
/// model above the best one; this exporter does not.
class BestExporter : public Exporter
{
public:
    explicit BestExporter(const spec::BestExporter& spec);

    /// "train.no_such_metric" if the evaluation lacks the compared metric.
    Result<std::optional<RequestedExport>> afterEvaluation(const ExportOccasion& occasion) override;

private:
    Result<void> readPast(const ExportOccasion& occasion);
    std::optional<double> bestExported(const ExportOccasion& occasion) const;
    RequestedExport bestThereIs(const ExportOccasion& occasion) const;

    storage::DecisionMetric m_metric;
    std::map<std::int64_t, double> m_values; ///< of every evaluation, by step
    bool m_hasReadPast = false;
};

} // namespace cannery::train
