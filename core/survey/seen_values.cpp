// SPDX-License-Identifier: Apache-2.0
#include "core/survey/seen_values.h"

#include "core/base/fingerprint.h"
#include "core/features/category_cells.h"
#include "core/spec/column_kinds.h"
#include "core/spec/message_access.h"

#include <fmt/format.h>

namespace cannery::survey {

namespace {

namespace pb = google::protobuf;

/// A field of a kind of feature column, or nullptr.
const pb::FieldDescriptor* fieldOf(const pb::Message* kind, const char* name)
{
    return kind == nullptr ? nullptr : kind->GetDescriptor()->FindFieldByName(name);
}

std::int64_t integerIn(const pb::Message& kind, const char* name, std::int64_t otherwise)
{
    const pb::FieldDescriptor* field = fieldOf(&kind, name);
    const bool isSet = field != nullptr && kind.GetReflection()->HasField(kind, field);
    return isSet ? kind.GetReflection()->GetInt64(kind, field) : otherwise;
}

/// Whether the id stands for one word, rather than for unknown ones.
bool isOneWord(const features::ColumnInfo& info, const spec::FeatureColumn& spec, std::int64_t id)
{
    const pb::Message& kind = *spec::memberOf(spec);
    // Buckets of unknown words, and a default, stand for several words.
    return id < info.width - integerIn(kind, "num_oov_buckets", 0) &&
           integerIn(kind, "default_value", -1) < 0;
}

bool isMissing(const data::FeatureValues& values, std::int64_t element)
{
    if (features::isInvalid(values, element)) {
        return true;
    }
    const auto* texts = std::get_if<StringColumn>(&values.elements);
    // An empty text is missing, as in a table.
    return texts != nullptr && (*texts)[static_cast<std::size_t>(element)].empty();
}

SeenValue seenCell(const data::FeatureValues& values, std::int64_t element)
{
    return isMissing(values, element) ? SeenValue()
                                      : SeenValue(features::elementText(values, element));
}

} // namespace

std::string bucketRange(const spec::FeatureColumn& bucketized, std::int64_t bucket)
{
    const pb::Message* kind = spec::memberOf(bucketized);
    const pb::FieldDescriptor* field = fieldOf(kind, "boundaries");
    if (field == nullptr) {
        return {};
    }
    const auto at = [&](std::int64_t index) {
        return kind->GetReflection()->GetRepeatedDouble(*kind, field, static_cast<int>(index));
    };
    const std::int64_t count = kind->GetReflection()->FieldSize(*kind, field);
    // Buckets that do not exist have no range.
    if (bucket < 0 || bucket > count || count == 0) {
        return {};
    }
    return bucket == 0       ? fmt::format("< {}", at(0))
           : bucket == count ? fmt::format("≥ {}", at(count - 1))
                             : fmt::format("{} – {}", at(bucket - 1), at(bucket));
}

Result<SeenValues> SeenValues::create(const spec::ColumnSource& source,
                                      features::ColumnBuilder& builder)
{
    SeenValues values;
    values.m_name = source.name;
    values.m_raw = source.name;
    if (source.isColumn) {
        CANNERY_TRY_ASSIGN(values.m_column, builder.column(source.name));
        values.m_spec = builder.specs().find(source.name);
        const std::vector<spec::ColumnSource> inner = spec::sourcesOf(*values.m_spec);
        // A column of several features has no single cell to show.
        values.m_raw =
            inner.size() == 1 && !inner.front().isColumn ? inner.front().name : std::string();
        values.m_ids.recordCells = true;
    }
    return values;
}

Result<void> SeenValues::read(const features::RawRows& rows)
{
    m_rows = &rows;
    m_feature = nullptr;
    if (!m_raw.empty()) {
        CANNERY_TRY_ASSIGN(m_feature, rows.find(m_raw));
    }
    // The column's ids are needed besides the cells.
    return m_column == nullptr ? Result<void>{} : m_column->encodeIds(rows, m_ids);
}

features::CellRange SeenValues::valuesOf(std::int64_t row) const
{
    if (m_column == nullptr) {
        return features::RowCells(*m_feature, *m_rows).of(row);
    }
    const auto index = static_cast<std::size_t>(row);
    return {m_ids.rowOffsets[index], m_ids.rowOffsets[index + 1]};
}

std::uint64_t SeenValues::keyOf(std::int64_t value) const
{
    const auto index = static_cast<std::size_t>(value);
    if (m_column != nullptr) {
        return static_cast<std::uint64_t>(m_ids.ids[index]);
    }
    if (const auto* texts = std::get_if<StringColumn>(&m_feature->elements)) {
        return fingerprint64((*texts)[index]);
    }
    const auto* numbers = std::get_if<std::vector<std::int64_t>>(&m_feature->elements);
    // What has no category is one value.
    return features::isInvalid(*m_feature, value) || numbers == nullptr
               ? static_cast<std::uint64_t>(features::kNoCategory)
               : static_cast<std::uint64_t>((*numbers)[index]);
}

SeenValue SeenValues::textOf(std::int64_t row, std::int64_t value) const
{
    return m_column == nullptr ? seenCell(*m_feature, value) : textOfId(row, value);
}

SeenValue SeenValues::textOfId(std::int64_t row, std::int64_t value) const
{
    const std::int64_t id = m_ids.ids[static_cast<std::size_t>(value)];
    if (id < 0) {
        return {};
    }
    if (std::string range = bucketRange(*m_spec, id); !range.empty()) {
        return range;
    }
    // Not all columns record the cell of an id.
    const bool hasCells = m_feature != nullptr && m_ids.cells.size() == m_ids.ids.size();
    return hasCells && isOneWord(m_column->info(), *m_spec, id) ? textOfWord(row, value)
                                                                : SeenValue(id);
}

/// The cell that the id was made of.
SeenValue SeenValues::textOfWord(std::int64_t row, std::int64_t value) const
{
    const features::CellRange cells = features::RowCells(*m_feature, *m_rows).of(row);
    return seenCell(*m_feature, cells.begin + m_ids.cells[static_cast<std::size_t>(value)]);
}

} // namespace cannery::survey
