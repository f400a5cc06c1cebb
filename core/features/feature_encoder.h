// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/feature_batch.h"
#include "core/features/encoded_rows.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::features {

class FeatureColumn;
struct EncodeScratch;

/// What encode() does about labels and weights.
enum class Labels
{
    Needed,   ///< rows without a label are an error: training, evaluation
    Optional, ///< taken where the rows have them
    None,     ///< never looked at, nor are weights: prediction
};

/// Turns raw features into what a model reads: ids and dense values, labels and weights. Feature
/// by feature what TensorFlow's feature columns do with dense tensors for plain columns and sparse
/// ones for cells cut at a separator (canon, chapter 3). A pure function of the rows; cheap to
/// copy, safe from any number of threads.
class FeatureEncoder
{
public:
    /// The columns that the experiment's estimator uses. Paths of vocabulary files are relative to
    /// the folder. Errors: what feature columns and heads cannot be made of.
    static Result<FeatureEncoder> create(const spec::Experiment& resolved,
                                         const std::filesystem::path& experimentFolder);

    const InputLayout& layout() const;
    /// Raw features that the model reads, in order of first use; a prediction needs no others.
    const std::vector<std::string>& inputKeys() const;
    /// inputKeys() and those of the weight columns.
    const std::vector<std::string>& featureKeys() const;

    /// Errors name the row as file:line, the value and the cure; `files` are the names that the
    /// batch's fileIndex counts (empty: only the line is named).
    Result<EncodedRows> encode(const data::FeatureBatch& batch, Labels labels,
                               std::span<const std::string> files = {}) const;
    /// The same into rows whose memory is used again.
    Result<void> encode(const data::FeatureBatch& batch, Labels labels,
                        std::span<const std::string> files, EncodedRows& out) const;

    /// The `count` rows from `first`, without labels and weights; allocates nothing once `scratch`
    /// and `out` have grown. For many threads, each with its own two.
    Result<void> encodeInputs(const data::FeatureBatch& batch, std::int64_t first,
                              std::int64_t count, std::span<const std::string> files,
                              EncodeScratch& scratch, EncodedRows& out) const;

    /// The columns of layout().slots, one each, in that order.
    const std::vector<std::shared_ptr<const FeatureColumn>>& columns() const;
    /// The experiment it was made of.
    const spec::Experiment& experiment() const;

private:
    struct State;
    explicit FeatureEncoder(std::shared_ptr<const State> state) : m_state(std::move(state)) {}

    std::shared_ptr<const State> m_state;
};

} // namespace cannery::features
