// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page_parts.h"

#include <QSet>

namespace cannery::ui {

class ProjectSession;

/// The SavedModels of a project, newest first, each with a button that opens its folder.
class PastExports : public InspectorSection
{
    Q_OBJECT

public:
    explicit PastExports(ProjectSession& session, QWidget* parent = nullptr);

    /// Adds one that was just written, before the store reports it.
    void addNew(const QString& run, const QString& path);
    void forgetNew();
    void refresh();

private:
    void add(const QString& run, const QString& path, const QString& when);

    ProjectSession& m_session;
    QList<std::pair<QString, QString>> m_new; ///< run and path, newest first
    QSet<QString> m_shown;                    ///< paths
};

} // namespace cannery::ui
