// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/starting_experiment.h"

#include <cstdint>
#include <optional>

namespace cannery::advice {

/// What a new experiment learns of a label. `classifier`: whether the estimator wants classes, if
/// it cares. Errors: "data.label_empty", "data.label_too_many_classes".
Result<LabelChoice> chooseLabel(const TableFacts& facts, const data::ColumnStatistics& label,
                                const std::optional<bool>& classifier);

/// Says how the label is read, where that is not as the table suggests.
void describeLabel(const TableFacts& facts, const LabelChoice& label, spec::Experiment& experiment);

std::uint64_t unlabelledRows(const data::ColumnStatistics& label);

/// Leaves out such rows of the table, if there are any, and says how many.
void leaveOutUnlabelled(const data::ColumnStatistics& label, std::uint64_t rows,
                        StartingExperiment& result);

} // namespace cannery::advice
