// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/normalizer_check.h"

#include "core/features/usable_rows.h"
#include "core/spec/text/scalar_text.h"
#include "core/train/preparation/dataset_loader.h"
#include "core/train/preparation/normalizer_statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <variant>

namespace cannery::train {

namespace {

constexpr ErrorKind kExtreme{
    "data.extreme_value",
    "{}: {} of '{}' becomes {} in the feature column '{}', beyond 50, while most numbers lie "
    "within 5{}. Correct the cell, or use a log normalizer or a bucketized_column instead."};
constexpr ErrorKind kNoDeviation{
    "data.no_deviation",
    "Every number of '{}' in the training rows is {}, so the feature column '{}' is 0 in all of "
    "them and the model learns nothing from it. Remove the column, or train on rows that differ."};

std::string numberAt(const data::FeatureValues& values, std::size_t element)
{
    return std::visit(
        [&](const auto& elements) -> std::string {
            if constexpr (std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                return {};
            } else {
                return spec::numberText(static_cast<double>(elements[element]));
            }
        },
        values.elements);
}

bool isExtreme(float value)
{
    // NaN is extreme, too.
    return !(std::fabs(value) <= kExtremeNormalized);
}

std::string placeOf(const data::FeatureBatch& raw, std::size_t row,
                    std::span<const std::string> files)
{
    if (row >= raw.line.size()) {
        // Some sources have no lines.
        return "row " + std::to_string(row + 1);
    }
    const auto file = static_cast<std::size_t>(raw.fileIndex[row]);
    return (file < files.size() ? files[file] : "line") + ":" + std::to_string(raw.line[row]);
}

} // namespace

ExtremeValues::ExtremeValues(const features::FeatureEncoder& encoder)
{
    std::map<std::string, spec::NormalizedColumn> columns;
    for (spec::NormalizedColumn& column : spec::normalizedColumns(encoder.experiment())) {
        columns[column.name] = std::move(column);
    }
    for (const features::InputSlot& slot : encoder.layout().slots) {
        const auto column = columns.find(slot.column);
        // Other slots hold ids, which are not normalized.
        if (slot.kind == features::SlotKind::Dense && column != columns.end()) {
            m_columns.push_back({.name = slot.column,
                                 .feature = column->second.feature,
                                 .path = column->second.path,
                                 .block = static_cast<std::size_t>(slot.block)});
        }
    }
}

void ExtremeValues::look(const data::FeatureBatch& raw, const features::EncodedRows& rows,
                         std::span<const std::string> files)
{
    for (Column& column : m_columns) {
        const features::DenseBlock& block = rows.dense[column.block];
        const auto first = std::find_if(block.values.begin(), block.values.end(), isExtreme);
        if (first == block.values.end()) {
            continue;
        }
        if (column.count == 0) {
            const auto element = static_cast<std::size_t>(first - block.values.begin());
            const auto source =
                std::find_if(raw.features.begin(), raw.features.end(),
                             [&](const auto& values) { return values.name == column.feature; });
            // The first is shown; counting goes on.
            column.place = placeOf(raw, element / static_cast<std::size_t>(block.width), files);
            column.value = source == raw.features.end() ? "" : numberAt(*source, element);
            column.normalized = *first;
        }
        column.count +=
            static_cast<std::uint64_t>(std::count_if(first, block.values.end(), isExtreme));
    }
}

std::vector<Error> ExtremeValues::warnings() const
{
    std::vector<Error> warnings;
    for (const Column& column : m_columns) {
        if (column.count > 0) {
            warnings.push_back(
                error(ErrorCode::OutOfRange, kExtreme, column.place, column.value, column.feature,
                      spec::numberText(static_cast<double>(column.normalized)), column.name,
                      column.count == 1 ? ""
                                        : fmt::format(" ({} more such numbers)", column.count - 1))
                    .at(column.path));
        }
    }
    return warnings;
}

Error noDeviation(const spec::NormalizedColumn& column, double value)
{
    return error(ErrorCode::InvalidArgument, kNoDeviation, column.feature, spec::numberText(value),
                 column.name)
        .at(column.path);
}

Result<std::vector<Error>> checkNormalizers(const spec::Experiment& experiment,
                                            const std::string& folder,
                                            const data::Dataset& trainData,
                                            const LentThreads& threads)
{
    NormalizerStatistics statistics(experiment, trainData, threads);
    std::vector<Error> problems = statistics.withoutDeviation();
    if (statistics.failure()) {
        return tl::make_unexpected(*statistics.failure());
    }
    // The table need not be read a second time if its ends show that nothing is extreme.
    if (!statistics.mayHaveExtremes()) {
        return problems;
    }
    CANNERY_TRY_ASSIGN(const spec::Experiment resolved,
                       resolveWithStatistics(experiment, trainData, statistics));
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(resolved, folder));
    ExtremeValues extremes(encoder);
    const auto policy = features::RowPolicy::of(experiment.data());
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                       trainData.read({.features = encoder.featureKeys(),
                                       .labels = data::LabelNeed::None,
                                       .threads = threads,
                                       // Rows that training leaves out are left out here, too.
                                       .keepsUnusable = policy.skipsBad}));
    while (true) {
        CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> raw, stream->next());
        if (!raw) {
            std::ranges::move(extremes.warnings(), std::back_inserter(problems));
            return problems;
        }
        features::EncodedRows rows;
        CANNERY_TRY(features::encodeUsable(encoder, policy, *raw, features::Labels::None,
                                           trainData.files(), rows));
        extremes.look(*raw, rows, trainData.files());
    }
}

} // namespace cannery::train
