#include "core/train/exporters/latest_exporter.h"

#include "storage/io/files.h"

namespace cannery::train {

LatestExporter::LatestExporter(const spec::LatestExporter& spec)
    : m_name(spec.name()), m_receiver(spec.receiver()), m_keep(spec.exports_to_keep())
{}

Result<std::optional<ExportResult>> LatestExporter::afterEvaluation(const ExportOccasion& occasion)
{
    CANNERY_TRY_ASSIGN(ExportResult result, exportAs(m_name, m_receiver, occasion));
    CANNERY_TRY(deleteOldExports(storage::parentFolder(result.path), m_keep));
    return result;
}

} // namespace cannery::train
