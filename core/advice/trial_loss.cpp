// SPDX-License-Identifier: Apache-2.0
#include "core/advice/trial_loss.h"

#include "core/heads/head.h"
#include "core/metrics/metric_set.h"
#include "core/plan/inference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace cannery::advice {

Result<TrialScore> trialScore(plan::Model& model, const features::EncodedDataset& rows,
                              std::span<const std::int64_t> heldOut, double labelScale)
{
    const std::unique_ptr<metrics::MetricSet> metrics = model.head().createMetrics();
    features::EncodedRows batch;
    for (std::size_t begin = 0; begin < heldOut.size(); begin += kScoredAtOnce) {
        const std::size_t count = std::min<std::size_t>(kScoredAtOnce, heldOut.size() - begin);
        CANNERY_TRY(rows.gather(heldOut.subspan(begin, count), batch));
        model.inference().evaluate(batch, *metrics);
    }
    TrialScore score{.loss = std::numeric_limits<double>::max()};
    bool hasAuc = false;
    for (const metrics::MetricValue& metric : metrics->results()) {
        if (metric.name == "average_loss" && std::isfinite(metric.value)) {
            score.loss = metric.value / (labelScale * labelScale);
        } else if (metric.name == "auc" || (metric.name == "accuracy" && !hasAuc)) {
            hasAuc = metric.name == "auc";
            score.measure = metric.value;
        }
    }
    return score;
}

} // namespace cannery::advice
