// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_summaries.h"

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>

#include <atomic>
#include <chrono>
#include <memory>

namespace cannery::ui {

class SummaryReader;

/// Histograms, texts, images, PR curves and the graph of one run for one view. Event files are read
/// and followed off the GUI thread, and only while the view is active; what was read is kept until
/// another run is set. GUI thread only.
class SummaryFeed : public QObject
{
    Q_OBJECT

public:
    explicit SummaryFeed(QObject* parent = nullptr);
    ~SummaryFeed() override;

    /// As for SeriesStore::addRun(); empty if there is none. `follows`: its files may grow.
    void setRun(const QString& folder, bool follows);
    /// Inactive by default.
    void setActive(bool active);
    /// How often growing files are looked at; once a second by default.
    void setPollInterval(std::chrono::milliseconds interval) { m_poll.setInterval(interval); }

    /// What has been read so far; never null.
    const RunSummariesPtr& summaries() const { return m_summaries; }

Q_SIGNALS:
    void changed();

private:
    /// The reading of one run; outlives the feed's interest in it.
    struct Reading
    {
        explicit Reading(const QString& folder);
        ~Reading();

        std::unique_ptr<SummaryReader> reader; ///< on the pool's thread
        std::atomic<bool> isOver = false;
    };

    void start(bool looks);
    void take(const std::shared_ptr<Reading>& reading, const RunSummariesPtr& summaries,
              bool isLeft);

    QThreadPool m_pool;
    QTimer m_poll;
    QString m_folder;
    bool m_follows = false;
    bool m_isActive = false;
    bool m_isReading = false;
    bool m_looksAgain = false; ///< after the reading that is under way
    bool m_isComplete = false; ///< read to the end since it was set
    std::shared_ptr<Reading> m_reading;
    RunSummariesPtr m_summaries;
};

} // namespace cannery::ui
