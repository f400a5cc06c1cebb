#pragma once

#include "core/base/string_column.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cannery::features {

/// Finds the index of a word: an open-addressing table of hashes over words that stand back to
/// back, so that a lookup touches two places and allocates nothing.
class TextVocabulary
{
public:
    /// Adds a word behind the others; false when it is there already.
    bool add(std::string_view word);
    /// Index of a word, or -1.
    std::int64_t find(std::string_view word) const;

    std::int64_t size() const { return static_cast<std::int64_t>(m_words.size()); }
    std::string_view word(std::int64_t index) const
    {
        return m_words[static_cast<std::size_t>(index)];
    }

private:
    struct Entry
    {
        std::uint64_t hash = 0;
        std::int64_t index = -1;
    };
    void grow();

    StringColumn m_words;
    std::vector<Entry> m_entries; ///< a power of two, at most half full
};

/// The same for whole numbers.
class IntegerVocabulary
{
public:
    bool add(std::int64_t number);
    std::int64_t find(std::int64_t number) const;

    std::int64_t size() const { return static_cast<std::int64_t>(m_numbers.size()); }
    const std::vector<std::int64_t>& numbers() const { return m_numbers; }

private:
    void grow();

    std::vector<std::int64_t> m_numbers;
    std::vector<std::int64_t> m_entries; ///< indices or -1; a power of two, at most half full
};

/// A whole decimal number as TensorFlow reads one from text: blanks around it, no '+'.
std::optional<std::int64_t> integerFromText(std::string_view text);

} // namespace cannery::features
