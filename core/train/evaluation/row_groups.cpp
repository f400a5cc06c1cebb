// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/row_groups.h"

#include "core/base/catalog.h"
#include "core/base/memory_guard.h"
#include "core/base/string_column.h"
#include "core/data/dataset.h"
#include "core/features/usable_rows.h"
#include "core/train/preparation/dataset_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

namespace cannery::train {
namespace {

constexpr ErrorKind kOtherRows{
    "train.slice_rows",
    "The table has {} rows to evaluate on, and had {} when they were encoded: it was changed "
    "meanwhile. Start again."};

constexpr ErrorKind kNoColumn{"train.slice_column",
                              "A slice names the column '{}', which the table does not have.{}"};

using Values = std::vector<std::optional<std::string>>;

std::string textOf(const data::FeatureValues& feature, std::size_t element)
{
    return std::visit(
        [element](const auto& elements) -> std::string {
            if constexpr (std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                return std::string(elements[element]);
            } else {
                return fmt::format("{}", elements[element]);
            }
        },
        feature.elements);
}

/// The value of a column in a row. Columns of lists have all of their elements.
std::optional<std::string> valueOf(const data::FeatureValues& feature, std::int64_t row)
{
    const auto width = static_cast<std::size_t>(feature.shape.elementCount());
    const auto at = static_cast<std::size_t>(row);
    const std::size_t first =
        feature.sparse ? static_cast<std::size_t>(feature.rowOffsets[at]) : at * width;
    const std::size_t end =
        feature.sparse ? static_cast<std::size_t>(feature.rowOffsets[at + 1]) : first + width;
    std::string text;
    bool isThere = false;
    for (std::size_t i = first; i < end; ++i) {
        // A missing element is left out; a row without any has no value.
        if (feature.valid.empty() || feature.valid[i] != 0) {
            text += (isThere ? ", " : "") + textOf(feature, i);
            isThere = true;
        }
    }
    return isThere ? std::optional(std::move(text)) : std::nullopt;
}

/// Values that are the same for no other ones.
std::string keyOf(const Values& values)
{
    std::string key;
    for (const std::optional<std::string>& value : values) {
        // With its length in front, no text can be taken for two.
        key += value ? fmt::format("{}:{}", value->size(), *value) : "-";
    }
    return key;
}

/// Groups rows as they come.
class Grouping
{
public:
    explicit Grouping(const spec::Slice& slice) : m_mostGroups(slice.max_groups())
    {
        m_groups.columns.assign(slice.columns().begin(), slice.columns().end());
    }

    void add(const data::FeatureBatch& batch)
    {
        std::vector<const data::FeatureValues*> features;
        for (const std::string& column : m_groups.columns) {
            // The stream was asked for exactly these columns.
            features.push_back(&*std::find_if(
                batch.features.begin(), batch.features.end(),
                [&](const data::FeatureValues& feature) { return feature.name == column; }));
        }
        for (std::int64_t row = 0; row < batch.rowCount; ++row) {
            Values values;
            for (const data::FeatureValues* feature : features) {
                values.push_back(valueOf(*feature, row));
            }
            const auto [found, isNew] = m_indices.try_emplace(
                keyOf(values), static_cast<std::int32_t>(m_groups.groups.size()));
            if (isNew) {
                m_groups.groups.push_back({.values = std::move(values)});
                m_counts.push_back(0);
            }
            ++m_counts[static_cast<std::size_t>(found->second)];
            m_groups.ofRow.push_back(found->second);
        }
    }

    RowGroups finish()
    {
        std::vector<std::size_t> order(m_counts.size());
        std::iota(order.begin(), order.end(), 0);
        // Of equally many rows by value: the order does not depend on which rows came first.
        std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
            return m_counts[left] != m_counts[right]
                       ? m_counts[left] > m_counts[right]
                       : m_groups.groups[left].values < m_groups.groups[right].values;
        });
        const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, m_mostGroups));
        const bool areMerged = order.size() > most;
        std::vector<RowGroups::Group> sorted;
        std::vector<std::int32_t> places(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            // Groups beyond the most share the last place.
            places[order[i]] = static_cast<std::int32_t>(std::min(i, most - 1));
            if (!areMerged || i + 1 < most) {
                sorted.push_back(std::move(m_groups.groups[order[i]]));
            }
        }
        if (areMerged) {
            // How many were merged is shown instead of a value.
            sorted.push_back({.merged = static_cast<std::int64_t>(order.size() - most + 1)});
        }
        m_groups.groups = std::move(sorted);
        for (std::int32_t& group : m_groups.ofRow) {
            group = places[static_cast<std::size_t>(group)];
        }
        return std::move(m_groups);
    }

private:
    std::int64_t m_mostGroups;
    RowGroups m_groups; ///< in the order of their first rows
    std::vector<std::int64_t> m_counts;
    std::unordered_map<std::string, std::int32_t> m_indices;
};

/// The data with nothing but columns, so that every one can be read, and what is missing stays so.
spec::Data plainData(const spec::Data& data)
{
    spec::Data plain = data;
    // The features' own settings would turn missing values into defaults.
    plain.clear_feature();
    for (spec::Column& column : *plain.mutable_column()) {
        column.clear_default_value();
    }
    return plain;
}

/// The rows that were encoded.
struct UsedRowPlaces
{
    std::vector<std::pair<std::int32_t, std::int64_t>> places; ///< file and line, ascending
    std::set<std::string> columns; ///< what they were read with: other rows cannot be read
};

/// Nothing if no rows may have been left out. The columns of slices alone do not show it; and rows
/// that cannot be read do not count in a split, so that these must be the same.
Result<std::optional<UsedRowPlaces>> usedPlaces(const spec::Experiment& experiment,
                                                const std::string& folder,
                                                const std::vector<std::string>& files,
                                                const LentThreads& threads)
{
    // Unless rows are skipped, every row was encoded and can be counted on.
    if (!features::RowPolicy::of(experiment.data()).skipsAny()) {
        return std::nullopt;
    }
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(experiment, folder));
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       files.empty()
                           ? data::Dataset::open(experiment.data(), folder, data::DataPart::Eval)
                           : data::Dataset::openFiles(experiment.data(), folder, files));
    UsedRowPlaces used;
    for (const std::string& key : encoder.inputKeys()) {
        if (const data::FeatureInfo* info = dataset.find(key)) {
            // Reading fails for the same rows only if the same columns are parsed.
            used.columns.insert(info->columns.begin(), info->columns.end());
        }
    }
    for (const data::FeatureInfo& info : dataset.features()) {
        // A row can be unusable for its label, too.
        if (info.isLabel) {
            used.columns.insert(info.columns.begin(), info.columns.end());
        }
    }
    CANNERY_TRY(visitUsedRows(dataset, encoder, {.threads = threads},
                              [&](data::DataPart part, const data::FeatureBatch& rows) {
                                  // The same reading yields both parts; slices are of the evaluated
                                  // one.
                                  if (dataset.isSplit() && part == data::DataPart::Train) {
                                      return;
                                  }
                                  for (std::size_t i = 0; i < rows.line.size(); ++i) {
                                      used.places.emplace_back(rows.fileIndex[i], rows.line[i]);
                                  }
                              }));
    return used;
}

/// Removes rows that are not among these.
void removeOthers(data::FeatureBatch& batch, const UsedRowPlaces& used)
{
    std::vector<std::int64_t> others;
    for (std::size_t i = 0; i < batch.line.size(); ++i) {
        // Rows come in the order of the table, so that the places are sorted.
        if (!std::ranges::binary_search(used.places,
                                        std::pair(batch.fileIndex[i], batch.line[i]))) {
            others.push_back(static_cast<std::int64_t>(i));
        }
    }
    data::removeRows(batch, others);
}

} // namespace

Result<void> checkSlices(const spec::Experiment& experiment, const data::TableSchema& schema)
{
    for (const spec::Slice& slice : experiment.eval_spec().slice()) {
        for (const std::string& column : slice.columns()) {
            if (schema.find(column) == nullptr) {
                return fail(ErrorCode::NotFound, kNoColumn, column,
                            suggestion(column, schema.names()));
            }
        }
    }
    return {};
}

Result<std::vector<RowGroups>> readSlices(const spec::Experiment& experiment,
                                          const std::string& folder,
                                          const std::vector<std::string>& files, std::int64_t rows,
                                          const LentThreads& threads)
{
    std::vector<Grouping> groupings;
    std::set<std::string> columns;
    for (const spec::Slice& slice : experiment.eval_spec().slice()) {
        groupings.emplace_back(slice);
        columns.insert(slice.columns().begin(), slice.columns().end());
    }
    // No slices: the table need not be read a second time.
    if (groupings.empty()) {
        return std::vector<RowGroups>();
    }
    return guardMemory("the slices of the table", [&]() -> Result<std::vector<RowGroups>> {
        const spec::Data data = plainData(experiment.data());
        CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                           files.empty() ? data::Dataset::open(data, folder, data::DataPart::Eval)
                                         : data::Dataset::openFiles(data, folder, files));
        CANNERY_TRY(checkSlices(experiment, dataset.schema()));
        CANNERY_TRY_ASSIGN(const std::optional<UsedRowPlaces> used,
                           usedPlaces(experiment, folder, files, threads));
        if (used) {
            // The columns of slices alone would find other rows readable.
            columns.insert(used->columns.begin(), used->columns.end());
        }
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                           dataset.read({.features = {columns.begin(), columns.end()},
                                         .labels = data::LabelNeed::None,
                                         .threads = threads}));
        std::int64_t count = 0;
        while (true) {
            CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> batch, stream->next());
            if (!batch) {
                break;
            }
            if (used) {
                removeOthers(*batch, *used);
            }
            count += batch->rowCount;
            for (Grouping& grouping : groupings) {
                grouping.add(*batch);
            }
        }
        // The groups go by the row's number; rows that were added would shift it.
        if (count != rows) {
            return fail(ErrorCode::FailedPrecondition, kOtherRows, count, rows);
        }
        std::vector<RowGroups> slices;
        for (Grouping& grouping : groupings) {
            slices.push_back(grouping.finish());
        }
        return slices;
    });
}

} // namespace cannery::train
