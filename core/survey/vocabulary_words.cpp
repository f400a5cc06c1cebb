// SPDX-License-Identifier: Apache-2.0
#include "core/survey/vocabulary_words.h"

#include "core/data/dataset.h"
#include "core/features/raw_rows.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

namespace cannery::survey {

namespace {

constexpr ErrorKind kFractions{
    "data.words_are_fractions",
    "The values of '{}' are numbers with fractions, which cannot be words of a vocabulary."};
constexpr ErrorKind kTooMany{"data.too_many_words",
                             "'{}' has more than {} different values: use a hashed column for it."};
constexpr ErrorKind kNone{"data.no_words", "No row has a value of '{}'."};

constexpr std::size_t kMostWords = 2'000'000;

using Counts = std::unordered_map<std::string, std::uint64_t>;

bool isFraction(const data::FeatureValues& values)
{
    return std::holds_alternative<std::vector<float>>(values.elements) ||
           std::holds_alternative<std::vector<double>>(values.elements);
}

Result<void> countWords(const data::FeatureValues& values, std::int64_t rows, Counts& counts)
{
    if (isFraction(values)) {
        return fail(ErrorCode::InvalidArgument, kFractions, values.name);
    }
    const std::int64_t count = values.sparse ? values.rowOffsets[static_cast<std::size_t>(rows)]
                                             : rows * values.shape.elementCount();
    for (std::int64_t i = 0; i < count; ++i) {
        if (features::isInvalid(values, i)) {
            continue;
        }
        std::string word = features::elementText(values, i);
        if (word.empty() || word.find_first_of("\r\n") != std::string::npos) {
            continue;
        }
        ++counts[std::move(word)];
        if (counts.size() > kMostWords) {
            return fail(ErrorCode::ResourceExhausted, kTooMany, values.name, kMostWords);
        }
    }
    return {};
}

} // namespace

Result<std::vector<VocabularyWord>> wordsOf(const data::Dataset& dataset,
                                            const std::string& feature, const LentThreads& threads)
{
    CANNERY_TRY_ASSIGN(
        const std::unique_ptr<data::FeatureStream> stream,
        dataset.read({.features = {feature}, .labels = data::LabelNeed::None, .threads = threads}));
    Counts counts;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> batch, stream->next());
        if (!batch) {
            break;
        }
        CANNERY_TRY(countWords(batch->features.front(), batch->rowCount, counts));
    }
    if (counts.empty()) {
        return fail(ErrorCode::InvalidArgument, kNone, feature);
    }
    std::vector<VocabularyWord> words;
    words.reserve(counts.size());
    for (const auto& [text, count] : counts) {
        words.push_back({text, count});
    }
    std::sort(words.begin(), words.end(), [](const VocabularyWord& a, const VocabularyWord& b) {
        return std::tie(b.count, a.text) < std::tie(a.count, b.text);
    });
    return words;
}

std::string vocabularyText(const std::vector<VocabularyWord>& words)
{
    std::string text;
    for (const VocabularyWord& word : words) {
        text += word.text + '\n';
    }
    return text;
}

reports::Vocabulary vocabularyReport(const std::string& feature,
                                     const std::vector<VocabularyWord>& words)
{
    reports::Vocabulary vocabulary;
    vocabulary.set_feature(feature);
    for (const VocabularyWord& word : words) {
        reports::VocabularyWord& row = *vocabulary.add_words();
        row.set_word(word.text);
        row.set_count(word.count);
    }
    return vocabulary;
}

} // namespace cannery::survey
