// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/series.h"
#include "ui/services/column_block.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cannery::ui {

/// What has become of a series since it was last told: everything that its reader needs.
struct SeriesUpdate
{
    std::shared_ptr<const ColumnBlock> block;
    qsizetype count = 0;
    double wallStart = 0;
    std::size_t firstSegment = 0;        ///< segments before it are as they were
    std::vector<SeriesSegment> segments; ///< from firstSegment on
    qint64 nanCount = 0;
    qint64 positiveInfinityCount = 0;
    qint64 negativeInfinityCount = 0;

    /// Takes in what came later.
    void merge(SeriesUpdate later);
};

/// Where in the event files a point stood, as far as segments need it.
struct PointOrigin
{
    std::uint32_t file = 0;        ///< number of the event file
    std::uint32_t session = 0;     ///< sessions begun so far in the folder
    std::uint32_t sessionFile = 0; ///< where the last of them began
};

/// The growing end of a series, on the loading thread: puts points behind one another and finds
/// the segments. A new one begins where the step goes back; where another file logs the same step
/// again; and with the first point of a session that another file begins. Points of earlier
/// segments at its first step or later are overwritten.
class SeriesWriter
{
public:
    /// Everything but the points; what a cache keeps.
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
    /// What the next block should have room for, of a series that is expected to become so many
    /// times as long.
    qsizetype nextCapacity(double growth) const;
    /// Goes on in a larger block.
    void moveTo(std::shared_ptr<ColumnBlock> block);
    /// Not when it is full.
    void append(std::int64_t step, double wallTime, float value, const PointOrigin& origin);
    /// Whether there is something that takeUpdate() would tell.
    bool hasNews() const { return m_state.count != m_told; }
    SeriesUpdate takeUpdate();

    /// With checksums of all points.
    const State& state();
    const std::shared_ptr<ColumnBlock>& block() const { return m_block; }

private:
    void beginSegment(std::int64_t step);
    void countOddValue(float value);

    State m_state;
    std::shared_ptr<ColumnBlock> m_block;
    /// Segments of which something is not overwritten; their steps ascend from one to the next.
    std::vector<std::size_t> m_standing;
    qsizetype m_told = 0;
    std::size_t m_firstChangedSegment = 0;
};

} // namespace cannery::ui
