#include "core/features/row_record.h"

#include "core/base/check.h"

#include <cstring>

namespace cannery::features {

namespace {

template <typename T>
void appendWords(const T* values, std::size_t count, std::vector<std::uint32_t>& words)
{
    static_assert(sizeof(T) == sizeof(std::uint32_t));
    if (count > 0) {
        const std::size_t place = words.size();
        words.resize(place + count);
        std::memcpy(words.data() + place, values, count * sizeof(T));
    }
}

void takeFloats(const std::uint32_t*& record, std::int64_t count, std::size_t row,
                std::vector<float>& out)
{
    const auto width = static_cast<std::size_t>(count);
    if (width > 0) {
        std::memcpy(out.data() + row * width, record, width * sizeof(float));
        record += width;
    }
}

/// Grows only where the vector has no room yet.
template <typename T>
void takeBehind(const std::uint32_t*& record, std::size_t count, std::vector<T>& out)
{
    static_assert(sizeof(T) == sizeof(std::uint32_t));
    if (count > 0) {
        const std::size_t place = out.size();
        out.resize(place + count);
        std::memcpy(out.data() + place, record, count * sizeof(T));
        record += count;
    }
}

} // namespace

RowRecord::RowRecord(const InputLayout& layout, bool hasLabels, bool hasWeights)
    : m_labelWidth(hasLabels ? layout.labelWidth : 0),
      m_weightWidth(hasWeights ? layout.weightWidth : 0)
{
    m_floatWords = static_cast<std::size_t>(m_labelWidth + m_weightWidth);
    for (const InputSlot& slot : layout.slots) {
        if (slot.kind == SlotKind::Dense) {
            m_denseWidths.push_back(slot.width);
            m_floatWords += static_cast<std::size_t>(slot.width);
        } else {
            m_isWeighted.push_back(slot.weighted ? 1 : 0);
        }
    }
}

void RowRecord::append(const EncodedRows& rows, std::size_t row,
                       std::vector<std::uint32_t>& words) const
{
    for (std::size_t i = 0; i < m_denseWidths.size(); ++i) {
        const auto width = static_cast<std::size_t>(m_denseWidths[i]);
        appendWords(rows.dense[i].values.data() + row * width, width, words);
    }
    const auto labelWidth = static_cast<std::size_t>(m_labelWidth);
    const auto weightWidth = static_cast<std::size_t>(m_weightWidth);
    appendWords(rows.labels.data() + row * labelWidth, labelWidth, words);
    appendWords(rows.weights.data() + row * weightWidth, weightWidth, words);
    for (const IdBlock& block : rows.ids) {
        words.push_back(
            static_cast<std::uint32_t>(block.rowOffsets[row + 1] - block.rowOffsets[row]));
    }
    for (std::size_t i = 0; i < m_isWeighted.size(); ++i) {
        const IdBlock& block = rows.ids[i];
        const auto begin = static_cast<std::size_t>(block.rowOffsets[row]);
        const auto count = static_cast<std::size_t>(block.rowOffsets[row + 1]) - begin;
        appendWords(block.ids.data() + begin, count, words);
        if (m_isWeighted[i] != 0) {
            CANNERY_CHECK(block.weights.size() == block.ids.size());
            appendWords(block.weights.data() + begin, count, words);
        }
    }
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
    out.ids.resize(m_isWeighted.size());
    for (IdBlock& block : out.ids) {
        block.rowOffsets.resize(rowCount + 1);
        block.rowOffsets.front() = 0;
        block.ids.clear();
        block.weights.clear();
    }
}

void RowRecord::put(const std::uint32_t* record, std::size_t row, EncodedRows& out) const
{
    for (std::size_t i = 0; i < m_denseWidths.size(); ++i) {
        takeFloats(record, m_denseWidths[i], row, out.dense[i].values);
    }
    takeFloats(record, m_labelWidth, row, out.labels);
    takeFloats(record, m_weightWidth, row, out.weights);
    const std::uint32_t* counts = record;
    record += m_isWeighted.size();
    for (std::size_t i = 0; i < m_isWeighted.size(); ++i) {
        IdBlock& block = out.ids[i];
        takeBehind(record, counts[i], block.ids);
        if (m_isWeighted[i] != 0) {
            takeBehind(record, counts[i], block.weights);
        }
        block.rowOffsets[row + 1] = static_cast<std::int64_t>(block.ids.size());
    }
}

} // namespace cannery::features
