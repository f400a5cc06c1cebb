// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHash>
#include <QObject>
#include <QTimer>

namespace cannery::ui {

class Page;
class RunCatalog;

/// Keeps what each page looks like (zoom, filter, open parts) with the project: read when the
/// project's store is there, written soon after it changes. GUI thread.
class ViewStateSaver : public QObject
{
    Q_OBJECT

public:
    ViewStateSaver(RunCatalog& catalog, QObject* parent = nullptr);

    void addPage(Page* page);
    /// Writes what has changed.
    void save();
    /// Another project, or none: nothing is written until its own states were read.
    void projectChanged();

private:
    void restoreWhenLoaded();

    RunCatalog* m_catalog;
    QList<Page*> m_pages;
    QHash<QString, QByteArray> m_written;
    QString m_folder;
    bool m_restored = false;
    QTimer m_timer;
};

} // namespace cannery::ui
