// SPDX-License-Identifier: Apache-2.0
#include "core/plan/learners/histogram_tree_table.h"

#include "core/base/lent_threads.h"

#include <algorithm>
#include <limits>

namespace cannery::plan {

namespace {

using graph::LearnerInput;
using graph::LearnerInputKind;

constexpr ErrorKind kTooManyRows{
    "plan.histogram_rows",
    "The table has {} rows; leaf-wise growth takes at most 4294967295. Train on fewer rows."};
constexpr ErrorKind kSeveralCategories{
    "plan.histogram_categories",
    "Row {} has {} categories of column '{}'; leaf-wise growth takes one. Use "
    "an indicator_column of it, or leave `histogram` out."};
constexpr ErrorKind kWideIndicator{
    "plan.histogram_indicator",
    "Column '{}' has {} categories; leaf-wise growth takes indicators of at most 256. Use the "
    "categorical column itself."};

constexpr std::int64_t kSampledRows = std::int64_t{1} << 17;
constexpr std::int64_t kReadRows = 8 * 1024;

/// Several trees may split the columns of one input: those of a vector, or one for each category.
struct ColumnPlace
{
    std::int32_t input = 0;
    std::int32_t feature = 0;
    std::int64_t element = 0; ///< of the input: number, dimension or category
};

Result<std::vector<ColumnPlace>> placesOf(const std::vector<LearnerInput>& inputs)
{
    std::vector<ColumnPlace> places;
    std::int32_t feature = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const LearnerInput& input = inputs[i];
        const auto index = static_cast<std::int32_t>(i);
        switch (input.kind) {
        case LearnerInputKind::Categories:
            places.push_back({index, feature++, 0});
            break;
        case LearnerInputKind::Buckets:
            for (std::int64_t dimension = 0; dimension < input.dimensions; ++dimension) {
                places.push_back({index, feature, dimension});
            }
            ++feature;
            break;
        case LearnerInputKind::Indicator:
            // Each category would be a column of its own.
            if (input.width > kernels::kHistogramBins) {
                return fail(ErrorCode::InvalidArgument, kWideIndicator, input.name, input.width);
            }
            [[fallthrough]];
        case LearnerInputKind::Numbers:
            for (std::int64_t element = 0; element < input.width; ++element) {
                places.push_back({index, feature++, element});
            }
            break;
        }
    }
    return places;
}

/// Rows at even distances.
std::vector<std::int64_t> sampledRows(std::int64_t rows)
{
    const std::int64_t count = std::min(rows, kSampledRows);
    std::vector<std::int64_t> sampled(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        // The product is below 2^53, so that the double is exact.
        sampled[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(
            static_cast<double>(i) * static_cast<double>(rows) / static_cast<double>(count));
    }
    return sampled;
}

/// The ids of a column that has at most one per row, negative: missing.
Result<std::vector<std::int32_t>> singleIds(const features::IdBlock& block,
                                            const LearnerInput& input, std::int64_t firstRow)
{
    const std::size_t rows = block.rowOffsets.size() - 1;
    std::vector<std::int32_t> ids(rows, -1);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::int64_t first = block.rowOffsets[row];
        const std::int64_t count = block.rowOffsets[row + 1] - first;
        if (count > 1) {
            return fail(ErrorCode::InvalidArgument, kSeveralCategories,
                        firstRow + static_cast<std::int64_t>(row) + 1, count, input.name);
        }
        if (count == 1) {
            ids[row] = block.ids[static_cast<std::size_t>(first)];
        }
    }
    return ids;
}

/// The buckets of one dimension, or whether a category occurs, as numbers.
std::vector<float> numbersOfIds(const features::IdBlock& block, const LearnerInput& input,
                                std::int64_t element)
{
    const std::size_t rows = block.rowOffsets.size() - 1;
    std::vector<float> numbers(rows, 0.0F);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::int64_t i = block.rowOffsets[row]; i < block.rowOffsets[row + 1]; ++i) {
            const std::int64_t id = block.ids[static_cast<std::size_t>(i)];
            if (input.kind == LearnerInputKind::Indicator) {
                numbers[row] = id == element ? 1.0F : numbers[row];
            } else if (id / input.buckets() == element) {
                numbers[row] = static_cast<float>(id % input.buckets());
            }
        }
    }
    return numbers;
}

trees::HistogramColumn columnOf(const ColumnPlace& place, const LearnerInput& input,
                                const features::EncodedRows& sample, std::int64_t maxBins)
{
    trees::HistogramColumn column;
    const auto block = static_cast<std::size_t>(input.block);
    if (input.kind == LearnerInputKind::Numbers) {
        const std::vector<float>& values = sample.dense[block].values;
        std::vector<float> numbers;
        for (std::size_t i = static_cast<std::size_t>(place.element); i < values.size();
             i += static_cast<std::size_t>(input.width)) {
            numbers.push_back(values[i]);
        }
        column = trees::numberColumn(std::move(numbers), maxBins);
    } else if (input.kind == LearnerInputKind::Categories) {
        std::vector<std::int64_t> counts;
        for (const std::int32_t id : sample.ids[block].ids) {
            if (id >= 0) {
                counts.resize(std::max(counts.size(), static_cast<std::size_t>(id) + 1));
                ++counts[static_cast<std::size_t>(id)];
            }
        }
        column = trees::categoryColumn(counts);
    } else {
        column =
            trees::numberColumn(numbersOfIds(sample.ids[block], input, place.element), maxBins);
        column.kind = trees::SplitKind::Bucket;
        column.dimension =
            input.kind == LearnerInputKind::Buckets ? static_cast<std::int32_t>(place.element) : 0;
    }
    column.feature = place.feature;
    return column;
}

class TableReader
{
public:
    TableReader(const std::vector<LearnerInput>& inputs, const features::EncodedDataset& rows,
                std::int64_t maxBins, kernels::ThreadPool& pool)
        : m_inputs(inputs), m_rows(rows), m_maxBins(maxBins), m_threads(kernels::lend(pool))
    {}

    Result<HistogramTreeTable> read()
    {
        const std::int64_t count = m_rows.rowCount();
        if (count > std::numeric_limits<std::uint32_t>::max()) {
            return fail(ErrorCode::InvalidArgument, kTooManyRows, count);
        }
        CANNERY_TRY_ASSIGN(m_places, placesOf(m_inputs));
        features::EncodedRows sample;
        CANNERY_TRY(m_rows.gather(sampledRows(count), sample, m_threads.run));
        HistogramTreeTable table{
            .bins = trees::HistogramTable({}, 0), .inputOfColumn = {}, .labels = {}, .weights = {}};
        for (const ColumnPlace& place : m_places) {
            table.inputOfColumn.push_back(place.input);
        }
        CANNERY_TRY_ASSIGN(std::vector<trees::HistogramColumn> columns, columnsOf(sample));
        const std::int64_t sampled = std::max<std::int64_t>(sample.rowCount, 1);
        table.labelWidth = static_cast<std::int64_t>(sample.labels.size()) / sampled;
        table.weightWidth = static_cast<std::int64_t>(sample.weights.size()) / sampled;
        table.labels.resize(static_cast<std::size_t>(count * table.labelWidth));
        table.weights.resize(static_cast<std::size_t>(count * table.weightWidth));
        table.bins = trees::HistogramTable(std::move(columns), count);
        CANNERY_TRY(m_threads.tryAll(
            "the bins of the training rows", (count + kReadRows - 1) / kReadRows,
            [&](std::int64_t block) { return readBlock(block * kReadRows, table); }));
        return table;
    }

private:
    Result<std::vector<trees::HistogramColumn>> columnsOf(const features::EncodedRows& sample)
    {
        std::vector<trees::HistogramColumn> columns(m_places.size());
        const auto makeColumn = [&](std::int64_t index) -> Result<void> {
            const ColumnPlace& place = m_places[static_cast<std::size_t>(index)];
            columns[static_cast<std::size_t>(index)] =
                columnOf(place, inputOf(place), sample, m_maxBins);
            return {};
        };
        CANNERY_TRY(m_threads.tryAll("the bins of a column",
                                     static_cast<std::int64_t>(m_places.size()), makeColumn));
        return columns;
    }

    Result<void> readBlock(std::int64_t first, HistogramTreeTable& table) const
    {
        const std::int64_t count = std::min(kReadRows, m_rows.rowCount() - first);
        features::EncodedRows rows;
        CANNERY_TRY(m_rows.gatherRange(first, count, rows));
        std::ranges::copy(rows.labels, table.labels.begin() + first * table.labelWidth);
        std::ranges::copy(rows.weights, table.weights.begin() + first * table.weightWidth);
        for (std::size_t column = 0; column < m_places.size(); ++column) {
            const ColumnPlace& place = m_places[column];
            const LearnerInput& input = inputOf(place);
            const auto block = static_cast<std::size_t>(input.block);
            if (input.kind == LearnerInputKind::Numbers) {
                table.bins.setNumbers(column, first, count,
                                      rows.dense[block].values.data() + place.element, input.width);
            } else if (input.kind == LearnerInputKind::Categories) {
                CANNERY_TRY_ASSIGN(const std::vector<std::int32_t> ids,
                                   singleIds(rows.ids[block], input, first));
                table.bins.setCategories(column, first, ids);
            } else {
                const std::vector<float> numbers =
                    numbersOfIds(rows.ids[block], input, place.element);
                table.bins.setNumbers(column, first, count, numbers.data(), 1);
            }
        }
        return {};
    }

    const LearnerInput& inputOf(const ColumnPlace& place) const
    {
        return m_inputs[static_cast<std::size_t>(place.input)];
    }

    const std::vector<LearnerInput>& m_inputs;
    const features::EncodedDataset& m_rows;
    std::int64_t m_maxBins;
    LentThreads m_threads;
    std::vector<ColumnPlace> m_places;
};

} // namespace

Result<HistogramTreeTable> readHistogramTable(const std::vector<LearnerInput>& inputs,
                                              const features::EncodedDataset& rows,
                                              std::int64_t maxBins, kernels::ThreadPool& pool)
{
    return TableReader(inputs, rows, maxBins, pool).read();
}

} // namespace cannery::plan
