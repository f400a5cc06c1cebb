// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/table_page.h"

#include <QByteArray>
#include <QJsonObject>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <memory>

class QProcess;

namespace cannery::reports {
class BrowseLine;
} // namespace cannery::reports

namespace cannery::ui {

class ProjectSession;

/// Pages of the open experiment's training table, filtered and sorted by a helper process (`cannery
/// browse --serve`). The helper runs while a page wants it and some time after, starts anew when
/// the experiment reads its table otherwise or the files change, and ends with this object, or with
/// the window however that ends. GUI thread; nothing blocks.
class TableBrowser : public QObject
{
    Q_OBJECT

public:
    enum class State
    {
        Off,      ///< not wanted, or no experiment is open
        Starting, ///< the table is being opened
        Ready,
        Failed, ///< see error()
    };

    explicit TableBrowser(ProjectSession& session, QObject* parent = nullptr);
    ~TableBrowser() override;

    /// Whether a page is shown that needs rows.
    void setWanted(bool wanted);
    State state() const { return m_state; }
    /// Why there are no rows, a sentence.
    const QString& error() const { return m_error; }
    /// Starts again after Failed.
    void startAgain();

    /// Known since Ready.
    const DataFacts& columns() const { return m_columns; }
    /// How many rows are known, and whether these are all.
    qint64 rows() const { return m_rows; }
    qint64 leftOutRows() const { return m_leftOut; }
    bool isWhole() const { return m_isWhole; }

    // Each returns the request's number; its answer is a signal with that number. 0: not Ready.
    int askRows(const TableQuery& query, qint64 first, qint64 count);
    int askStatistics();
    int askLeftOut(qint64 first, qint64 count);
    /// Whether a filter can be read: filterChecked().
    int checkFilter(const QString& filter);
    /// failed() with `cancelled` follows, unless the answer was already on its way.
    void cancel(int request);

Q_SIGNALS:
    /// Requests from before are not answered any more.
    void stateChanged();
    void rowsCame(int request, const cannery::ui::TablePage& page);
    /// The rows to train on that were counted, and what is known about their columns.
    void statisticsCame(int request, const cannery::ui::DataFacts& facts);
    void leftOutCame(int request, const QList<cannery::ui::LeftOutRow>& rows, qint64 first);
    /// rows(), leftOutRows() and isWhole().
    void extentChanged();
    /// `doing` is "reading", "filtering", "keying" or "sorting"; a negative share is unknown.
    void progressed(int request, const QString& doing, double share);
    /// An empty sentence: it can be read. `position` and `length` are in characters.
    void filterChecked(int request, const QString& sentence, int position, int length);
    void failed(int request, const QString& sentence, bool cancelled);

private:
    struct Answer;

    void follow();
    void start();
    void stop();
    void fail(const QString& sentence);
    void readLines();
    void take(const Answer& answer);
    void takeError(const reports::BrowseLine& line);
    void ended(bool crashed);
    bool isRunning() const; ///< it may have ended with answers still to come
    int ask(const QString& what, const QJsonObject& details);
    QByteArray reading() const;

    ProjectSession* m_session;
    QTimer m_soon;
    QTimer m_rest; ///< since no page wants the helper
    QProcess* m_process = nullptr;
    State m_state = State::Off;
    QString m_error;
    QByteArray m_unread;  ///< the unfinished last line
    QByteArray m_reading; ///< how the experiment reads its table, when the helper was started
    DataFacts m_columns;
    qint64 m_rows = 0;
    qint64 m_leftOut = 0;
    bool m_isWhole = false;
    bool m_isWanted = false;
    int m_lastRequest = 0;
    QThreadPool m_reader; ///< pages and statistics of wide tables are long
};

} // namespace cannery::ui
