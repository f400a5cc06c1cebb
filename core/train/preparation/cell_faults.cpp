// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/cell_faults.h"

#include "core/base/memory_guard.h"
#include "core/features/feature_column.h"
#include "core/features/feature_encoder.h"
#include "core/features/label_encoder.h"
#include "core/features/raw_use.h"
#include "core/spec/canned_head.h"
#include "core/spec/column_kinds.h"
#include "core/spec/estimator_columns.h"
#include "core/spec/text/scalar_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

namespace cannery::train {

namespace {

constexpr ErrorKind kTextAmongNumbers{
    "data.text_among_numbers",
    "{}:{}: \"{}\" in column {} is not a number, but {} of {} values are, and the feature column "
    "'{}' reads numbers. Correct the cell, or name it as a missing_token of the column{}."};
constexpr ErrorKind kNonFiniteCell{
    "train.nan_loss_of_cell",
    "The loss became NaN at step {} because of a cell: {}: {} of '{}' becomes {} in the feature "
    "column '{}'. Correct the cell, name it as a missing_token of its column, or leave out its "
    "row."};
constexpr ErrorKind kNonFiniteLabel{
    "train.nan_loss_of_label",
    "The loss became NaN at step {} because of a cell: {}: the label '{}' is {}. Correct the cell, "
    "or leave out its row."};

std::string placeIn(const data::FeatureBatch& rows, std::size_t row,
                    const std::vector<std::string>& files)
{
    if (row >= rows.line.size()) {
        return "row " + std::to_string(row + 1);
    }
    return fmt::format("{}:{}", files[static_cast<std::size_t>(rows.fileIndex[row])],
                       rows.line[row]);
}

/// The elements of a row, as an error shows them.
std::string elementsOf(const data::FeatureValues& values, std::size_t row)
{
    const auto width = static_cast<std::size_t>(values.shape.elementCount());
    std::string text;
    std::visit(
        [&](const auto& elements) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
                    // As its column's cells are not kept, the numbers are shown as they were read.
                    text += (text.empty() ? "" : ", ") +
                            spec::numberText(static_cast<double>(elements[i]));
                }
            }
        },
        values.elements);
    return text;
}

/// The raw feature that a feature column reads first.
const data::FeatureValues* sourceOf(const features::FeatureColumn& column,
                                    const data::FeatureBatch& rows)
{
    std::vector<features::RawUse> uses;
    column.addUses(uses);
    const auto found =
        std::find_if(rows.features.begin(), rows.features.end(), [&](const auto& values) {
            return !uses.empty() && values.name == uses.front().feature;
        });
    // A list has no element for each row, so the row's cell cannot be found.
    return found == rows.features.end() || found->sparse ? nullptr : &*found;
}

std::optional<Error> lookAtInputs(const data::FeatureBatch& rows,
                                  const features::EncodedRows& encoded,
                                  const features::FeatureEncoder& encoder,
                                  const std::vector<std::string>& files, const std::string& step)
{
    for (std::size_t i = 0; i < encoder.layout().slots.size(); ++i) {
        const features::InputSlot& slot = encoder.layout().slots[i];
        const data::FeatureValues* source = sourceOf(*encoder.columns()[i], rows);
        if (slot.kind != features::SlotKind::Dense || source == nullptr) {
            continue;
        }
        const features::DenseBlock& block = encoded.dense[static_cast<std::size_t>(slot.block)];
        // Any that is not finite: an infinite input makes the loss NaN a step later.
        const auto bad = std::find_if(block.values.begin(), block.values.end(),
                                      [](float value) { return !std::isfinite(value); });
        if (bad != block.values.end()) {
            const auto row = static_cast<std::size_t>(bad - block.values.begin()) /
                             static_cast<std::size_t>(block.width);
            return error(ErrorCode::OutOfRange, kNonFiniteCell, step, placeIn(rows, row, files),
                         elementsOf(*source, row), source->name,
                         spec::numberText(static_cast<double>(*bad)), slot.column);
        }
    }
    return std::nullopt;
}

std::optional<Error> lookAtLabels(const data::FeatureBatch& rows,
                                  const std::vector<std::string>& files, const std::string& step)
{
    for (const data::FeatureValues& label : rows.labels) {
        const auto* floats = std::get_if<std::vector<float>>(&label.elements);
        // Other labels are class numbers, which are always finite.
        if (floats == nullptr || label.sparse) {
            continue;
        }
        const auto bad = std::find_if(floats->begin(), floats->end(),
                                      [](float value) { return !std::isfinite(value); });
        if (bad != floats->end()) {
            const auto row = static_cast<std::size_t>(bad - floats->begin()) /
                             static_cast<std::size_t>(label.shape.elementCount());
            return error(ErrorCode::OutOfRange, kNonFiniteLabel, step, placeIn(rows, row, files),
                         label.name, spec::numberText(static_cast<double>(*bad)));
        }
    }
    return std::nullopt;
}

/// Reads the table again from its beginning: encoded rows no longer know their file and line.
Result<std::optional<Error>> search(const spec::Experiment& resolved, const std::string& folder,
                                    const std::string& step)
{
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(resolved.data(), folder, data::DataPart::Train));
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(resolved, folder));
    CANNERY_TRY_ASSIGN(
        const std::unique_ptr<data::FeatureStream> stream,
        // Labels only if they are there: the cell may be an input.
        dataset.read({.features = encoder.featureKeys(), .labels = data::LabelNeed::Optional}));
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> rows, stream->next());
        if (!rows) {
            return std::optional<Error>();
        }
        CANNERY_TRY_ASSIGN(const features::EncodedRows encoded,
                           encoder.encode(*rows, features::Labels::None, dataset.files()));
        // Inputs first, in the order of the columns, so that the same cell is named each time.
        std::optional<Error> found = lookAtInputs(*rows, encoded, encoder, dataset.files(), step);
        found = found ? std::move(found) : lookAtLabels(*rows, dataset.files(), step);
        if (found) {
            return found;
        }
    }
}

/// Names of the columns that the estimator reads, itself or in buckets.
std::set<std::string> columnsInUse(const spec::Experiment& experiment)
{
    std::set<std::string> names;
    for (const spec::PartColumns& part : spec::partColumnsOf(experiment.estimator())) {
        names.insert(part.handles.begin(), part.handles.end());
    }
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        // A bucketized column reads its source without the estimator naming it.
        names.insert(column.bucketized_column().source_column());
    }
    return names;
}

} // namespace

std::vector<Error> textsAmongNumbers(const spec::Experiment& experiment,
                                     const data::Dataset& trainData)
{
    std::vector<Error> errors;
    const std::set<std::string> used = columnsInUse(experiment);
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        const bool isUsed =
            spec::gives(column, spec::ColumnKind::NUMBERS) && used.contains(column.name());
        const data::FeatureInfo* feature =
            isUsed ? trainData.find(column.numeric_column().key()) : nullptr;
        // The suggestion is about one column; a feature made of several has none to name.
        const data::ColumnSchema* known =
            feature == nullptr || feature->columns.size() != 1 || feature->sparse
                ? nullptr
                : trainData.schema().find(feature->columns.front());
        if (known == nullptr || !known->firstText) {
            continue;
        }
        errors.push_back(
            error(ErrorCode::InvalidArgument, kTextAmongNumbers, known->firstText->file,
                  known->firstText->line, known->firstText->text, known->name,
                  known->values - known->texts, known->values, column.name(),
                  known->suggestedNotation ? ", or describe how its numbers are written with "
                                             "number_notation"
                                           : "")
                .at(fmt::format("feature_column[{}].numeric_column.key", column.name())));
    }
    return errors;
}

/// A few rows are enough, since type and shape are the same in all of them.
std::optional<Error> unfitLabel(const spec::Experiment& experiment, const data::Dataset& trainData)
{
    constexpr std::uint64_t kRowsLookedAt = 16;
    const auto labels = features::LabelEncoder::create(spec::headOf(experiment.estimator()));
    // Steps have labels of other shapes, which the encoder checks as they come.
    if (!labels || labels->width() == 0 || spec::predictsEveryStep(experiment.estimator())) {
        return std::nullopt;
    }
    const auto stream = trainData.read({.maxRows = kRowsLookedAt});
    const auto rows = stream ? (*stream)->next() : tl::make_unexpected(stream.error());
    if (!rows || !*rows) {
        return std::nullopt; // which others report
    }
    std::vector<float> encoded;
    Result<void> done = labels->encode(features::RawRows(**rows), encoded);
    const bool isUnfit = !done && (done.error().id == "features.label_type" ||
                                   done.error().id == "features.label_shape");
    // Other errors are about single rows, and those may be skipped.
    return isUnfit ? std::optional(std::move(done).error()) : std::nullopt;
}

std::optional<Error> nonFiniteCell(const spec::Experiment& resolved, const std::string& folder,
                                   const std::string& step)
{
    Result<std::optional<Error>> found =
        guardMemory("the training rows", [&] { return search(resolved, folder, step); });
    // The search is only to explain a failure: its own errors are not worth another.
    return found ? std::move(*found) : std::nullopt;
}

} // namespace cannery::train
