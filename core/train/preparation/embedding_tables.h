// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::train {

/// A table of vectors in a checkpoint: one for each id of a categorical column.
struct EmbeddingVariable
{
    std::string name;    ///< "dnn/input_from_feature_columns/input_layer/deck_embedding/…"
    std::string column;  ///< the feature column that reads it; empty if not known
    std::string wrapped; ///< the categorical column whose ids are its rows; empty if not known
};

/// Which of the variables are embeddings: those that the experiment's columns name, and what ends
/// in TensorFlow's name for one. In the order given. One thread; errors: none, columns that cannot
/// be named are passed over.
std::vector<EmbeddingVariable> embeddingsAmong(const std::vector<std::string>& variables,
                                               const spec::Experiment& experiment);

/// What the rows of a table stand for, `rows` texts: the words of a vocabulary, the numbers, the
/// ranges; empty for what has no name, as the bucket of a hash. Errors: those of making the column,
/// as of a vocabulary file that is gone.
Result<std::vector<std::string>> rowTexts(const EmbeddingVariable& table, std::int64_t rows,
                                          const spec::Experiment& experiment,
                                          const std::string& folder);

} // namespace cannery::train
