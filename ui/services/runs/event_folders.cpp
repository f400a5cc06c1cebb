// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/event_folders.h"

#include "storage/io/files.h"
#include "storage/tf/events/event_reader.h"

#include <QDir>
#include <QFileInfo>
#include <QPromise>
#include <QSet>
#include <QThreadPool>

#include <algorithm>
#include <memory>

namespace cannery::ui {

namespace {

constexpr int kMaxDepth = 64;

/// The direct contents of a folder.
struct Listing
{
    bool hasEvents = false;
    QStringList folders;
};

Listing list(const QString& path)
{
    Listing listing;
    const QDir::Filters filters =
        QDir::Dirs | QDir::Files | QDir::Hidden | QDir::NoDotAndDotDot | QDir::System;
    for (const QFileInfo& entry : QDir(path).entryInfoList(filters, QDir::Name)) {
        if (entry.isDir()) {
            listing.folders.append(entry.fileName());
        } else if (storage::isEventFile(entry.fileName().toStdString())) {
            listing.hasEvents = true;
        }
    }
    return listing;
}

bool hasEvents(const QString& path)
{
    const auto names = storage::listFolder(path.toStdString());
    return names && std::any_of(names->begin(), names->end(), storage::isEventFile);
}

// As tf.estimator, Keras and PyTorch's scripts name them.
bool isEvaluation(const QString& name)
{
    return name == QLatin1String("eval") || name.startsWith(QLatin1String("eval_")) ||
           name == QLatin1String("validation") || name == QLatin1String("val") ||
           name == QLatin1String("test");
}

QList<EventFolder> foldersOf(const QString& path, const Listing& listing)
{
    const QString train = path + QStringLiteral("/train");
    QList<EventFolder> folders;
    // tf.estimator writes the training's events into the run's folder, Keras into "train".
    if (listing.hasEvents) {
        folders.append({QString(), path});
    } else if (listing.folders.contains(QStringLiteral("train")) && hasEvents(train)) {
        folders.append({QString(), train});
    }
    for (const QString& name : listing.folders) {
        if (isEvaluation(name) && hasEvents(path + QLatin1Char('/') + name)) {
            folders.append({name, path + QLatin1Char('/') + name});
        }
    }
    return folders;
}

class Search
{
public:
    Search(const QString& root, const std::function<bool()>& isCancelled)
        : m_root(QDir::cleanPath(QFileInfo(root).absoluteFilePath())), m_isCancelled(isCancelled)
    {}

    QList<EventRun> run()
    {
        visit(m_root, 0);
        std::sort(m_runs.begin(), m_runs.end(),
                  [](const EventRun& a, const EventRun& b) { return a.name < b.name; });
        return m_runs;
    }

private:
    void visit(const QString& path, int depth)
    {
        const QString canonical = QFileInfo(path).canonicalFilePath();
        if (depth > kMaxDepth || canonical.isEmpty() || m_seen.contains(canonical) ||
            (m_isCancelled && m_isCancelled())) {
            return;
        }
        m_seen.insert(canonical);
        const Listing listing = list(path);
        const QList<EventFolder> folders = foldersOf(path, listing);
        // Evaluations without a training are runs of their own.
        const bool isRun = !folders.isEmpty() && folders.front().key.isEmpty();
        if (isRun) {
            m_runs.append({nameOf(path), path, folders});
            for (const EventFolder& folder : folders) {
                m_taken.insert(folder.path);
            }
        }
        for (const QString& name : listing.folders) {
            visitBelow(path + QLatin1Char('/') + name, depth + 1);
        }
    }

    /// A folder that belongs to a run above is not a run, but may contain some.
    void visitBelow(const QString& path, int depth)
    {
        if (!m_taken.contains(path)) {
            visit(path, depth);
            return;
        }
        m_seen.insert(QFileInfo(path).canonicalFilePath());
        for (const QString& name : list(path).folders) {
            visit(path + QLatin1Char('/') + name, depth + 1);
        }
    }

    QString nameOf(const QString& path) const
    {
        return path == m_root ? QFileInfo(m_root).fileName() : path.mid(m_root.size() + 1);
    }

    QString m_root;
    std::function<bool()> m_isCancelled;
    QSet<QString> m_seen; ///< links may form cycles
    QSet<QString> m_taken;
    QList<EventRun> m_runs;
};

} // namespace

QList<EventFolder> eventFoldersOfRun(const QString& runFolder)
{
    // Names only: inspecting each entry takes a round trip on a network.
    const auto names = storage::listFolder(runFolder.toStdString());
    Listing listing;
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
        listing.hasEvents = listing.hasEvents || storage::isEventFile(name);
        listing.folders.append(QString::fromStdString(name));
    }
    return foldersOf(runFolder, listing);
}

QStringList watchableFoldersOfRun(const QString& runFolder)
{
    QStringList folders;
    const auto names = storage::listFolder(runFolder.toStdString());
    if (!names) {
        return folders;
    }
    folders.append(runFolder);
    for (const std::string& entry : *names) {
        const QString name = QString::fromStdString(entry);
        const QString path = runFolder + QLatin1Char('/') + name;
        if ((isEvaluation(name) || name == QLatin1String("train")) && QFileInfo(path).isDir()) {
            folders.append(path);
        }
    }
    return folders;
}

QList<EventRun> listEventRuns(const QString& root, const std::function<bool()>& isCancelled)
{
    return Search(root, isCancelled).run();
}

QFuture<QList<EventRun>> findEventFolders(const QString& root)
{
    auto promise = std::make_shared<QPromise<QList<EventRun>>>();
    promise->start();
    QThreadPool::globalInstance()->start([promise, root] {
        promise->addResult(listEventRuns(root, [&] { return promise->isCanceled(); }));
        promise->finish();
    });
    return promise->future();
}

} // namespace cannery::ui
