// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/reports/inspection.h"
#include "core/base/result.h"
#include "kernels/math/principal_components.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::app {

/// A table of embeddings in a checkpoint, seen along its principal components.
struct EmbeddingView
{
    std::string checkpoint; ///< prefix
    std::string variable;
    std::string column; ///< the feature column that reads it; empty if not known
    std::int64_t rows = 0;
    std::int64_t dimension = 0;
    std::vector<float> values;      ///< [rows, dimension]
    std::vector<std::string> texts; ///< of the rows: words; empty where there is none
    std::string problem;            ///< why no row has a text; a sentence, usually empty
    kernels::PrincipalComponents components;
};

/// The tables of embeddings in a checkpoint (reports::EmbeddingTables). `path` as for inspect().
/// Errors: of checkpointAt() and of reading.
Result<Inspection> inspectEmbeddings(const std::string& path);

/// `name`: a variable, or the feature column that reads the table. Errors: "inspect.no_embedding",
/// "inspect.embedding_values" for NaN and infinities.
Result<EmbeddingView> lookAtEmbedding(const std::string& path, const std::string& name);

/// What was seen (reports::EmbeddingComponents), with the points of the first rows.
Inspection embeddingInspection(const EmbeddingView& view);

/// Writes the table for TensorBoard's projector: tensor.tsv, metadata.tsv (a row's text, or its id)
/// and projector_config.pbtxt, which `tensorboard --logdir FOLDER` and
/// https://projector.tensorflow.org load. Creates the folder. Errors:
/// "inspect.projector_is_there", of writing.
Result<void> writeProjector(const EmbeddingView& view, const std::string& folder);

} // namespace cannery::app
