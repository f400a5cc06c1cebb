// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/spec/normalized_columns.h"
#include "core/spec/spec_resolver.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace cannery::train {

/// Statistics of the columns that have a normalizer, from one pass over the training rows, made on
/// first use. One thread; the experiment and the data must outlive it.
class NormalizerStatistics
{
public:
    NormalizerStatistics(const spec::Experiment& experiment, const data::Dataset& trainData,
                         LentThreads threads = {});

    /// For a raw feature, over all columns that it is made from; nothing if it has no numbers.
    std::optional<spec::ColumnStatistics> of(std::string_view feature);
    /// "data.no_deviation" for the columns whose normalizer's divisor would come from a single
    /// distinct number.
    std::vector<Error> withoutDeviation();
    /// Whether some number may lie beyond kExtremeNormalized once normalized.
    bool mayHaveExtremes();

    /// Of reading the rows; all other results are then invalid.
    const std::optional<Error>& failure() const { return m_failure; }
    /// Whether the pass was needed.
    bool wereAsked() const { return m_table.has_value(); }

private:
    /// The feature columns that have a normalizer and numbers.
    void forEach(const std::function<void(const spec::NormalizedColumn&,
                                          const spec::ColumnStatistics&)>& visit);

    const spec::Experiment& m_experiment;
    const data::Dataset& m_trainData;
    LentThreads m_threads;
    std::optional<data::TableStatistics> m_table;
    std::optional<Error> m_failure;
};

} // namespace cannery::train
