// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/stored_series.h"

#include <algorithm>
#include <utility>

namespace cannery::ui {

StoredSeries::StoredSeries(SeriesKey key, Residency& residency)
    : Series(std::move(key)), m_residency(&residency)
{}

StoredSeries::~StoredSeries()
{
    m_residency->bytes -= m_residentBytes;
}

/// Counts the whole series: tracking single columns is not worth it.
void StoredSeries::touch(qint64 bytes) const
{
    m_lastLook = ++m_residency->clock;
    if (bytes > m_residentBytes) {
        m_residency->bytes += bytes - m_residentBytes;
        m_residentBytes = bytes;
    }
}

std::span<const std::int64_t> StoredSeries::steps() const
{
    touch(m_size * ColumnBlock::kBytesPerPoint);
    return {m_update.block ? m_update.block->steps() : nullptr, static_cast<std::size_t>(m_size)};
}

std::span<const float> StoredSeries::seconds() const
{
    touch(m_size * ColumnBlock::kBytesPerPoint);
    return {m_update.block ? m_update.block->seconds() : nullptr, static_cast<std::size_t>(m_size)};
}

std::span<const float> StoredSeries::values() const
{
    touch(m_size * ColumnBlock::kBytesPerPoint);
    return {m_update.block ? m_update.block->values() : nullptr, static_cast<std::size_t>(m_size)};
}

void StoredSeries::take(SeriesUpdate update)
{
    m_update.merge(std::move(update));
    m_nanCount = m_update.nanCount;
    m_positiveInfinityCount = m_update.positiveInfinityCount;
    m_negativeInfinityCount = m_update.negativeInfinityCount;
}

bool StoredSeries::advance(qsizetype points)
{
    m_size = std::min(m_update.count, m_size + points);
    showSegments();
    m_pyramid.update(values());
    ++m_revision;
    return hasMore();
}

/// The segments as far as their points are shown.
void StoredSeries::showSegments()
{
    m_segments = m_update.segments;
    while (!m_segments.empty() && m_segments.back().begin >= m_size) {
        m_segments.pop_back();
    }
    if (!m_segments.empty()) {
        SeriesSegment& last = m_segments.back();
        last.end = std::min(last.end, m_size);
        last.overwrittenFrom = std::min(last.overwrittenFrom, last.end);
    }
}

void StoredSeries::release()
{
    if (m_update.block && m_update.block->isMapped()) {
        m_update.block->release();
        m_residency->bytes -= m_residentBytes;
        m_residentBytes = 0;
    }
}

} // namespace cannery::ui
