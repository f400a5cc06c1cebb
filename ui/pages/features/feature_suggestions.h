// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_edits.h"

#include <QWidget>

class QVBoxLayout;

namespace cannery::ui {

class Button;
class ExperimentDocument;
class FeatureCommands;
class JobRunner;
class Label;

/// A feature column that `cannery new` would write for this table and that the experiment lacks.
struct FeatureSuggestion
{
    NewColumn column;
    QString sentence;  ///< "fare → log"
    QStringList needs; ///< other suggestions that it is made of

    bool operator==(const FeatureSuggestion& other) const
    {
        return column.text == other.column.text;
    }
};

/// When a column is the same as one that there is.
enum class SameColumn
{
    ByKindAndSource, ///< whatever else is set
    ByEveryField,    ///< but its name
};

/// From the text of another experiment, as `cannery new` would write it; `root`: that which there
/// is. Columns that it has already are left out; names that are taken are replaced.
QList<FeatureSuggestion> suggestionsFrom(const QByteArray& text, const FieldNode& root,
                                         SameColumn same = SameColumn::ByKindAndSource);

/// Asks the engine what it would write for the open experiment's table, and offers what is missing,
/// one by one or all at once. Hidden until asked. GUI thread.
class FeatureSuggestions : public QWidget
{
    Q_OBJECT

public:
    FeatureSuggestions(ExperimentDocument& document, JobRunner& jobs, FeatureCommands& commands,
                       QWidget* parent = nullptr);

    /// Why the engine cannot be asked, a sentence; empty if it can.
    QString hindrance() const;
    void ask();
    /// The experiment has changed: what it has now is no longer offered.
    void refresh();

Q_SIGNALS:
    void askingChanged();

private:
    void run(bool withEstimator);
    void show(const QString& sentence);
    void close();
    void addOne(const FeatureSuggestion& suggestion);
    /// Itself after what it needs.
    void collect(const FeatureSuggestion& suggestion, QList<NewColumn>& columns) const;

    ExperimentDocument& m_document;
    JobRunner& m_jobs;
    FeatureCommands& m_commands;
    Label* m_title;
    Label* m_sentence;
    Button* m_all;
    QVBoxLayout* m_rows;
    QByteArray m_text;
    QList<FeatureSuggestion> m_suggestions;
    int m_job = 0;
};

} // namespace cannery::ui
