// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/features/encoded_rows.h"

#include <cstddef>
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

/// How encode() treats labels and weights.
enum class Labels
{
    Needed,   ///< rows without a label are an error: training, evaluation
    Optional, ///< read if the rows have them
    None,     ///< never read, nor are weights: prediction
};

/// How a model reads a slot, as far as that decides what encode() accepts.
struct SlotUse
{
    bool isLookedUp = false; ///< an id beyond the buckets is an error, not an absent category
    bool needsIds = false;   ///< a row without a valid id is an error
};

/// Consecutive rows of a batch.
struct RowSpan
{
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Turns raw features into what a model reads: ids and dense values, labels and weights. Per
/// feature this is what TensorFlow's feature columns do with dense tensors for plain columns and
/// sparse tensors for split cells (canon, chapter 3). A pure function of the rows; cheap to copy,
/// thread-safe.
class FeatureEncoder
{
public:
    /// The columns that the experiment's estimator uses. Paths of vocabulary files are relative to
    /// the folder. Errors: invalid feature columns and heads.
    static Result<FeatureEncoder> create(const spec::Experiment& resolved,
                                         const std::filesystem::path& experimentFolder);

    const InputLayout& layout() const;
    /// Raw features that the model reads, in order of first use; prediction needs no others.
    const std::vector<std::string>& inputKeys() const;
    /// inputKeys(), those of the weight columns and that of the example ids.
    const std::vector<std::string>& featureKeys() const;

    /// Errors name the row as file:line, the value and the cure; the batch's fileIndex indexes
    /// `files` (empty: only the line is named).
    Result<EncodedRows> encode(const data::FeatureBatch& batch, Labels labels,
                               std::span<const std::string> files = {}) const;
    /// The same, into rows whose memory is reused.
    Result<void> encode(const data::FeatureBatch& batch, Labels labels,
                        std::span<const std::string> files, EncodedRows& out) const;
    /// The same for some of the batch's rows.
    Result<void> encode(const data::FeatureBatch& batch, RowSpan some, Labels labels,
                        std::span<const std::string> files, EncodedRows& out) const;
    /// The rows of a batch that have no label, or lack that of a head, ascending; none where each
    /// step has a label.
    std::vector<std::int64_t> unlabelledRows(const data::FeatureBatch& batch) const;

    /// The `count` rows from `first`, without labels and weights; allocates nothing once `scratch`
    /// and `out` have grown. For use by several threads, each with its own `scratch` and `out`.
    Result<void> encodeInputs(const data::FeatureBatch& batch, std::int64_t first,
                              std::int64_t count, std::span<const std::string> files,
                              EncodeScratch& scratch, EncodedRows& out) const;

    /// Labels that are compared as numbers, as the label_vocabulary spells them.
    void spellLabels(data::FeatureBatch& batch) const;

    /// The columns of layout().slots, in that order.
    const std::vector<std::shared_ptr<const FeatureColumn>>& columns() const;
    /// The weight columns of the heads, in the order of EncodedRows::weights.
    const std::vector<std::shared_ptr<const FeatureColumn>>& weightColumns() const;
    /// Of a slot, by its index in layout().slots.
    SlotUse useOf(std::size_t slot) const;
    /// The experiment it was made from.
    const spec::Experiment& experiment() const;

private:
    struct State;
    explicit FeatureEncoder(std::shared_ptr<const State> state) : m_state(std::move(state)) {}

    std::shared_ptr<const State> m_state;
};

} // namespace cannery::features
