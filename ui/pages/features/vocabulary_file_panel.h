// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

class Button;
class Label;
class ProjectSession;

/// The file of a vocabulary: what is wrong with it, a dialog to find it, and a new one with the
/// words that the table has, written next to the experiment. GUI thread.
class VocabularyFilePanel : public QWidget
{
    Q_OBJECT

public:
    explicit VocabularyFilePanel(ProjectSession& session, QWidget* parent = nullptr);

    /// The feature column whose kind is at this path. `problem`: why the engine cannot read its
    /// words, a sentence; empty if it can, or has not tried yet.
    void setColumn(const QString& kindPath, const QString& problem);

private:
    void refresh();
    void locate();
    void rebuild();
    void use(const QString& title, const QString& file);
    QString written(const char* field) const;

    ProjectSession& m_session;
    QString m_path;
    QString m_problem;
    QString m_failure; ///< why the file could not be rebuilt, a sentence
    int m_job = 0;
    Label* m_words;
    Button* m_locate;
    Button* m_rebuild;
};

} // namespace cannery::ui
