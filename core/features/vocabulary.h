// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/string_column.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace cannery::features {

/// The key of a word: for up to 16 bytes the bytes themselves, zero-padded; for longer words a
/// hash, which only indicates a possible match.
struct WordKey
{
    static constexpr std::size_t kExactBytes = 16;

    static WordKey of(std::string_view word);
    /// The same for a word of at most kExactBytes where kExactBytes bytes are readable.
    static WordKey ofShort(std::string_view word);
    /// The slot in a table of 2^(64 - shift) entries.
    std::uint64_t place(unsigned shift) const;
    bool operator==(const WordKey& other) const
    {
        return ((bytes[0] ^ other.bytes[0]) | (bytes[1] ^ other.bytes[1]) |
                (length ^ other.length)) == 0;
    }

    std::array<std::uint64_t, 2> bytes{};
    std::uint32_t length = 0;
};

/// Finds the index of a word: an open-addressing table of keys, so a short word is found in one
/// slot and without reading the stored words.
class TextVocabulary
{
public:
    /// Appends a word; false if it is already present.
    bool add(std::string_view word);
    /// Index of a word, or -1. Faster if bytes after the word are readable: `readableEnd` is the
    /// end of the memory that holds the word.
    std::int64_t find(std::string_view word, const char* readableEnd) const;
    std::int64_t find(std::string_view word) const;

    std::int64_t size() const { return static_cast<std::int64_t>(m_words.size()); }
    std::string_view word(std::int64_t index) const
    {
        return m_words[static_cast<std::size_t>(index)];
    }

private:
    struct Entry
    {
        WordKey key;
        std::int32_t index = -1;
    };
    void insert(const WordKey& key, std::int32_t index);
    void grow();

    StringColumn m_words;
    std::vector<Entry> m_entries; ///< a power of two, at most half full
    unsigned m_shift = 0;         ///< 64 - log2 of their number
};

/// The same for integers.
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

/// An integer in decimal as TensorFlow parses one from text: surrounding blanks allowed, no '+'.
std::optional<std::int64_t> integerFromText(std::string_view text);

inline std::uint64_t WordKey::place(unsigned shift) const
{
    constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15ULL;
    constexpr std::uint64_t kSecond = 0xd6e8feb86659fd93ULL;
    return ((bytes[0] ^ (bytes[1] * kFirst) ^ length) * kSecond) >> shift;
}

inline WordKey WordKey::ofShort(std::string_view word)
{
    // Read from kExactBytes - length on: `length` bytes of ones, then zeros.
    alignas(32) static constexpr std::array<std::uint64_t, 4> kOnes{~std::uint64_t{0},
                                                                    ~std::uint64_t{0}, 0, 0};
    const char* ones = reinterpret_cast<const char*>(kOnes.data()) + kExactBytes - word.size();
    std::array<std::uint64_t, 2> mask;
    std::memcpy(mask.data(), ones, kExactBytes);
    WordKey key;
    std::memcpy(key.bytes.data(), word.data(), kExactBytes);
    key.bytes[0] &= mask[0];
    key.bytes[1] &= mask[1];
    key.length = static_cast<std::uint32_t>(word.size());
    return key;
}

[[gnu::always_inline]] inline std::int64_t TextVocabulary::find(std::string_view word,
                                                                const char* readableEnd) const
{
    if (word.size() > WordKey::kExactBytes || m_entries.empty() ||
        readableEnd - word.data() < static_cast<std::ptrdiff_t>(WordKey::kExactBytes)) {
        return find(word);
    }
    const WordKey key = WordKey::ofShort(word);
    const std::size_t mask = m_entries.size() - 1;
    std::size_t place = key.place(m_shift);
    while (m_entries[place].index >= 0 && !(m_entries[place].key == key)) {
        place = (place + 1) & mask;
    }
    return m_entries[place].index;
}

} // namespace cannery::features
