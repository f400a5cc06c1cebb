// SPDX-License-Identifier: Apache-2.0
#include "core/features/raw_rows.h"

#include "core/base/catalog.h"

#include <vector>

namespace cannery::features {

namespace {

constexpr ErrorKind kMissingFeature{"features.missing_feature",
                                    "The rows have no feature '{}', which the model reads.{}"};

} // namespace

Result<const data::FeatureValues*> RawRows::find(std::string_view feature) const
{
    const std::vector<data::FeatureValues>& features = m_batch->features;
    // Columns read features in nearly the order of the batch, so the search begins behind the last
    // one that was found.
    for (std::size_t tried = 0; tried < features.size(); ++tried) {
        const std::size_t index = m_next < features.size() ? m_next : 0;
        m_next = index + 1;
        if (features[index].name == feature) {
            return &features[index];
        }
    }
    return missing(feature);
}

Result<const data::FeatureValues*> RawRows::missing(std::string_view feature) const
{
    std::vector<std::string> known;
    for (const data::FeatureValues& values : m_batch->features) {
        known.push_back(values.name);
    }
    return fail(ErrorCode::NotFound, kMissingFeature, feature, suggestion(feature, known));
}

std::string RawRows::place(std::int64_t row) const
{
    const auto index = static_cast<std::size_t>(m_first + row);
    if (index >= m_batch->line.size()) {
        return fmt::format("row {}", index + 1);
    }
    const std::int64_t line = m_batch->line[index];
    if (index < m_batch->fileIndex.size()) {
        const auto file = static_cast<std::size_t>(m_batch->fileIndex[index]);
        if (file < m_files.size()) {
            return fmt::format("{}:{}", m_files[file], line);
        }
    }
    return fmt::format("line {}", line);
}

std::string elementText(const data::FeatureValues& values, std::int64_t element)
{
    const auto index = static_cast<std::size_t>(element);
    return std::visit([&](const auto& elements) { return fmt::format("{}", elements[index]); },
                      values.elements);
}

} // namespace cannery::features
