// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/graph/learner_input.h"
#include "core/trees/histogram_table.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <vector>

namespace cannery::plan {

/// The training rows as trees that grow over histograms read them.
struct HistogramTreeTable
{
    trees::HistogramTable bins;
    std::vector<std::int32_t> inputOfColumn;
    std::vector<float> labels;  ///< rows × labelWidth
    std::vector<float> weights; ///< rows × weightWidth, or empty
    std::int64_t labelWidth = 0;
    std::int64_t weightWidth = 0;
};

/// Reads the rows twice: some of them for the bins, at most 2^17 at even distances, then all. A
/// pure function of the rows. Errors: "plan.histogram_rows" (more than 2^32 - 1),
/// "plan.histogram_categories" (a row has several of a column), "plan.histogram_indicator" (more
/// than 256 categories), and those of the disk.
Result<HistogramTreeTable> readHistogramTable(const std::vector<graph::LearnerInput>& inputs,
                                              const features::EncodedDataset& rows,
                                              std::int64_t maxBins, kernels::ThreadPool& pool);

} // namespace cannery::plan
