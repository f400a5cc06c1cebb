// SPDX-License-Identifier: Apache-2.0
#include "core/features/sequence_numeric_column.h"

#include "core/features/feature_graph.h"
#include "core/features/sequence_categorical_column.h"
#include "core/spec/feature_columns.pb.h"

#include <cmath>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cannery::features {

namespace {

constexpr ErrorKind kSequenceType{
    "features.sequence_type",
    "Numeric sequence '{}' cannot read feature '{}', which is text. Use a "
    "sequence_categorical_column, or give the split that makes the feature the dtype float32."};
constexpr ErrorKind kSequenceDefault{"features.sequence_default_type",
                                     "Default value {} of numeric sequence '{}' is not of type {}; "
                                     "change the default or the dtype."};

/// Writes the normalized numbers of every row into its steps; what a last step lacks is left
/// unchanged.
template <typename Elements>
void writeSteps(const data::FeatureValues& values, const Elements& elements, const RawRows& rows,
                const Normalizer& normalizer, float padding, SequenceBlock& out)
{
    const RowCells rowCells(values, rows);
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        const CellRange cells = rowCells.of(row);
        const auto begin =
            static_cast<std::size_t>(out.rowOffsets[static_cast<std::size_t>(row)] * out.width);
        const auto numbers =
            std::span(out.values).subspan(begin, static_cast<std::size_t>(cells.end - cells.begin));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            numbers[i] = static_cast<float>(elements[static_cast<std::size_t>(cells.begin) + i]);
        }
        // Before the padding, which is in normalized units as in TensorFlow.
        normalizer.apply(numbers);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (isInvalid(values, cells.begin + static_cast<std::int64_t>(i))) {
                numbers[i] = padding;
            }
        }
    }
}

} // namespace

Result<ColumnPointer> SequenceNumericColumn::create(const spec::FeatureColumn& spec,
                                                    ColumnBuilder& builder)
{
    const spec::SequenceNumericColumn& column = spec.sequence_numeric_column();
    RawUse use;
    use.feature = column.key();
    use.role = RawRole::Steps;
    use.dtype = static_cast<DType>(column.dtype());
    const Shape shape(std::vector<std::int64_t>(column.shape().begin(), column.shape().end()));
    if (isInteger(use.dtype) && column.default_value() != std::floor(column.default_value())) {
        return fail(ErrorCode::InvalidArgument, kSequenceDefault, column.default_value(),
                    spec.name(), name(use.dtype));
    }
    CANNERY_TRY_ASSIGN(const Normalizer normalizer,
                       Normalizer::create(column.normalizer(), spec.name()));
    CANNERY_TRY_ASSIGN(ColumnInfo info,
                       builder.info(spec.name(), SlotKind::Sequence, shape.elementCount()));
    info.isSequence = true;
    return std::make_shared<const SequenceNumericColumn>(
        std::move(info), std::move(use), static_cast<float>(column.default_value()), normalizer);
}

Result<void> SequenceNumericColumn::encodeSteps(const RawRows& rows, SequenceBlock& out) const
{
    CANNERY_TRY_ASSIGN(const data::FeatureValues* values, rows.find(m_use.feature));
    if (values->dtype == DType::String) {
        return fail(ErrorCode::InvalidArgument, kSequenceType, info().name, m_use.feature);
    }
    CANNERY_TRY(expectList(*values, info().name));
    const std::int64_t width = info().width;
    const RowCells rowCells(*values, rows);
    out.width = width;
    out.rowOffsets.resize(static_cast<std::size_t>(rows.count()) + 1);
    out.rowOffsets.front() = 0;
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        const CellRange cells = rowCells.of(row);
        // A step of several numbers counts even if its last ones are missing.
        out.rowOffsets[static_cast<std::size_t>(row) + 1] =
            out.rowOffsets[static_cast<std::size_t>(row)] +
            (cells.end - cells.begin + width - 1) / width;
    }
    out.values.assign(static_cast<std::size_t>(out.rowOffsets.back() * width), m_padding);
    std::visit(
        [&](const auto& elements) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                writeSteps(*values, elements, rows, m_normalizer, m_padding, out);
            }
        },
        values->elements);
    return {};
}

Result<storage::EmittedValue> SequenceNumericColumn::emit(FeatureGraph& graph) const
{
    CANNERY_TRY_ASSIGN(SparseNodes cells, graph.listOfNumbers(m_use.feature));
    cells.values = m_normalizer.emit(graph.graph(), cells.values);
    return stepsOf(graph.graph(), cells, info().width, m_padding);
}

} // namespace cannery::features
