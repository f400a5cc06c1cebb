// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/feature_column.h"
#include "core/features/vocabulary.h"

#include <string>
#include <variant>

namespace cannery::features {

/// How a vocabulary column treats unknown words.
struct VocabularyRule
{
    std::string feature;
    std::variant<TextVocabulary, IntegerVocabulary> words;
    std::int64_t defaultValue = -1;
    std::int64_t oovBuckets = 0;
    std::string file; ///< the vocabulary file; empty for a list

    std::int64_t size() const
    {
        return std::visit([](const auto& vocabulary) { return vocabulary.size(); }, words);
    }
};

/// categorical_column_with_vocabulary_list and _file: the index of a word; an unknown word gives
/// the default or, with oov buckets, size + Fingerprint64(text) mod buckets, integers as decimal
/// text. Integer words match integer features only, texts match texts only.
class VocabularyColumn : public FeatureColumn
{
public:
    /// Errors: "features.vocabulary_default", "features.vocabulary_two_defaults" and others of the
    /// rule.
    static Result<void> check(const VocabularyRule& rule, const std::string& column);

    VocabularyColumn(ColumnInfo info, VocabularyRule rule)
        : FeatureColumn(std::move(info)), m_rule(std::move(rule))
    {}

    void addUses(std::vector<RawUse>& uses) const override;
    Result<void> encodeIds(const RawRows& rows, EncodeScratch& scratch, IdRows& out) const override;
    bool idsAreBelowWidth() const override { return true; }
    Result<void> encodeSlot(const RawRows& rows, EncodeScratch& scratch,
                            IdBlock& out) const override;
    std::string idText(std::int64_t id) const override;
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;

private:
    template <typename Ids>
    Result<void> encode(const RawRows& rows, Ids& out) const;
    bool isText() const { return m_rule.words.index() == 0; }
    DType dtype() const { return isText() ? DType::String : DType::Int64; }
    std::int64_t unknown(std::string_view word) const;
    std::int64_t unknown(std::int64_t number) const;

    VocabularyRule m_rule;
};

} // namespace cannery::features
