// SPDX-License-Identifier: Apache-2.0
#include "core/features/row_record.h"

#include "core/base/check.h"
#include "core/features/column_places.h"
#include "core/features/word_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

namespace cannery::features {

namespace {

template <typename T>
std::uint32_t* writeWords(const T* values, std::size_t count, std::uint32_t* to)
{
    static_assert(sizeof(T) == sizeof(std::uint32_t));
    for (std::size_t i = 0; i < count; ++i) {
        // Bit by bit: the words hold floats and ids alike.
        to[i] = std::bit_cast<std::uint32_t>(values[i]);
    }
    return to + count;
}

/// `width` words of each record, row by row.
void takeColumn(std::span<const std::uint32_t* const> records, std::size_t offset,
                std::int64_t columnWidth, std::size_t row, float* out)
{
    const auto width = static_cast<std::size_t>(columnWidth);
    // Columns of one word are transposed together by putWords().
    if (width < 2 || out == nullptr) {
        return;
    }
    float* to = out + row * width;
    for (std::size_t i = 0; i < records.size(); ++i) {
        std::memcpy(to + i * width, records[i] + offset, width * sizeof(float));
    }
}

constexpr std::size_t kWordsOfExampleId = sizeof(Fingerprint128) / sizeof(std::uint32_t);

/// Grows by doubling: batches differ in their number of ids.
template <typename T>
T* roomFor(std::vector<T>& values, std::size_t size)
{
    if (values.size() < size) {
        values.resize(size);
    }
    return values.data();
}

std::size_t countOf(const std::vector<std::int64_t>& offsets, std::size_t row)
{
    return static_cast<std::size_t>(offsets[row + 1] - offsets[row]);
}

/// `count` words of one record.
template <typename T>
T* takeSome(const std::uint32_t*& cursor, std::size_t count, T* to)
{
    for (std::size_t word = 0; word < count; ++word) {
        to[word] = std::bit_cast<T>(cursor[word]);
    }
    cursor += count;
    return to + count;
}

} // namespace

RowRecord::RowRecord(const InputLayout& layout, bool hasLabels, bool hasWeights)
    : m_exampleWords(hasLabels && layout.hasExampleIds ? kWordsOfExampleId : 0)
{
    const bool labelsSteps = hasLabels && layout.labelledSteps >= 0;
    // Labels of steps have a number that differs by row, so they are written with the counted
    // parts.
    if (!labelsSteps) {
        m_labelWidth = hasLabels ? layout.labelWidth : 0;
        m_weightWidth = hasWeights ? layout.weightWidth : 0;
    }
    m_floatWords = static_cast<std::size_t>(m_labelWidth + m_weightWidth) + m_exampleWords;
    for (const InputSlot& slot : layout.slots) {
        if (slot.kind == SlotKind::Dense) {
            m_denseWidths.push_back(slot.width);
            // A dense slot of several numbers is copied as a block, one number is transposed with
            // others.
            m_floatWords += static_cast<std::size_t>(slot.width);
        } else if (slot.kind == SlotKind::Sequence) {
            m_steps.push_back({.block = m_steps.size(), .width = slot.width});
        } else {
            m_isWeighted.push_back(slot.weighted ? 1 : 0);
            m_idWords += slot.weighted ? 2 : 1;
        }
    }
    // The order in which append() writes the words of a record.
    for (std::size_t i = 0; i < m_denseWidths.size(); ++i) {
        addWords(Word::Kind::Dense, i, m_denseWidths[i]);
    }
    addWords(Word::Kind::Label, 0, m_labelWidth);
    addWords(Word::Kind::Weight, 0, m_weightWidth);
    addWords(Word::Kind::Part, 0, static_cast<std::int64_t>(m_exampleWords));
    for (std::size_t i = 0; i < m_isWeighted.size(); ++i) {
        addWords(Word::Kind::Id, i, 1);
        addWords(Word::Kind::IdWeight, i, m_isWeighted[i] != 0 ? 1 : 0);
    }
    m_ids.resize(m_isWeighted.size());
    m_sequences = m_steps.size();
    if (labelsSteps) {
        m_steps.push_back({.kind = Steps::Kind::Label, .width = layout.labelWidth});
    }
    if (labelsSteps && layout.weightWidth > 0) {
        m_steps.push_back({.kind = Steps::Kind::Weight, .width = layout.weightWidth});
    }
}

void RowRecord::addWords(Word::Kind kind, std::size_t block, std::int64_t width)
{
    // Words of wider values belong to a part that takeColumn() copies.
    const Word word{.kind = width == 1 ? kind : Word::Kind::Part,
                    .block = static_cast<std::uint32_t>(block)};
    m_words.insert(m_words.end(), static_cast<std::size_t>(width), word);
}

/// Takes the number of ids and steps of a row into account; returns their words.
std::size_t RowRecord::noteCounts(const EncodedRows& rows, std::size_t row, bool& isShort)
{
    std::size_t words = 0;
    isShort = m_steps.empty();
    for (std::size_t i = 0; i < m_isWeighted.size(); ++i) {
        const std::size_t count = countOf(rows.ids[i].rowOffsets, row);
        words += count * (m_isWeighted[i] != 0 ? 2 : 1);
        // With one id in every column, the counts say nothing: such rows are kept without them.
        isShort = isShort && count == 1;
        m_ids[i].note(count);
    }
    for (Steps& steps : m_steps) {
        const std::size_t count = countOf(offsetsOf(steps, rows), row);
        words += count * static_cast<std::size_t>(steps.width);
        steps.counts.note(count);
    }
    return words;
}

bool RowRecord::append(const EncodedRows& rows, std::size_t row, std::vector<std::uint32_t>& words)
{
    bool isShort = true;
    // Counted first: the words grow once for a row.
    const std::size_t counted = noteCounts(rows, row, isShort);
    const std::size_t place = words.size();
    words.resize(place + fixedWords() + counted);
    std::uint32_t* to = words.data() + place;
    for (std::size_t i = 0; i < m_denseWidths.size(); ++i) {
        const auto width = static_cast<std::size_t>(m_denseWidths[i]);
        to = writeWords(rows.dense[i].values.data() + row * width, width, to);
    }
    const auto labelWidth = static_cast<std::size_t>(m_labelWidth);
    const auto weightWidth = static_cast<std::size_t>(m_weightWidth);
    to = writeWords(rows.labels.data() + row * labelWidth, labelWidth, to);
    to = writeWords(rows.weights.data() + row * weightWidth, weightWidth, to);
    if (m_exampleWords > 0) {
        std::memcpy(to, &rows.exampleIds[row], sizeof(Fingerprint128));
        to += m_exampleWords;
    }
    writeCounted(rows, row, to);
    return isShort;
}

/// The number of ids and steps, then these.
void RowRecord::writeCounted(const EncodedRows& rows, std::size_t row, std::uint32_t* to) const
{
    std::uint32_t* counts = to;
    to += countWords();
    for (std::size_t i = 0; i < m_isWeighted.size(); ++i) {
        const IdBlock& block = rows.ids[i];
        const auto begin = static_cast<std::size_t>(block.rowOffsets[row]);
        const std::size_t count = countOf(block.rowOffsets, row);
        *counts++ = static_cast<std::uint32_t>(count);
        to = writeWords(block.ids.data() + begin, count, to);
        if (m_isWeighted[i] != 0) {
            CANNERY_CHECK(block.weights.size() == block.ids.size());
            to = writeWords(block.weights.data() + begin, count, to);
        }
    }
    for (const Steps& steps : m_steps) {
        const std::vector<std::int64_t>& offsets = offsetsOf(steps, rows);
        const auto width = static_cast<std::size_t>(steps.width);
        const auto begin = static_cast<std::size_t>(offsets[row]) * width;
        const std::size_t count = countOf(offsets, row);
        *counts++ = static_cast<std::uint32_t>(count);
        to = writeWords(valuesOf(steps, rows).data() + begin, count * width, to);
    }
}

void RowRecord::shorten(std::size_t rowCount, std::vector<std::uint32_t>& words) const
{
    const std::size_t longWords = fixedWords() + m_idWords;
    CANNERY_CHECK(words.size() == rowCount * longWords);
    std::uint32_t* to = words.data();
    for (std::size_t row = 0; row < rowCount; ++row) {
        const std::uint32_t* from = words.data() + row * longWords;
        // In place and from the front: a short record never ends behind where its long one begins.
        std::memmove(to, from, m_floatWords * sizeof(*to));
        std::memmove(to + m_floatWords, from + fixedWords(), m_idWords * sizeof(*to));
        to += shortWords();
    }
    words.resize(rowCount * shortWords());
}

void RowRecord::start(std::size_t rowCount, EncodedRows& out) const
{
    out.rowCount = static_cast<std::int64_t>(rowCount);
    out.dense.resize(m_denseWidths.size());
    for (std::size_t i = 0; i < m_denseWidths.size(); ++i) {
        out.dense[i].width = m_denseWidths[i];
        out.dense[i].values.resize(rowCount * static_cast<std::size_t>(m_denseWidths[i]));
    }
    out.labels.resize(rowCount * static_cast<std::size_t>(m_labelWidth));
    out.weights.resize(rowCount * static_cast<std::size_t>(m_weightWidth));
    out.exampleIds.resize(m_exampleWords > 0 ? rowCount : 0);
    out.ids.resize(m_isWeighted.size());
    for (std::size_t i = 0; i < m_isWeighted.size(); ++i) {
        IdBlock& block = out.ids[i];
        block.rowOffsets.resize(rowCount + 1);
        block.rowOffsets.front() = 0;
        // Reserved for the worst case of so many rows, so that gathering allocates nothing.
        const std::size_t most = m_ids[i].mostOf(rowCount);
        block.ids.reserve(most);
        if (m_isWeighted[i] != 0) {
            block.weights.reserve(most);
        } else {
            block.weights.clear();
        }
    }
    startSteps(rowCount, out);
}

void RowRecord::startSteps(std::size_t rowCount, EncodedRows& out) const
{
    out.sequences.resize(m_sequences);
    out.labelOffsets.clear();
    for (const Steps& steps : m_steps) {
        if (steps.kind == Steps::Kind::Sequence) {
            out.sequences[steps.block].width = steps.width;
        }
        std::vector<std::int64_t>& offsets = offsetsOf(steps, out);
        offsets.resize(rowCount + 1);
        offsets.front() = 0;
        valuesOf(steps, out)
            .reserve(steps.counts.mostOf(rowCount) * static_cast<std::size_t>(steps.width));
    }
}

void RowRecord::put(Records records, bool isShort, std::size_t row, EncodedRows& out) const
{
    CANNERY_CHECK(records.size() <= kMostRows);
    if (isShort) {
        startShort(records.size(), row, out);
        putShort(records, isShort, row, out);
    } else {
        putWide(records, row, out);
        putWords(records, {.end = m_floatWords}, row, out);
        putCounted(records, row, out);
    }
}

/// Ids come after the counts, which the short form has not.
template <typename Out>
void RowRecord::putShort(Records records, bool isShort, std::size_t row, Out& out) const
{
    putWide(records, row, out);
    if (isShort) {
        putWords(records, {.end = m_words.size()}, row, out);
        return;
    }
    putWords(records, {.end = m_floatWords}, row, out);
    putWords(records, {.begin = m_floatWords, .end = m_words.size(), .shift = countWords()}, row,
             out);
}

template void RowRecord::putShort(Records records, bool isShort, std::size_t row,
                                  EncodedRows& out) const;
template void RowRecord::putShort(Records records, bool isShort, std::size_t row,
                                  const BatchPlaces& out) const;

template <typename Out>
void RowRecord::putWide(Records records, std::size_t row, Out& out) const
{
    std::size_t offset = 0;
    for (std::size_t i = 0; i < m_denseWidths.size(); ++i) {
        takeColumn(records, offset, m_denseWidths[i], row, denseOf(out, i));
        offset += static_cast<std::size_t>(m_denseWidths[i]);
    }
    takeColumn(records, offset, m_labelWidth, row, labelsOf(out));
    offset += static_cast<std::size_t>(m_labelWidth);
    takeColumn(records, offset, m_weightWidth, row, weightsOf(out));
    offset += static_cast<std::size_t>(m_weightWidth);
    Fingerprint128* const exampleIds = exampleIdsOf(out);
    for (std::size_t i = 0; m_exampleWords > 0 && exampleIds != nullptr && i < records.size();
         ++i) {
        std::memcpy(static_cast<void*>(exampleIds + row + i), records[i] + offset,
                    sizeof(Fingerprint128));
    }
}

template <typename Out>
std::uint32_t* RowRecord::placeOf(const Word& word, std::size_t row, Out& out) const
{
    const auto floats = [row](float* values) {
        return values == nullptr ? nullptr : reinterpret_cast<std::uint32_t*>(values + row);
    };
    switch (word.kind) {
    case Word::Kind::Dense:
        return floats(denseOf(out, word.block));
    case Word::Kind::Label:
        return floats(labelsOf(out));
    case Word::Kind::Weight:
        return floats(weightsOf(out));
    case Word::Kind::Id:
        return reinterpret_cast<std::uint32_t*>(idsFrom(out, word.block, row).ids);
    case Word::Kind::IdWeight:
        return reinterpret_cast<std::uint32_t*>(idsFrom(out, word.block, row).weights);
    case Word::Kind::Part:
        break;
    }
    return nullptr;
}

/// Those of columns of one word. Adjacent words go together; the last group overlaps the one
/// before.
template <typename Out>
void RowRecord::putWords(Records records, WordRange words, std::size_t row, Out& out) const
{
    // Columns that nobody reads are written here, so that a group needs no branch for each of them.
    std::array<std::uint32_t, kMostRows> leftOut;
    const std::size_t count = words.end;
    for (std::size_t begin = words.begin; begin < count;) {
        if (m_words[begin].kind == Word::Kind::Part) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        while (end < count && m_words[end].kind != Word::Kind::Part) {
            ++end;
        }
        for (std::size_t at = begin; at < end; at += kTile) {
            // Whole tiles are faster than a rest, and words written twice get the same values.
            const std::size_t first = end - begin >= kTile ? std::min(at, end - kTile) : at;
            std::array<std::uint32_t*, kTile> columns;
            const std::size_t width = std::min(kTile, end - first);
            for (std::size_t c = 0; c < width; ++c) {
                std::uint32_t* const place = placeOf(m_words[first + c], row, out);
                columns[c] = place == nullptr ? leftOut.data() : place;
            }
            takeWords(records, first + words.shift, std::span(columns).first(width));
        }
        begin = end;
    }
}

/// One id per row.
void RowRecord::startShort(std::size_t count, std::size_t row, EncodedRows& out) const
{
    for (std::size_t i = 0; i < m_isWeighted.size(); ++i) {
        IdBlock& block = out.ids[i];
        const std::int64_t place = block.rowOffsets[row];
        for (std::size_t k = 1; k <= count; ++k) {
            block.rowOffsets[row + k] = place + static_cast<std::int64_t>(k);
        }
        const std::size_t size = static_cast<std::size_t>(place) + count;
        roomFor(block.ids, size);
        if (m_isWeighted[i] != 0) {
            roomFor(block.weights, size);
        }
    }
}

void RowRecord::startShort(std::size_t count, const BatchPlaces& out) const
{
    for (std::size_t i = 0; i < out.ids.size(); ++i) {
        const BatchPlaces::Ids& ids = out.ids[i];
        if (ids.ids == nullptr) {
            continue;
        }
        if (ids.rowOffsets != nullptr) {
            std::iota(ids.rowOffsets, ids.rowOffsets + count + 1, std::int64_t{0});
        }
        if (ids.weights != nullptr && m_isWeighted[i] == 0) {
            std::fill_n(ids.weights, count, 1.0F);
        }
    }
}

void RowRecord::putCounted(Records records, std::size_t row, EncodedRows& out) const
{
    // A cursor for each record: its ids and steps have no fixed place.
    std::array<const std::uint32_t*, kMostRows> cursors;
    for (std::size_t k = 0; k < records.size(); ++k) {
        cursors[k] = records[k] + fixedWords();
    }
    putIds(records, std::span(cursors).first(records.size()), row, out);
    putSteps(records, std::span(cursors).first(records.size()), row, out);
}

void RowRecord::putIds(Records records, Cursors cursors, std::size_t row, EncodedRows& out) const
{
    for (std::size_t i = 0; i < m_isWeighted.size(); ++i) {
        IdBlock& block = out.ids[i];
        std::int64_t* offsets = block.rowOffsets.data() + row;
        for (std::size_t k = 0; k < records.size(); ++k) {
            offsets[k + 1] = offsets[k] + records[k][m_floatWords + i];
        }
        const auto end = static_cast<std::size_t>(offsets[records.size()]);
        std::int32_t* ids = roomFor(block.ids, end) + offsets[0];
        float* weights = m_isWeighted[i] != 0 ? roomFor(block.weights, end) + offsets[0] : nullptr;
        for (std::size_t k = 0; k < records.size(); ++k) {
            const std::size_t count = records[k][m_floatWords + i];
            ids = takeSome(cursors[k], count, ids);
            if (weights != nullptr) {
                weights = takeSome(cursors[k], count, weights);
            }
        }
    }
}

void RowRecord::putSteps(Records records, Cursors cursors, std::size_t row, EncodedRows& out) const
{
    const std::size_t place = m_floatWords + m_isWeighted.size();
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        std::int64_t* offsets = offsetsOf(m_steps[i], out).data() + row;
        for (std::size_t k = 0; k < records.size(); ++k) {
            offsets[k + 1] = offsets[k] + records[k][place + i];
        }
        const auto width = static_cast<std::size_t>(m_steps[i].width);
        const auto end = static_cast<std::size_t>(offsets[records.size()]) * width;
        float* values =
            roomFor(valuesOf(m_steps[i], out), end) + static_cast<std::size_t>(offsets[0]) * width;
        for (std::size_t k = 0; k < records.size(); ++k) {
            values = takeSome(cursors[k], records[k][place + i] * width, values);
        }
    }
}

void RowRecord::finish(EncodedRows& out) const
{
    for (std::size_t i = 0; i < m_isWeighted.size(); ++i) {
        IdBlock& block = out.ids[i];
        const auto count = static_cast<std::size_t>(block.rowOffsets.back());
        // Room was made by doubling, so the blocks may be larger than what they hold.
        block.ids.resize(count);
        if (m_isWeighted[i] != 0) {
            block.weights.resize(count);
        }
    }
    for (const Steps& steps : m_steps) {
        valuesOf(steps, out)
            .resize(static_cast<std::size_t>(offsetsOf(steps, out).back() * steps.width));
    }
}

} // namespace cannery::features
