// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/scalars_export.h"

#include "storage/io/files.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/events/scalar_event_scanner.h"
#include "ui/models/csv_cell.h"
#include "ui/services/runs/event_folders.h"

#include <QCoreApplication>
#include <QPointer>
#include <QSaveFile>
#include <QThreadPool>

#include <array>
#include <charconv>
#include <functional>

namespace cannery::ui {
namespace {

constexpr std::size_t kPointsAtOnce = 50'000;

struct Outcome
{
    qint64 rows = 0;
    QString error;
};

template <typename Number>
void appendNumber(QByteArray& text, Number number)
{
    // Shortest digits with a point in every language of the desktop.
    std::array<char, 40> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text.append(digits.data(), end.ptr - digits.data());
}

/// Writes one CSV. Used from one thread.
class Writer
{
public:
    Writer(const QString& file, const std::atomic<bool>& isCancelled)
        : m_file(file), m_isCancelled(&isCancelled)
    {}

    Outcome write(const QList<ExportedRun>& runs, const std::function<void(double)>& progressed)
    {
        if (!m_file.open(QSaveFile::WriteOnly)) {
            return {0, problem()};
        }
        m_file.write("run,folder,tag,step,wall_time,value\n");
        for (qsizetype i = 0; i < runs.size() && !*m_isCancelled; ++i) {
            progressed(static_cast<double>(i) / static_cast<double>(runs.size()));
            for (const EventFolder& folder : eventFoldersOfRun(runs.at(i).folder)) {
                writeFolder(runs.at(i), folder);
            }
        }
        if (*m_isCancelled) {
            m_file.cancelWriting();
            return {};
        }
        return m_file.commit() ? Outcome{m_rows, {}} : Outcome{0, problem()};
    }

private:
    QString problem() const
    {
        return QCoreApplication::translate("ScalarsExport", "%1 cannot be written: %2.")
            .arg(m_file.fileName(), m_file.errorString());
    }

    void writeFolder(const ExportedRun& run, const EventFolder& folder)
    {
        const auto names = storage::listEventFiles(folder.path.toStdString());
        if (!names) {
            return;
        }
        // Of all files of a folder, because a tag keeps its number from one to the next.
        storage::ScalarTags tags;
        for (const std::string& name : *names) {
            const QByteArray head = (csvCell(run.label) + ',' + csvCell(folder.key) + ',').toUtf8();
            writeFile(storage::joinPath(folder.path.toStdString(), name), head, tags);
        }
    }

    /// From a damaged file, writes what precedes the damage, as the charts show it.
    void writeFile(const std::string& path, const QByteArray& head, storage::ScalarTags& tags)
    {
        auto scanner = storage::ScalarEventScanner::open(path, tags);
        std::vector<storage::ScalarPoint> points;
        bool hasMore = scanner.has_value();
        while (hasMore && !*m_isCancelled) {
            points.clear();
            const Result<bool> read = scanner->read(points, kPointsAtOnce);
            hasMore = read && *read;
            writePoints(points, head, tags);
        }
    }

    void writePoints(const std::vector<storage::ScalarPoint>& points, const QByteArray& head,
                     const storage::ScalarTags& tags)
    {
        QByteArray text;
        for (const storage::ScalarPoint& point : points) {
            // A restart is not a point.
            if (point.tag == storage::ScalarPoint::kSessionStart) {
                continue;
            }
            text += head + csvCell(QString::fromStdString(tags.name(point.tag))).toUtf8() + ',';
            appendNumber(text, point.step);
            text += ',';
            appendNumber(text, point.wallTime);
            text += ',';
            appendNumber(text, point.value);
            text += '\n';
            ++m_rows;
        }
        m_file.write(text);
    }

    QSaveFile m_file;
    const std::atomic<bool>* m_isCancelled;
    qint64 m_rows = 0;
};

} // namespace

ScalarsExport::~ScalarsExport()
{
    cancel();
}

void ScalarsExport::start(const QString& file, const QList<ExportedRun>& runs)
{
    if (m_isRunning) {
        return;
    }
    m_isRunning = true;
    m_file = file;
    m_cancelled = std::make_shared<std::atomic<bool>>(false);
    // Through the application, as this object may be gone when the worker reports.
    const auto report = [guard = QPointer<ScalarsExport>(this)](auto function) {
        QMetaObject::invokeMethod(
            qApp,
            [guard, function] {
                if (guard) {
                    function(*guard);
                }
            },
            Qt::QueuedConnection);
    };
    QThreadPool::globalInstance()->start([file, runs, report, cancelled = m_cancelled] {
        Writer writer(file, *cancelled);
        const Outcome outcome = writer.write(runs, [&](double fraction) {
            report([fraction](ScalarsExport& self) { Q_EMIT self.progressed(fraction); });
        });
        report([outcome](ScalarsExport& self) {
            self.m_isRunning = false;
            Q_EMIT self.finished(self.m_file, outcome.rows, outcome.error);
        });
    });
}

void ScalarsExport::cancel()
{
    if (m_cancelled) {
        *m_cancelled = true;
    }
}

} // namespace cannery::ui
