// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/summary_feed.h"

#include "ui/services/runs/summary_reader.h"

#include <QMetaObject>
#include <QThread>

#include <utility>

namespace cannery::ui {

namespace {

constexpr int kTurnMilliseconds = 100;

} // namespace

SummaryFeed::Reading::Reading(const QString& folder)
    : reader(std::make_unique<SummaryReader>(folder))
{}

SummaryFeed::Reading::~Reading() = default;

SummaryFeed::SummaryFeed(QObject* parent)
    : QObject(parent), m_summaries(std::make_shared<RunSummaries>())
{
    m_pool.setMaxThreadCount(1);
    m_pool.setThreadPriority(QThread::LowPriority);
    m_poll.setInterval(std::chrono::seconds(1));
    connect(&m_poll, &QTimer::timeout, this, [this] { start(true); });
}

SummaryFeed::~SummaryFeed()
{
    if (m_reading) {
        m_reading->isOver = true;
    }
    m_pool.waitForDone();
}

void SummaryFeed::setRun(const QString& folder, bool follows)
{
    if (folder != m_folder) {
        if (m_reading) {
            m_reading->isOver = true;
        }
        m_folder = folder;
        m_reading = folder.isEmpty() ? nullptr : std::make_shared<Reading>(folder);
        m_isReading = false;
        m_looksAgain = false;
        m_isComplete = false;
        m_summaries = std::make_shared<RunSummaries>();
        Q_EMIT changed();
    } else if (m_follows && !follows) {
        m_isComplete = false; // its last words
    }
    m_follows = follows;
    if (m_isActive) {
        setActive(true);
    }
}

void SummaryFeed::setActive(bool active)
{
    m_isActive = active;
    if (!active || !m_reading) {
        m_poll.stop();
        return;
    }
    if (!m_isComplete || m_follows) {
        start(true);
    }
    if (m_follows && !m_poll.isActive()) {
        m_poll.start();
    } else if (!m_follows) {
        m_poll.stop();
    }
}

/// One turn of reading in the background, unless one is already under way.
void SummaryFeed::start(bool looks)
{
    if (!m_reading || !m_isActive) {
        return;
    }
    if (m_isReading) {
        m_looksAgain = m_looksAgain || looks;
        return;
    }
    m_isReading = true;
    m_pool.start([this, reading = m_reading, looks] {
        if (reading->isOver) {
            return;
        }
        const bool isLeft = reading->reader->read(looks, kTurnMilliseconds);
        auto summaries = std::make_shared<const RunSummaries>(reading->reader->summaries());
        QMetaObject::invokeMethod(
            this, [this, reading, summaries, isLeft] { take(reading, summaries, isLeft); },
            Qt::QueuedConnection);
    });
}

void SummaryFeed::take(const std::shared_ptr<Reading>& reading, const RunSummariesPtr& summaries,
                       bool isLeft)
{
    if (reading != m_reading) {
        return; // another run by now
    }
    m_isReading = false;
    const bool isNews =
        isLeft || summaries->loadedFraction != m_summaries->loadedFraction ||
        summaries->problem != m_summaries->problem || summaries->leftOut != m_summaries->leftOut ||
        summaries->histograms != m_summaries->histograms ||
        summaries->texts != m_summaries->texts || summaries->images != m_summaries->images ||
        summaries->prCurves != m_summaries->prCurves || summaries->sounds != m_summaries->sounds ||
        summaries->graphs != m_summaries->graphs;
    m_summaries = summaries;
    m_isComplete = !isLeft && !m_looksAgain;
    if (!m_isComplete) {
        start(std::exchange(m_looksAgain, false));
    }
    if (isNews) {
        Q_EMIT changed();
    }
}

} // namespace cannery::ui
