// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/series_writer.h"

#include "storage/io/crc32c.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace cannery::ui {

namespace {

constexpr qsizetype kFirstCapacity = 4;
/// Too few points to predict a series' growth.
constexpr qsizetype kFewPoints = 512;
/// Series are not logged quite evenly.
constexpr double kRoomToSpare = 1.0625;
/// At once: a series that was only logged at the beginning must not fill the disk.
constexpr double kMostGrowth = 64;

template <typename T>
void addToCrc(std::uint32_t& crc, const T* column, qsizetype begin, qsizetype end)
{
    crc = storage::crc32c(
        std::as_bytes(std::span(column + begin, static_cast<std::size_t>(end - begin))), crc);
}

} // namespace

void SeriesUpdate::merge(SeriesUpdate later)
{
    // It brings all segments that this one changed, and every total anyway.
    if (later.firstSegment <= firstSegment) {
        *this = std::move(later);
        return;
    }
    segments.resize(later.firstSegment - firstSegment);
    segments.insert(segments.end(), later.segments.begin(), later.segments.end());
    later.segments = std::move(segments);
    later.firstSegment = firstSegment;
    *this = std::move(later);
}

SeriesWriter::SeriesWriter(State state, std::shared_ptr<ColumnBlock> block)
    : m_state(std::move(state)), m_block(std::move(block))
{
    // What beginSegment() had found out before the cache was written.
    for (std::size_t i = 0; i < m_state.segments.size(); ++i) {
        if (m_state.segments[i].overwrittenFrom > m_state.segments[i].begin) {
            m_standing.push_back(i);
        }
    }
}

void SeriesWriter::append(std::int64_t step, double wallTime, float value,
                          const PointOrigin& origin)
{
    if (m_state.count == 0) {
        m_state.wallStart = std::isfinite(wallTime) ? wallTime : 0;
        m_state.lastWall = m_state.wallStart;
        beginSegment(step);
    } else {
        const std::int64_t lastStep = m_block->steps()[m_state.count - 1];
        const bool isOtherFile = origin.file != m_state.last.file;
        // A session that began in another file than the last point's. One that began in the same
        // file continues, unless its steps go back.
        const bool isNewSession =
            origin.session != m_state.last.session && origin.sessionFile != m_state.last.file;
        if (step < lastStep || (isOtherFile && step == lastStep) || isNewSession) {
            beginSegment(step);
        }
    }
    m_state.last = origin;
    // Some writers leave out the time or log something else there.
    m_state.lastWall = std::isfinite(wallTime) ? wallTime : m_state.lastWall;
    const qsizetype at = m_state.count++;
    m_block->steps()[at] = step;
    m_block->seconds()[at] = static_cast<float>(m_state.lastWall - m_state.wallStart);
    m_block->values()[at] = value;
    SeriesSegment& segment = m_state.segments.back();
    segment.end = m_state.count;
    segment.overwrittenFrom = m_state.count;
    if (!std::isfinite(value)) {
        countOddValue(value);
    }
}

void SeriesWriter::countOddValue(float value)
{
    if (std::isnan(value)) {
        ++m_state.nanCount;
    } else if (value > 0) {
        ++m_state.positiveInfinityCount;
    } else {
        ++m_state.negativeInfinityCount;
    }
}

qsizetype SeriesWriter::nextCapacity(double growth) const
{
    const qsizetype doubled = std::max(kFirstCapacity, m_state.count * 2);
    if (m_state.count < kFewPoints) {
        return doubled;
    }
    const double factor = std::clamp(growth * kRoomToSpare, 1.0, kMostGrowth);
    // At least doubled: copying stays linear even if the estimate is too low.
    return std::max(doubled, static_cast<qsizetype>(static_cast<double>(m_state.count) * factor));
}

void SeriesWriter::moveTo(std::shared_ptr<ColumnBlock> block)
{
    if (m_block) {
        std::copy_n(m_block->steps(), m_state.count, block->steps());
        std::copy_n(m_block->seconds(), m_state.count, block->seconds());
        std::copy_n(m_block->values(), m_state.count, block->values());
    }
    m_block = std::move(block);
}

void SeriesWriter::beginSegment(std::int64_t step)
{
    std::vector<SeriesSegment>& segments = m_state.segments;
    m_firstChangedSegment = std::min(m_firstChangedSegment, segments.size());
    // The remaining parts ascend, so only the last ones reach this step.
    while (!m_standing.empty()) {
        SeriesSegment& segment = segments[m_standing.back()];
        if (m_block->steps()[segment.overwrittenFrom - 1] < step) {
            break;
        }
        const std::int64_t* steps = m_block->steps();
        segment.overwrittenFrom =
            std::lower_bound(steps + segment.begin, steps + segment.overwrittenFrom, step) - steps;
        m_firstChangedSegment = std::min(m_firstChangedSegment, m_standing.back());
        if (segment.overwrittenFrom > segment.begin) {
            break;
        }
        m_standing.pop_back();
    }
    m_standing.push_back(segments.size());
    segments.push_back({m_state.count, m_state.count, m_state.count});
}

SeriesUpdate SeriesWriter::takeUpdate()
{
    const std::vector<SeriesSegment>& segments = m_state.segments;
    SeriesUpdate update{
        .block = m_block,
        .count = m_state.count,
        .wallStart = m_state.wallStart,
        .firstSegment = m_firstChangedSegment,
        .segments = {segments.begin() + static_cast<std::ptrdiff_t>(m_firstChangedSegment),
                     segments.end()},
        .nanCount = m_state.nanCount,
        .positiveInfinityCount = m_state.positiveInfinityCount,
        .negativeInfinityCount = m_state.negativeInfinityCount};
    m_published = m_state.count;
    // The last segment grows with each point.
    m_firstChangedSegment = segments.empty() ? 0 : segments.size() - 1;
    return update;
}

const SeriesWriter::State& SeriesWriter::state()
{
    // Continued from the last save: CRC32C of the new part alone, as columns only grow.
    if (m_state.crcCount < m_state.count) {
        addToCrc(m_state.crcs[0], m_block->steps(), m_state.crcCount, m_state.count);
        addToCrc(m_state.crcs[1], m_block->seconds(), m_state.crcCount, m_state.count);
        addToCrc(m_state.crcs[2], m_block->values(), m_state.crcCount, m_state.count);
        m_state.crcCount = m_state.count;
    }
    return m_state;
}

} // namespace cannery::ui
