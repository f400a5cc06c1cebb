// SPDX-License-Identifier: Apache-2.0
#include "core/features/example_id_reader.h"

#include <string_view>

namespace cannery::features {

namespace {

constexpr ErrorKind kType{
    "features.example_id_type",
    "example_id_column reads one text per row, and feature '{}' is {}. Name another feature, or "
    "set data.column {{ name: \"{}\" dtype: string }}."};
constexpr ErrorKind kEmpty{
    "features.example_id",
    "{}: the row has no text in '{}', its example_id_column, and would share its dual variable "
    "with others. Give every row an id of its own, or leave such rows out."};

} // namespace

Result<void> readExampleIds(const RawRows& rows, const std::string& feature,
                            std::vector<Fingerprint128>& out)
{
    CANNERY_TRY_ASSIGN(const data::FeatureValues* values, rows.find(feature));
    const auto* texts = std::get_if<StringColumn>(&values->elements);
    const RowCells cells(*values, rows);
    if (texts == nullptr || !cells.areSingle()) {
        return fail(ErrorCode::InvalidArgument, kType, feature,
                    texts != nullptr ? "a list of texts" : name(values->dtype), feature);
    }
    out.resize(static_cast<std::size_t>(rows.count()));
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        const std::int64_t cell = cells.of(row).begin;
        const std::string_view text = (*texts)[static_cast<std::size_t>(cell)];
        if (isInvalid(*values, cell) || text.empty()) {
            return fail(ErrorCode::InvalidArgument, kEmpty, rows.place(row), feature);
        }
        out[static_cast<std::size_t>(row)] = fingerprint128(text);
    }
    return {};
}

} // namespace cannery::features
