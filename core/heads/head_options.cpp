// SPDX-License-Identifier: Apache-2.0
#include "core/heads/head_options.h"

#include <algorithm>

namespace cannery::heads {
namespace {

constexpr ErrorKind kBadName{"head.bad_name",
                             "The head name '{}' cannot be the name of a TensorFlow scope. Begin "
                             "with a letter or a digit and "
                             "use letters, digits, '_', '.', '-' and '/' only."};
constexpr ErrorKind kVocabularySize{
    "head.vocabulary_size",
    "The label_vocabulary has {} words for {} classes. Give one word for each class."};
constexpr ErrorKind kVocabularyTwice{
    "head.vocabulary_twice", "The label_vocabulary has the word '{}' twice. Remove one of them."};
constexpr ErrorKind kThreshold{"head.threshold",
                               "The threshold {} is not between 0 and 1. Give probabilities "
                               "above 0 and below 1."};

bool isLetterOrDigit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

} // namespace

losses::Reduction reductionOf(spec::LossReduction::Kind kind)
{
    return kind == spec::LossReduction::SUM ? losses::Reduction::Sum
                                            : losses::Reduction::SumOverBatchSize;
}

Result<void> checkHeadName(const std::string& name)
{
    const bool good = std::all_of(name.begin(), name.end(), [](char c) {
        // The characters of a TensorFlow scope: ops.py's _VALID_SCOPE_NAME_REGEX.
        return isLetterOrDigit(c) || std::string_view("_.\\/>-").find(c) != std::string_view::npos;
    });
    if (!name.empty() && (!good || !(isLetterOrDigit(name[0]) || name[0] == '.'))) {
        return fail(ErrorCode::InvalidArgument, kBadName, name);
    }
    return {};
}

Result<void> checkVocabulary(const std::vector<std::string>& vocabulary, std::int64_t classes)
{
    if (vocabulary.empty()) {
        return {};
    }
    if (static_cast<std::int64_t>(vocabulary.size()) != classes) {
        return fail(ErrorCode::InvalidArgument, kVocabularySize, vocabulary.size(), classes);
    }
    auto sorted = vocabulary;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
        return fail(ErrorCode::InvalidArgument, kVocabularyTwice, *twice);
    }
    return {};
}

Result<void> checkThresholds(const std::vector<float>& thresholds)
{
    for (const float threshold : thresholds) {
        // Negated, so that NaN is refused.
        if (!(threshold > 0.0F && threshold < 1.0F)) {
            return fail(ErrorCode::InvalidArgument, kThreshold, threshold);
        }
    }
    return {};
}

} // namespace cannery::heads
