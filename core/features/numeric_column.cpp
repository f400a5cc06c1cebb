// SPDX-License-Identifier: Apache-2.0
#include "core/features/numeric_column.h"

#include "core/features/column_builder.h"
#include "core/features/feature_graph.h"
#include "core/spec/feature_columns.pb.h"
#include "core/spec/histogram_growth.h"
#include "core/spec/networks/token_catalog.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::features {

namespace {

constexpr ErrorKind kMissingNumber{
    "features.missing_number",
    "{}: '{}' is missing. Give data.column {{ name: \"{}\" }} or the numeric_column a "
    "default_value, or leave the row out (data.bad_rows: SKIP)."};
constexpr ErrorKind kNumberType{
    "features.number_type",
    "Numeric column '{}' cannot read feature '{}', which is {}. Use a categorical column with an "
    "indicator or embedding column, or give the data column a numeric dtype."};
constexpr ErrorKind kNumberShape{
    "features.number_shape",
    "Numeric column '{}' has shape {}, but a row of feature '{}' has shape {}."};
constexpr ErrorKind kNumberDefaults{
    "features.number_defaults",
    "Numeric column '{}' has {} default values for {} elements; give one, or one for each."};
constexpr ErrorKind kTokenId{
    "features.token_id",
    "{}: '{}' is {}, which is no id of a token_embedding: ids are whole numbers from 0 to {}. "
    "Raise "
    "its input_dim, correct the number, or leave the row out (data.bad_rows: SKIP)."};
constexpr ErrorKind kIntegerDefault{
    "features.number_default_type",
    "Default value {} of numeric column '{}' is not of type {}; change the default or the dtype."};

Result<std::vector<double>> defaultsOf(const spec::NumericColumn& column, std::int64_t elements,
                                       const std::string& handle, DType dtype)
{
    std::vector<double> defaults(column.default_value().begin(), column.default_value().end());
    // TensorFlow's numeric_column refuses such a default, too.
    for (const double value : defaults) {
        if (isInteger(dtype) && value != std::floor(value)) {
            return fail(ErrorCode::InvalidArgument, kIntegerDefault, value, handle, name(dtype));
        }
    }
    // One default fills every element, as in TensorFlow.
    if (defaults.size() == 1) {
        defaults.resize(static_cast<std::size_t>(elements), defaults.front());
    }
    if (!defaults.empty() && static_cast<std::int64_t>(defaults.size()) != elements) {
        return fail(ErrorCode::InvalidArgument, kNumberDefaults, handle, defaults.size(), elements);
    }
    return defaults;
}

} // namespace

Result<std::shared_ptr<const FeatureColumn>> NumericColumn::create(const spec::FeatureColumn& spec,
                                                                   ColumnBuilder& builder)
{
    const spec::NumericColumn& column = spec.numeric_column();
    RawUse use;
    use.feature = column.key();
    use.role = RawRole::Number;
    use.dtype = static_cast<DType>(column.dtype());
    if (column.shape_size() > 0) {
        use.shape = Shape(std::vector<std::int64_t>(column.shape().begin(), column.shape().end()));
    }
    const std::int64_t elements = use.shape.elementCount();
    CANNERY_TRY_ASSIGN(use.defaults, defaultsOf(column, elements, spec.name(), use.dtype));
    // Boosted trees send missing numbers down a branch of their own, so they stay NaN.
    if (use.defaults.empty() && !isInteger(use.dtype) &&
        spec::keepsMissingNumbers(builder.experiment(), spec.name())) {
        use.defaults.assign(static_cast<std::size_t>(elements),
                            std::numeric_limits<double>::quiet_NaN());
    }
    CANNERY_TRY_ASSIGN(const Normalizer normalizer,
                       Normalizer::create(column.normalizer(), spec.name()));
    CANNERY_TRY_ASSIGN(ColumnInfo info, builder.info(spec.name(), SlotKind::Dense, elements));
    return std::make_shared<const NumericColumn>(
        std::move(info), std::move(use), normalizer,
        spec::tokenIdsOf(builder.experiment(), spec.name()));
}

std::shared_ptr<const FeatureColumn> NumericColumn::ofFeature(const std::string& feature)
{
    ColumnInfo info{feature, feature, SlotKind::Dense, 1, false};
    return std::make_shared<const NumericColumn>(std::move(info), RawUse{.feature = feature},
                                                 Normalizer());
}

Result<void> NumericColumn::check(const data::FeatureValues& values) const
{
    if (values.sparse || values.dtype == DType::String) {
        return fail(ErrorCode::InvalidArgument, kNumberType, info().name, m_use.feature,
                    values.sparse ? "a list of values (sparse)" : "text");
    }
    if (values.shape.elementCount() != info().width) {
        return fail(ErrorCode::InvalidArgument, kNumberShape, info().name, m_use.shape.toString(),
                    m_use.feature, values.shape.toString());
    }
    return {};
}

Result<void> NumericColumn::fillMissing(const RawRows& rows, const data::FeatureValues& values,
                                        DenseBlock& out) const
{
    if (values.valid.empty()) {
        return {};
    }
    const auto width = static_cast<std::size_t>(info().width);
    const std::uint8_t* valid =
        values.valid.data() + static_cast<std::size_t>(rows.first()) * width;
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        if (valid[i] != 0) {
            continue;
        }
        if (m_use.defaults.empty()) {
            return fail(ErrorCode::InvalidArgument, kMissingNumber,
                        rows.place(static_cast<std::int64_t>(i / width)), m_use.feature,
                        m_use.feature);
        }
        out.values[i] = static_cast<float>(m_use.defaults[i % width]);
    }
    return {};
}

Result<void> NumericColumn::encodeDense(const RawRows& rows, DenseBlock& out) const
{
    CANNERY_TRY_ASSIGN(const data::FeatureValues* values, rows.find(m_use.feature));
    CANNERY_TRY(check(*values));
    out.width = info().width;
    out.values.resize(static_cast<std::size_t>(rows.count() * info().width));
    std::visit(
        [&](const auto& elements) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                const auto* first = elements.data() + rows.first() * info().width;
                std::transform(first, first + out.values.size(), out.values.begin(),
                               [](auto element) { return static_cast<float>(element); });
            }
        },
        values->elements);
    // Before normalizing: a default is in the units of the column.
    CANNERY_TRY(fillMissing(rows, *values, out));
    m_normalizer.apply(out.values);
    return m_ids ? checkIds(rows, out) : Result<void>();
}

/// As the network sees them: a normalizer may make ids of other numbers.
Result<void> NumericColumn::checkIds(const RawRows& rows, const DenseBlock& block) const
{
    for (std::size_t i = 0; i < block.values.size(); ++i) {
        const float value = block.values[i];
        const bool isId =
            value >= 0.0F && value < static_cast<float>(*m_ids) && value == std::floor(value);
        if (!isId) {
            return fail(ErrorCode::InvalidArgument, kTokenId,
                        rows.place(static_cast<std::int64_t>(i) / block.width), m_use.feature,
                        value, *m_ids - 1);
        }
    }
    return {};
}

Result<storage::NodeRef> NumericColumn::emitRaw(FeatureGraph& graph) const
{
    return graph.number(m_use.feature, m_use.defaults);
}

Result<storage::EmittedValue> NumericColumn::emit(FeatureGraph& graph) const
{
    CANNERY_TRY_ASSIGN(const storage::NodeRef value, emitRaw(graph));
    storage::EmittedValue result;
    result.dense = m_normalizer.emit(graph.graph(), value).input();
    return result;
}

} // namespace cannery::features
