// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/reports/table.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::data {
class Dataset;
} // namespace cannery::data

namespace cannery::survey {

struct VocabularyWord
{
    std::string text;
    std::uint64_t count = 0; ///< how often it occurs
};

/// The different values of a raw feature in the rows of a data set, the most frequent one first and
/// equally frequent ones by their text, as a vocabulary file lists them: empty texts, and those of
/// more than one line, are left out. One pass. Errors: "data.words_are_fractions",
/// "data.too_many_words", "data.no_words"; those of reading.
Result<std::vector<VocabularyWord>> wordsOf(const data::Dataset& dataset,
                                            const std::string& feature, const LentThreads& threads);

/// The words as the lines of a vocabulary file.
std::string vocabularyText(const std::vector<VocabularyWord>& words);
/// The words as the answer has them.
reports::Vocabulary vocabularyReport(const std::string& feature,
                                     const std::vector<VocabularyWord>& words);

} // namespace cannery::survey
