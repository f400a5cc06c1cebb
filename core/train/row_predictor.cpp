// SPDX-License-Identifier: Apache-2.0
#include "core/train/row_predictor.h"

#include "core/base/catalog.h"
#include "core/features/encode_scratch.h"
#include "core/features/feature_column.h"
#include "core/features/raw_plan.h"
#include "core/plan/forward_pass.h"
#include "core/train/block_predictor.h"
#include "storage/tabular/csv_scanner.h"
#include "storage/tabular/number_parser.h"
#include "storage/tabular/table_chunk.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace cannery::train {

namespace {

constexpr ErrorKind kNoFeature{"predict.no_feature", "The model reads no feature '{}'.{}"};
constexpr ErrorKind kCell{"predict.cell", "'{}' is not a value of feature '{}': it takes {}."};

/// The type assumed for a feature of the row that is declared nowhere.
struct Cell
{
    data::FeatureValues missing;
    std::vector<std::string> missingTokens;
};

/// Beyond this a double no longer distinguishes neighbouring integers.
constexpr double kMostExactInteger = 9007199254740992.0;

bool isWhole(double number)
{
    return number == std::floor(number) && std::fabs(number) <= kMostExactInteger;
}

bool fitsType(double number, DType dtype)
{
    if (!isInteger(dtype)) {
        return true;
    }
    return number == std::floor(number) && std::fabs(number) < 0x1p63 &&
           (dtype == DType::Int64 || (number >= std::numeric_limits<std::int32_t>::min() &&
                                      number <= std::numeric_limits<std::int32_t>::max()));
}

bool readNumber(std::string_view padded, float& number)
{
    return storage::parseFloat(padded, number) != storage::NumberStatus::NotANumber;
}
bool readNumber(std::string_view padded, double& number)
{
    return storage::parseDouble(padded, number) != storage::NumberStatus::NotANumber;
}
bool readNumber(std::string_view padded, std::int64_t& number)
{
    return storage::parseInteger(padded, number) == storage::NumberStatus::Ok;
}

void clearElements(data::FeatureElements& elements)
{
    std::visit([](auto& list) { list.clear(); }, elements);
}

void append(data::FeatureElements& elements, double number)
{
    std::visit(
        [number](auto& list) {
            using List = std::decay_t<decltype(list)>;
            if constexpr (!std::is_same_v<List, StringColumn>) {
                list.push_back(static_cast<typename List::value_type>(number));
            }
        },
        elements);
}

void append(data::FeatureElements& elements, std::string_view text)
{
    std::get<StringColumn>(elements).push_back(text);
}

/// A text as an element, parsed as a table is; nothing if it is not of that type. `padded` is
/// working memory.
bool appendText(std::string_view text, std::string& padded, data::FeatureValues& values)
{
    if (values.dtype == DType::String) {
        append(values.elements, text);
        return true;
    }
    padded.assign(storage::kTextPadding, ' ');
    padded.append(text).append(storage::kTextPadding, ' ');
    text = std::string_view(padded).substr(storage::kTextPadding, text.size());
    return std::visit(
        [&](auto& list) {
            using List = std::decay_t<decltype(list)>;
            if constexpr (std::is_same_v<List, StringColumn>) {
                return false;
            } else {
                typename List::value_type number{};
                const bool isRead =
                    readNumber(text, number) && fitsType(static_cast<double>(number), values.dtype);
                if (isRead) {
                    list.push_back(number);
                }
                return isRead;
            }
        },
        values.elements);
}

/// The value of the feature in a row of a table whose cells are all empty.
data::FeatureValues missingValues(const features::RawPlan& plan, std::string& padded)
{
    data::FeatureValues values;
    values.name = plan.feature.name;
    values.dtype = plan.rawType();
    values.elements = storage::emptyValues(values.dtype);
    values.sparse = plan.feature.sparse;
    if (values.sparse) {
        for (const auto& piece : plan.feature.defaults) {
            appendText(piece.value_or(""), padded, values);
        }
        const std::size_t count =
            std::visit([](const auto& list) { return list.size(); }, values.elements);
        values.rowOffsets = {0, static_cast<std::int64_t>(count)};
        return values;
    }
    values.shape = plan.feature.shape;
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan.width()); ++i) {
        const std::optional<std::string> text =
            i < plan.feature.defaults.size() ? plan.feature.defaults[i] : std::nullopt;
        const bool isThere = text && (!text->empty() || values.dtype == DType::String) &&
                             appendText(*text, padded, values);
        if (!isThere) {
            values.dtype == DType::String ? append(values.elements, std::string_view())
                                          : append(values.elements, 0.0);
        }
        values.valid.push_back(isThere ? 1 : 0);
    }
    return values;
}

std::string takenBy(const data::FeatureValues& values)
{
    const std::string each(name(values.dtype));
    if (values.sparse) {
        return "any number of values of type " + each;
    }
    const std::int64_t count = values.shape.elementCount();
    return count == 1 ? "one value of type " + each
                      : std::to_string(count) + " values of type " + each;
}

} // namespace

struct RowPredictor::State
{
    explicit State(const features::FeatureEncoder& ofModel) : encoder(ofModel) {}

    Cell& cell(FeatureSlot slot) { return cells[slot.index]; }
    data::FeatureValues& values(FeatureSlot slot) { return row.features[slot.index]; }
    /// Marks what was just put into the feature as present.
    void accept(FeatureSlot slot, std::size_t count)
    {
        data::FeatureValues& feature = values(slot);
        if (feature.sparse) {
            feature.rowOffsets[1] = static_cast<std::int64_t>(count);
        } else {
            std::fill(feature.valid.begin(), feature.valid.end(), std::uint8_t{1});
        }
    }
    template <typename Given>
    auto refuse(FeatureSlot slot, const Given& given)
    {
        clear(slot);
        return fail(ErrorCode::InvalidArgument, kCell, given, values(slot).name,
                    takenBy(values(slot)));
    }
    void clear(FeatureSlot slot)
    {
        // Assigned part by part to keep the memory.
        const data::FeatureValues& missing = cell(slot).missing;
        data::FeatureValues& feature = values(slot);
        feature.elements = missing.elements;
        feature.valid = missing.valid;
        feature.rowOffsets = missing.rowOffsets;
    }

    features::FeatureEncoder encoder;
    data::FeatureBatch row;
    std::vector<Cell> cells;
    std::string padded;
    features::EncodeScratch scratch;
    features::EncodedRows encoded;
    std::unique_ptr<plan::ForwardPass> pass;
    std::vector<heads::Prediction> predictions;
};

RowPredictor::RowPredictor(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RowPredictor::~RowPredictor() = default;

Result<std::unique_ptr<RowPredictor>> RowPredictor::create(const features::FeatureEncoder& encoder,
                                                           plan::Model& model)
{
    auto state = std::make_unique<State>(encoder);
    std::vector<features::RawUse> uses;
    for (const auto& column : encoder.columns()) {
        column->addUses(uses);
    }
    CANNERY_TRY_ASSIGN(const auto plans, features::planRawFeatures(encoder.experiment(), uses, {}));
    state->row.rowCount = 1;
    for (const std::string& key : encoder.inputKeys()) {
        const features::RawPlan& plan = plans.at(key);
        state->cells.push_back({.missing = missingValues(plan, state->padded),
                                .missingTokens = plan.feature.missingTokens});
        state->row.features.push_back(state->cells.back().missing);
    }
    // The same size as BlockPredictor's blocks, so that both sum in the same order.
    CANNERY_TRY_ASSIGN(state->pass, model.createForwardPass(BlockPredictorOptions().blockRows));
    return std::unique_ptr<RowPredictor>(new RowPredictor(std::move(state)));
}

const std::vector<std::string>& RowPredictor::features() const
{
    return m_state->encoder.inputKeys();
}

Result<FeatureSlot> RowPredictor::feature(std::string_view name) const
{
    const auto found = std::find(features().begin(), features().end(), name);
    if (found == features().end()) {
        return fail(ErrorCode::NotFound, kNoFeature, name, suggestion(name, features()));
    }
    return FeatureSlot{static_cast<std::size_t>(found - features().begin())};
}

Result<void> RowPredictor::setNumber(FeatureSlot slot, double number)
{
    return setNumbers(slot, {&number, 1});
}

Result<void> RowPredictor::setText(FeatureSlot slot, std::string_view text)
{
    const std::vector<std::string>& tokens = m_state->cell(slot).missingTokens;
    if (text.empty() || std::find(tokens.begin(), tokens.end(), text) != tokens.end()) {
        m_state->clear(slot);
        return {};
    }
    return setTexts(slot, {&text, 1});
}

Result<void> RowPredictor::setNumbers(FeatureSlot slot, std::span<const double> numbers)
{
    data::FeatureValues& feature = m_state->values(slot);
    const auto count = static_cast<std::int64_t>(numbers.size());
    if (!feature.sparse && count != feature.shape.elementCount()) {
        return m_state->refuse(slot, numbers.size());
    }
    clearElements(feature.elements);
    for (const double number : numbers) {
        if (feature.dtype == DType::String) {
            if (!isWhole(number)) {
                return m_state->refuse(slot, number);
            }
            std::array<char, 24> digits{};
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                           static_cast<std::int64_t>(number))
                                 .ptr;
            append(feature.elements, std::string_view(digits.data(), end));
        } else if (fitsType(number, feature.dtype)) {
            append(feature.elements, number);
        } else {
            return m_state->refuse(slot, number);
        }
    }
    m_state->accept(slot, numbers.size());
    return {};
}

Result<void> RowPredictor::setTexts(FeatureSlot slot, std::span<const std::string_view> texts)
{
    data::FeatureValues& feature = m_state->values(slot);
    const auto count = static_cast<std::int64_t>(texts.size());
    if (!feature.sparse && count != feature.shape.elementCount()) {
        return m_state->refuse(slot, texts.size());
    }
    clearElements(feature.elements);
    for (const std::string_view text : texts) {
        if (!appendText(text, m_state->padded, feature)) {
            return m_state->refuse(slot, text);
        }
    }
    m_state->accept(slot, texts.size());
    return {};
}

void RowPredictor::clear(FeatureSlot slot)
{
    m_state->clear(slot);
}

void RowPredictor::clearAll()
{
    for (std::size_t index = 0; index < m_state->cells.size(); ++index) {
        m_state->clear({index});
    }
}

Result<std::span<const heads::Prediction>> RowPredictor::predict()
{
    State& state = *m_state;
    CANNERY_TRY(state.encoder.encodeInputs(state.row, 0, 1, {}, state.scratch, state.encoded));
    state.pass->predict(state.encoded, state.predictions);
    return std::span<const heads::Prediction>(state.predictions);
}

} // namespace cannery::train
