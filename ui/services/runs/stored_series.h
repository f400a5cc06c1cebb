// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/series.h"
#include "ui/services/runs/series_writer.h"

#include <QtGlobal>

#include <memory>

namespace cannery::ui {

/// The resident memory that the series of a store share.
struct Residency
{
    qint64 bytes = 0;
    quint64 clock = 0; ///< increases with every access to columns
};

/// A series on the GUI thread: shows a growing part of the columns that the loading thread writes.
class StoredSeries final : public Series
{
public:
    StoredSeries(SeriesKey key, Residency& residency);
    ~StoredSeries() override;

    qsizetype size() const override { return m_size; }
    std::span<const std::int64_t> steps() const override;
    std::span<const float> seconds() const override;
    std::span<const float> values() const override;
    double wallStart() const override { return m_update.wallStart; }

    void setStepsPerEpoch(double steps) { m_stepsPerEpoch = steps; }
    /// Takes an update; advance() shows it.
    void take(SeriesUpdate update);
    /// Shows at most this many more points. True if some are left.
    bool advance(qsizetype points);
    bool hasMore() const { return m_size < m_update.count; }

    /// Bytes of columns in files that this series may have resident.
    qint64 residentBytes() const { return m_residentBytes; }
    quint64 lastLook() const { return m_lastLook; }
    /// Evicts the columns.
    void release();

private:
    void touch(qint64 bytesPerPoint) const;
    void showSegments();

    Residency* m_residency;
    SeriesUpdate m_update; ///< with all segments
    qsizetype m_size = 0;
    mutable qint64 m_residentBytes = 0;
    mutable quint64 m_lastLook = 0;
};

} // namespace cannery::ui
