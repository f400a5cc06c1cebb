// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/data/pipeline/piece_reader.h"
#include "core/data/typing/date_columns.h"
#include "core/features/feature_encoder.h"
#include "storage/tabular/cell_reader.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::serving {

/// How a raw feature is made of the cells of a row, as data::FeatureMaker makes it of the columns
/// of a table. A value with its own working memory: one thread.
struct RowInput
{
    data::FeatureValues missing;      ///< the feature in a row whose cells are all empty
    std::vector<std::string> columns; ///< of the table; several of a stack
    /// Of the feature's elements: one for each column of a stack, otherwise one. The part of a date
    /// is a number of its own, in plain notation and without tokens.
    std::vector<storage::CellReader> elements;
    /// Of a cell that is read as a text first, since it is split or a date.
    std::optional<storage::CellReader> cell;
    std::optional<data::PieceReader> pieces; ///< of a split cell
    std::optional<data::DateRecipe> date;    ///< of the part of a date
};

/// The inputs that a model reads, in the order of the encoder's inputKeys(). Tokens, notations and
/// defaults are those of the training table. Errors: "features.cannot_emit" if columns contradict
/// each other about a feature, "data.bad_default".
Result<std::vector<RowInput>> rowInputs(const features::FeatureEncoder& encoder);

} // namespace cannery::serving
