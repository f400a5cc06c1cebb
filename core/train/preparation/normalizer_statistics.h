// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/spec/normalized_columns.h"
#include "core/spec/spec_resolver.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::train {

/// Statistics of a raw feature over the training rows; no numbers when it has none.
struct KnownStatistics
{
    std::string feature;
    std::optional<spec::ColumnStatistics> numbers;
};

/// Statistics of the columns that have a normalizer, from one pass over the training rows, and one
/// more for each that is made of lists, when a feature is asked for that is not known yet. One
/// thread; the experiment and the data must outlive it.
class NormalizerStatistics
{
public:
    /// `known`: from an earlier pass over the same rows.
    NormalizerStatistics(const spec::Experiment& experiment, const data::Dataset& trainData,
                         LentThreads threads = {}, const std::vector<KnownStatistics>& known = {});

    /// For a raw feature, over all columns that it is made from. Without a number in any row, it is
    /// the constant that stands for a missing one; nothing for an unknown feature.
    std::optional<spec::ColumnStatistics> of(std::string_view feature);
    /// "data.no_deviation" for the columns whose normalizer's divisor would come from a single
    /// distinct number.
    std::vector<Error> withoutDeviation();
    /// Whether some number may lie beyond kExtremeNormalized once normalized.
    bool mayHaveExtremes();

    /// Of reading the rows; all other results are then invalid.
    const std::optional<Error>& failure() const { return m_failure; }
    /// All answers, sorted by feature.
    std::vector<KnownStatistics> known() const;

private:
    /// The same; nothing without a number.
    std::optional<spec::ColumnStatistics> found(std::string_view feature);
    std::optional<spec::ColumnStatistics> ofList(const data::FeatureInfo& feature);
    /// The feature columns that have a normalizer and numbers.
    void forEach(const std::function<void(const spec::NormalizedColumn&,
                                          const spec::ColumnStatistics&)>& visit);

    const spec::Experiment& m_experiment;
    const data::Dataset& m_trainData;
    LentThreads m_threads;
    std::map<std::string, std::optional<spec::ColumnStatistics>, std::less<>> m_known;
    std::optional<data::TableStatistics> m_table;
    std::optional<Error> m_failure;
};

} // namespace cannery::train
