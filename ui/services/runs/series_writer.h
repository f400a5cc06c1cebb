// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/series.h"
#include "ui/services/runs/column_block.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cannery::ui {

/// What has changed in a series since the last update: everything that its reader needs.
struct SeriesUpdate
{
    std::shared_ptr<const ColumnBlock> block;
    qsizetype count = 0;
    double wallStart = 0;
    std::size_t firstSegment = 0;        ///< earlier segments are unchanged
    std::vector<SeriesSegment> segments; ///< from firstSegment on
    qint64 nanCount = 0;
    qint64 positiveInfinityCount = 0;
    qint64 negativeInfinityCount = 0;

    /// Merges a later update.
    void merge(SeriesUpdate later);
};

/// The place of a point in the event files, as far as segments need it.
struct PointOrigin
{
    std::uint32_t file = 0;        ///< number of the event file
    std::uint32_t session = 0;     ///< number of sessions so far in the folder
    std::uint32_t sessionFile = 0; ///< the file in which the last one began
};

/// The growing end of a series, on the loading thread: appends points and finds the segments. A new
/// one begins where the step decreases, where another file logs the same step again, and at the
/// first point of a session that another file begins. Points of earlier segments at its first step
/// or later are overwritten.
class SeriesWriter
{
public:
    /// Everything except the points, for the cache.
    struct State
    {
        qsizetype count = 0;
        double wallStart = 0;
        double lastWall = 0;
        PointOrigin last;
        std::vector<SeriesSegment> segments;
        qint64 nanCount = 0;
        qint64 positiveInfinityCount = 0;
        qint64 negativeInfinityCount = 0;
        std::array<std::uint32_t, 3> crcs{}; ///< of the columns' first crcCount points
        qsizetype crcCount = 0;
    };

    SeriesWriter() = default;
    SeriesWriter(State state, std::shared_ptr<ColumnBlock> block);

    bool isFull() const { return m_block == nullptr || m_state.count == m_block->capacity(); }
    /// The capacity for the next block of a series that is expected to grow by this factor.
    qsizetype nextCapacity(double growth) const;
    /// Continues in a larger block.
    void moveTo(std::shared_ptr<ColumnBlock> block);
    /// Must not be full.
    void append(std::int64_t step, double wallTime, float value, const PointOrigin& origin);
    /// Whether takeUpdate() has anything to report.
    bool hasNews() const { return m_state.count != m_published; }
    SeriesUpdate takeUpdate();

    /// With checksums of all points.
    const State& state();
    const std::shared_ptr<ColumnBlock>& block() const { return m_block; }

private:
    void beginSegment(std::int64_t step);
    void countOddValue(float value);

    State m_state;
    std::shared_ptr<ColumnBlock> m_block;
    /// Segments that are not completely overwritten; their steps ascend from one to the next.
    std::vector<std::size_t> m_standing;
    qsizetype m_published = 0;
    std::size_t m_firstChangedSegment = 0;
};

} // namespace cannery::ui
