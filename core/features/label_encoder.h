// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/spec/head_kinds.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cannery::features {

class RawRows;
class TextVocabulary;

struct LabelRule
{
    std::string head; ///< name of the head, may be empty
    spec::LabelKind kind = spec::LabelKind::Number;
    std::int64_t width = 1;   ///< floats of label per row or step
    std::int64_t classes = 0; ///< for ClassId, MultiHot and a Probability with a vocabulary
    std::shared_ptr<const TextVocabulary> vocabulary; ///< or null
    /// Of a vocabulary whose words are all numbers, each another one: the same in
    /// canonicalNumber()'s notation, so that a label 1.0 is the class "1". Null: labels are
    /// compared as texts alone.
    std::shared_ptr<const TextVocabulary> numbers;

    /// The class of a label given as text, or -1.
    std::int64_t classOf(std::string_view label) const;
};

/// Steps that have a label each.
struct LabelledSteps
{
    std::string sequence;                  ///< a feature column that has them, for messages
    std::span<const std::int64_t> offsets; ///< of the steps of each row; rows + 1
};

/// Turns labels into the floats of EncodedRows::labels: all heads side by side.
class LabelEncoder
{
public:
    /// For a head, or for every head in a multi_head; an empty one has no labels.
    static Result<LabelEncoder> create(const spec::Head& head);

    std::int64_t width() const { return m_width; }
    const std::vector<LabelRule>& rules() const { return m_rules; }

    /// rows × width() floats. Errors name the row, the value and the known classes:
    /// "features.label_missing", "features.label_unknown", "features.label_range",
    /// "features.label_type", "features.label_shape".
    Result<void> encode(const RawRows& rows, std::vector<float>& out) const;
    /// steps × width() floats, of the only head: a row's label is a list with the values of its
    /// steps, one step after the other. Errors: also "features.label_steps",
    /// "features.label_no_list", "features.label_step_classes".
    Result<void> encodeSteps(const RawRows& rows, const LabelledSteps& steps,
                             std::vector<float>& out) const;

    /// The rows that lack a label of some head, ascending. A list of classes may be empty.
    std::vector<std::int64_t> missing(const RawRows& rows) const;

    /// Replaces labels that are the number of a class by its word.
    void spell(data::FeatureBatch& batch) const;

private:
    std::vector<LabelRule> m_rules;
    std::int64_t m_width = 0;
};

} // namespace cannery::features
