#include "core/train/exporters/best_exporter.h"

#include "core/train/eval_history.h"
#include "storage/io/files.h"

#include <fmt/format.h>

#include <vector>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoMetric{
    "train.no_such_metric",
    "The exporter {} compares the metric '{}', which the evaluation does not have; it has {}."};

} // namespace

BestExporter::BestExporter(const spec::BestExporter& spec)
    : m_name(spec.name()), m_receiver(spec.receiver()), m_keep(spec.exports_to_keep()),
      m_metric(spec.metric()), m_higherIsBetter(spec.higher_is_better())
{}

bool BestExporter::isBetter(double value, double than) const
{
    return m_higherIsBetter ? value > than : value < than;
}

Result<void> BestExporter::readPast(const ExportOccasion& occasion)
{
    m_hasReadPast = true;
    const std::string folder = evalFolder(occasion.modelDir, occasion.evaluation.name);
    return forEachEvaluation(folder, [&](std::int64_t, const EvalMetrics& metrics) {
        const auto found = metrics.find(m_metric);
        if (found != metrics.end() && (!m_best || isBetter(found->second, *m_best))) {
            m_best = found->second;
        }
    });
}

Result<std::optional<ExportResult>> BestExporter::afterEvaluation(const ExportOccasion& occasion)
{
    const std::optional<double> value = occasion.evaluation.find(m_metric);
    if (!value) {
        std::vector<std::string> known;
        for (const metrics::MetricValue& metric : occasion.evaluation.metrics) {
            known.push_back(metric.name);
        }
        return fail(ErrorCode::NotFound, kNoMetric, m_name, m_metric,
                    fmt::format("{}", fmt::join(known, ", ")));
    }
    if (!m_hasReadPast) {
        CANNERY_TRY(readPast(occasion));
    }
    if (m_best && m_hasExported && !isBetter(*value, *m_best)) {
        return std::nullopt;
    }
    m_best = value;
    CANNERY_TRY_ASSIGN(ExportResult result, exportAs(m_name, m_receiver, occasion));
    m_hasExported = true;
    CANNERY_TRY(deleteOldExports(storage::parentFolder(result.path), m_keep));
    return result;
}

} // namespace cannery::train
