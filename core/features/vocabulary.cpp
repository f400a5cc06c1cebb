// SPDX-License-Identifier: Apache-2.0
#include "core/features/vocabulary.h"

#include "core/base/fingerprint.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace cannery::features {

namespace {

constexpr std::size_t kFirstCapacity = 16;

/// Spreads consecutive numbers over the table (the finaliser of SplitMix64).
std::uint64_t mixed(std::int64_t number)
{
    auto bits = static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31U);
}

} // namespace

WordKey WordKey::of(std::string_view word)
{
    WordKey key;
    key.length = static_cast<std::uint32_t>(word.size());
    if (word.size() > kExactBytes) {
        // A long word is compared by its fingerprint first, then by its bytes in find().
        key.bytes[0] = fingerprint64(word);
    } else if (!word.empty()) {
        std::memcpy(key.bytes.data(), word.data(), word.size());
    }
    return key;
}

std::int64_t TextVocabulary::find(std::string_view word) const
{
    if (m_entries.empty()) {
        return -1;
    }
    const WordKey key = WordKey::of(word);
    const std::size_t mask = m_entries.size() - 1;
    // Linear probing; the table is at most half full, so it always ends.
    for (std::size_t place = key.place(m_shift); m_entries[place].index >= 0;
         place = (place + 1) & mask) {
        const Entry& entry = m_entries[place];
        if (entry.key == key && (word.size() <= WordKey::kExactBytes ||
                                 m_words[static_cast<std::size_t>(entry.index)] == word)) {
            return entry.index;
        }
    }
    return -1;
}

bool TextVocabulary::add(std::string_view word)
{
    if (find(word) >= 0) {
        return false;
    }
    m_words.push_back(word);
    // Growing inserts the new word, too.
    if (m_words.size() * 2 > m_entries.size()) {
        grow();
    } else {
        insert(WordKey::of(word), static_cast<std::int32_t>(size() - 1));
    }
    return true;
}

void TextVocabulary::insert(const WordKey& key, std::int32_t index)
{
    const std::size_t mask = m_entries.size() - 1;
    std::size_t place = key.place(m_shift);
    while (m_entries[place].index >= 0) {
        place = (place + 1) & mask;
    }
    m_entries[place] = {key, index};
}

void TextVocabulary::grow()
{
    m_entries.assign(std::max(kFirstCapacity, m_entries.size() * 2), {});
    // The table's size is a power of two: the upper bits of a product choose the place.
    m_shift = 64U - static_cast<unsigned>(std::countr_zero(m_entries.size()));
    for (std::size_t i = 0; i < m_words.size(); ++i) {
        insert(WordKey::of(m_words[i]), static_cast<std::int32_t>(i));
    }
}

bool IntegerVocabulary::add(std::int64_t number)
{
    if (find(number) >= 0) {
        return false;
    }
    m_numbers.push_back(number);
    if (m_numbers.size() * 2 > m_entries.size()) {
        grow();
        return true;
    }
    const std::size_t mask = m_entries.size() - 1;
    std::size_t place = mixed(number) & mask;
    while (m_entries[place] >= 0) {
        place = (place + 1) & mask;
    }
    m_entries[place] = size() - 1;
    return true;
}

std::int64_t IntegerVocabulary::find(std::int64_t number) const
{
    if (m_entries.empty()) {
        return -1;
    }
    const std::size_t mask = m_entries.size() - 1;
    for (std::size_t place = mixed(number) & mask; m_entries[place] >= 0;
         place = (place + 1) & mask) {
        if (m_numbers[static_cast<std::size_t>(m_entries[place])] == number) {
            return m_entries[place];
        }
    }
    return -1;
}

void IntegerVocabulary::grow()
{
    m_entries.assign(std::max(kFirstCapacity, m_entries.size() * 2), -1);
    const std::size_t mask = m_entries.size() - 1;
    for (std::size_t i = 0; i < m_numbers.size(); ++i) {
        std::size_t place = mixed(m_numbers[i]) & mask;
        while (m_entries[place] >= 0) {
            place = (place + 1) & mask;
        }
        m_entries[place] = static_cast<std::int64_t>(i);
    }
}

std::optional<std::int64_t> integerFromText(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\n\v\f";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

} // namespace cannery::features
