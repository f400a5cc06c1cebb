// SPDX-License-Identifier: Apache-2.0
#include "core/serving/row_input.h"

#include "core/data/dataset_opening.h"
#include "core/data/pipeline/default_value.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/typing/column_settlement.h"
#include "core/features/feature_column.h"
#include "core/features/raw_plan.h"
#include "core/spec/experiment.pb.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>

namespace cannery::serving {

namespace {

/// The feature's value of some element of a missing cell: the table's default, if it has one.
void appendMissing(const std::vector<data::DefaultValue>& defaultValue, data::FeatureValues& values)
{
    values.valid.push_back(defaultValue.empty() ? 0 : 1);
    std::visit(
        [&](auto& list) {
            using List = std::decay_t<decltype(list)>;
            if constexpr (std::is_same_v<List, StringColumn>) {
                list.push_back(defaultValue.empty() ? std::string_view()
                                                    : std::get<std::string>(defaultValue.front()));
            } else {
                using Value = typename List::value_type;
                list.push_back(defaultValue.empty() ? Value()
                                                    : std::get<Value>(defaultValue.front()));
            }
        },
        values.elements);
}

/// Knows what an experiment says about the columns of its table, by the functions that sources
/// use.
class Inputs
{
public:
    explicit Inputs(const spec::Data& data)
        : m_data(data), m_options(data::optionsOf(data, "")),
          m_tokens(data::missingTokens(data.train())),
          m_decimalMark(data::decimalMarkOf(data.train()))
    {}

    Result<RowInput> of(const features::RawPlan& plan) const
    {
        RowInput input;
        input.missing.name = plan.feature.name;
        input.missing.dtype = plan.rawType();
        input.missing.elements = storage::emptyValues(plan.rawType());
        input.missing.shape = plan.feature.shape;
        const spec::Feature* derived = find(plan.feature.name);
        if (derived != nullptr && derived->has_split()) {
            addSplit(derived->split(), input);
            return input;
        }
        if (derived != nullptr && derived->has_date_part()) {
            CANNERY_TRY(addDate(*derived, input));
            return input;
        }
        if (derived != nullptr && derived->has_stack()) {
            const auto& columns = derived->stack().columns();
            input.columns.assign(columns.begin(), columns.end());
        } else {
            input.columns = {derived != nullptr ? derived->column() : plan.feature.name};
        }
        for (const std::string& column : input.columns) {
            const DType dtype = input.missing.dtype;
            input.elements.emplace_back(dtype, tokensOf(column), notationOf(column));
            std::vector<data::DefaultValue> value;
            if (const std::string* text = defaultOf(column)) {
                CANNERY_TRY_ASSIGN(value, data::defaultValueOf(column, *text, dtype));
            }
            appendMissing(value, input.missing);
        }
        return input;
    }

private:
    const spec::Feature* find(const std::string& feature) const
    {
        const auto found = std::ranges::find_if(
            m_data.feature(), [&](const spec::Feature& each) { return each.name() == feature; });
        return found == m_data.feature().end() ? nullptr : &*found;
    }

    /// Null if the experiment states none.
    const std::string* defaultOf(const std::string& column) const
    {
        const auto found = std::ranges::find_if(
            m_data.column(), [&](const spec::Column& each) { return each.name() == column; });
        return found != m_data.column().end() && found->has_default_value()
                   ? &found->default_value()
                   : nullptr;
    }

    std::vector<std::string> tokensOf(const std::string& column) const
    {
        return data::missingTokensOf(m_tokens, m_options, column);
    }

    storage::NumberNotation notationOf(const std::string& column) const
    {
        return data::notationOf(m_options, column, m_decimalMark);
    }

    void addSplit(const spec::SplitCell& split, RowInput& input) const
    {
        input.columns = {split.column()};
        input.cell.emplace(DType::String, tokensOf(split.column()), storage::NumberNotation());
        input.pieces.emplace(split.separator(), input.missing.dtype, notationOf(split.column()));
        input.missing.sparse = true;
        std::int64_t count = 0;
        if (const std::string* text = defaultOf(split.column())) {
            // A default is cut like the cell itself.
            count = input.pieces->cut(*text, input.missing.elements);
        }
        input.missing.rowOffsets = {0, count};
    }

    Result<void> addDate(const spec::Feature& feature, RowInput& input) const
    {
        const std::string& column = feature.date_part().column();
        input.columns = {column};
        input.cell.emplace(DType::String, tokensOf(column), storage::NumberNotation());
        input.elements.emplace_back(input.missing.dtype, std::vector<std::string>(),
                                    storage::NumberNotation());
        CANNERY_TRY_ASSIGN(input.date, data::dateRecipe(m_data, feature));
        std::vector<data::DefaultValue> value;
        // The default of the column is a date; the feature's is its part.
        if (const std::string* text = defaultOf(column)) {
            if (const std::optional<std::string> part = input.date->readText(*text)) {
                CANNERY_TRY_ASSIGN(value, data::defaultValueOf(column, *part, input.missing.dtype));
            }
        }
        appendMissing(value, input.missing);
        return {};
    }

    const spec::Data& m_data;
    data::SourceOptions m_options;
    std::vector<std::string> m_tokens; ///< of every column
    char m_decimalMark;                ///< of the table
};

} // namespace

Result<std::vector<RowInput>> rowInputs(const features::FeatureEncoder& encoder)
{
    std::vector<features::RawUse> uses;
    for (const auto& column : encoder.columns()) {
        column->addUses(uses);
    }
    CANNERY_TRY_ASSIGN(const auto plans, features::planRawFeatures(encoder.experiment(), uses, {}));
    const Inputs inputs(encoder.experiment().data());
    std::vector<RowInput> all;
    for (const std::string& key : encoder.inputKeys()) {
        CANNERY_TRY_ASSIGN(RowInput input, inputs.of(plans.at(key)));
        all.push_back(std::move(input));
    }
    return all;
}

} // namespace cannery::serving
