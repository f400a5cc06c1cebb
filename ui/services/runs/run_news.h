// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/series.h"
#include "ui/services/runs/series_writer.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace cannery::ui {

/// What has changed in a run since it was last asked for.
struct RunNews
{
    bool isReset = false;             ///< discard everything reported before
    std::vector<SeriesKey> newSeries; ///< numbered after those reported before
    std::unordered_map<std::uint32_t, SeriesUpdate> updates; ///< by series number
    double loadedFraction = 0;
    QString problem;

    void merge(RunNews later);
};

/// Collects the changes of a run from its folders. One thread.
class RunNewsWriter
{
public:
    explicit RunNewsWriter(QString run) : m_run(std::move(run)) {}

    /// The number of a series that was not reported yet.
    std::uint32_t announce(const QString& folder, const std::string& tag);
    void update(std::uint32_t series, SeriesUpdate update);
    void noteProblem(const std::string& problem);
    void addBytesRead(std::uint64_t bytes) { m_bytesRead += bytes; }
    /// Reports everything again.
    void reset();

    /// With how much of the run has been read.
    RunNews take(double loadedFraction);
    /// Since the start.
    std::uint64_t bytesRead() const { return m_bytesRead; }

private:
    QString m_run;
    RunNews m_news;
    std::uint32_t m_seriesCount = 0;
    std::uint64_t m_bytesRead = 0;
};

} // namespace cannery::ui
