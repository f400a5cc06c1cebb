// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/spec/experiment.pb.h"

#include <optional>
#include <string>
#include <vector>

/// Cells of the training rows that a model of numbers cannot learn from, by file and line.
namespace cannery::train {

/// One error for each numeric column that reads a column of the table of which most cells are
/// numbers, but some are not: "data.text_among_numbers" names the first of them.
std::vector<Error> textsAmongNumbers(const spec::Experiment& experiment,
                                     const data::Dataset& trainData);

/// "features.label_type" or "features.label_shape" if the head cannot learn labels of this kind,
/// whatever their rows; nothing for labels of steps. Reads the first rows.
std::optional<Error> unfitLabel(const spec::Experiment& experiment, const data::Dataset& trainData);

/// "train.nan_loss_of_cell" with the first cell that gives the model an infinite number or NaN;
/// nothing if there is none. Reads the training rows. `step`: at which the loss became NaN.
std::optional<Error> nonFiniteCell(const spec::Experiment& resolved, const std::string& folder,
                                   const std::string& step);

} // namespace cannery::train
