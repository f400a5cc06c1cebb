// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/best_exporter.h"

#include "core/train/checkpoints/checkpoint_store.h"
#include "core/train/records/eval_history.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoMetric{
    "train.no_such_metric",
    "The exporter {} compares the metric '{}', which the evaluation lacks; it has {}."};

ExporterOptions optionsOf(const spec::BestExporter& spec)
{
    ExporterOptions options = exporterOptions(spec);
    options.keep = spec.exports_to_keep();
    return options;
}

} // namespace

BestExporter::BestExporter(const spec::BestExporter& spec)
    : Exporter(optionsOf(spec)), m_metric{.name = spec.metric(),
                                          .higherIsBetter = spec.higher_is_better()}
{}

Result<void> BestExporter::readPast(const ExportOccasion& occasion)
{
    // Once per training: later evaluations are added as they come.
    m_hasReadPast = true;
    CANNERY_TRY_ASSIGN(const EvalHistory history,
                       readRunEvaluations(occasion.modelDir, occasion.evaluation.name));
    for (const auto& [step, metrics] : history) {
        if (const auto found = metrics.find(m_metric.name); found != metrics.end()) {
            // Other metrics of past evaluations are not this exporter's.
            m_values[step] = found->second;
        }
    }
    return {};
}

/// Nothing if none of its exports still exists.
std::optional<double> BestExporter::bestExported(const ExportOccasion& occasion) const
{
    std::optional<double> best;
    const auto count = [&](double value) {
        // NaN is better than nothing, and never better than a number.
        best = best && !m_metric.isBetter(value, *best) ? best : value;
    };
    for (const storage::RunExport& entry : occasion.ledger.of(name())) {
        // An export whose evaluation has been forgotten cannot be compared.
        if (const auto found = m_values.find(entry.globalStep); found != m_values.end()) {
            count(found->second);
        }
    }
    if (!occasion.ledger.hasForeign(name())) {
        return best;
    }
    // TensorFlow's own exports do not record their step: any evaluation may have led to one.
    for (const auto& [step, value] : m_values) {
        // All but the current one, which has not been exported yet.
        if (step != occasion.evaluation.globalStep) {
            count(value);
        }
    }
    return best;
}

/// Among the model evaluated now and the checkpoints of earlier evaluations.
RequestedExport BestExporter::bestThereIs(const ExportOccasion& occasion) const
{
    RequestedExport best = evaluatedModel(occasion);
    double value = m_values.at(best.globalStep);
    for (const auto& [step, other] : m_values) {
        // On a tie, the earlier one.
        const bool isAsGood = other == value && step < best.globalStep;
        if (!m_metric.isBetter(other, value) && !isAsGood) {
            continue;
        }
        std::string prefix = checkpointPrefix(occasion.modelDir, step);
        // A better model whose checkpoint was deleted is lost, so the next best is taken.
        if (storage::checkpointExists(prefix)) {
            best = {.checkpoint = std::move(prefix), .globalStep = step};
            value = other;
        }
    }
    return best;
}

Result<std::optional<RequestedExport>> BestExporter::afterEvaluation(const ExportOccasion& occasion)
{
    const std::optional<double> value = occasion.evaluation.find(m_metric.name);
    if (!value) {
        std::vector<std::string> known;
        for (const metrics::MetricValue& metric : occasion.evaluation.metrics) {
            known.push_back(metric.name);
        }
        return fail(ErrorCode::NotFound, kNoMetric, name(), m_metric.name,
                    fmt::format("{}", fmt::join(known, ", ")));
    }
    // The exporter compares with what earlier starts of the training evaluated.
    if (!m_hasReadPast) {
        CANNERY_TRY(readPast(occasion));
    }
    m_values[occasion.evaluation.globalStep] = *value;
    const std::optional<double> exported = bestExported(occasion);
    const auto isNews = [&](const auto& entry) {
        return !std::isnan(entry.second) &&
               (!exported || m_metric.isBetter(entry.second, *exported));
    };
    // Nothing better has turned up since the last export.
    if (std::none_of(m_values.begin(), m_values.end(), isNews)) {
        return std::nullopt;
    }
    // The news may have lost its checkpoint, and what is left may be no better than what was
    // exported.
    RequestedExport best = bestThereIs(occasion);
    return isNews(*m_values.find(best.globalStep)) ? std::optional(std::move(best)) : std::nullopt;
}

} // namespace cannery::train
