#include "core/train/exporters/final_exporter.h"

namespace cannery::train {

FinalExporter::FinalExporter(const spec::FinalExporter& spec)
    : m_name(spec.name()), m_receiver(spec.receiver())
{}

Result<std::optional<ExportResult>> FinalExporter::afterEvaluation(const ExportOccasion& occasion)
{
    if (!occasion.isFinal) {
        return std::nullopt;
    }
    return exportAs(m_name, m_receiver, occasion);
}

} // namespace cannery::train
