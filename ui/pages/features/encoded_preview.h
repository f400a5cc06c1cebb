// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/encoded_facts.h"

#include <QHash>
#include <QJsonArray>
#include <QWidget>

namespace cannery::ui {

class FlowLayout;
class IconButton;
class Label;

/// One row of the table as the model receives it, input by input; arrow buttons change the row.
class EncodedPreview : public QWidget
{
    Q_OBJECT

public:
    explicit EncodedPreview(QWidget* parent = nullptr);

    /// From `cannery preview --json`: its "rows", what its "inputs" have about them, and the
    /// "column_problems" of feature columns that are not among them.
    void setPreview(const QJsonObject& preview);
    /// Marks what the model receives of this feature column, and scrolls to it. `inner`: the
    /// columns that it wraps, whose ids the model looks up.
    void setChosen(const QString& column, const QStringList& inner = {});

private:
    void show(qsizetype row);
    void showProblems(const QList<ColumnProblemFacts>& problems);
    bool isLabel(const QString& input) const;
    bool isChosen(const QString& input) const;
    void scrollToChosen();
    QWidget* makeBlock(const QString& name, const QList<EncodedValueFacts>& values) const;
    void setTitle(QWidget& block, const QString& name) const;

    QJsonArray m_rows; ///< each is read when it is shown: wide tables make long rows
    QHash<QString, EncodedInputFacts> m_inputFacts; ///< by name
    QString m_chosen;
    QStringList m_inner;
    qsizetype m_row = 0;
    Label* m_title;
    IconButton* m_back;
    IconButton* m_forward;
    FlowLayout* m_inputs;
    QHash<QString, QWidget*> m_blocks; ///< in it, by the input's name
    Label* m_problems;
};

} // namespace cannery::ui
