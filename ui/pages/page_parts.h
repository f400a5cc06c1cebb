// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_document.h"
#include "ui/widgets/style/theme.h"

#include <QList>
#include <QMultiHash>
#include <QString>
#include <QWidget>

#include <functional>

class QBoxLayout;
class QHBoxLayout;
class QScrollArea;
class QVBoxLayout;

namespace cannery::ui {

class Label;
class LinkLabel;

// Small parts that several pages use.

/// A scroll area without a frame or background. Takes the content.
QScrollArea* makeScrollArea(QWidget* content, QWidget* parent = nullptr);
/// The margins of a page: 24 pixels at the sides.
QVBoxLayout* makePageColumn(QWidget* page);
/// A page's title above its empty state. Takes the content.
QWidget* makeEmptyPage(const QString& title, QWidget* content);
/// Deletes all widgets of a layout.
void clearLayout(QLayout* layout);
/// Scrolls its content if it is higher than a share of the page, so that its neighbours keep the
/// rest.
QScrollArea* makeFittedArea(QWidget* content, QWidget* page, double share);
/// An icon in a theme colour, `size` design pixels; follows theme changes.
QWidget* makeIcon(const QString& name, Ink ink, int size = 16, QWidget* parent = nullptr);

/// Parts side by side, or stacked if there is no room for their minimum widths.
class AdaptiveRow : public QWidget
{
    Q_OBJECT

public:
    explicit AdaptiveRow(QWidget* parent = nullptr);

    /// Takes the part. `width`: its minimum width in design pixels while side by side; 0: its size
    /// hint.
    void addPart(QWidget* part, int stretch, int width = 0);

    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Part
    {
        QWidget* widget = nullptr;
        int width = 0;
    };

    QList<Part> m_parts;
    QBoxLayout* m_box;
};

/// A titled list of rows in an inspector.
class InspectorSection : public QWidget
{
    Q_OBJECT

public:
    explicit InspectorSection(const QString& title, QWidget* parent = nullptr);

    /// A link at the end of the title line; empty if there is none.
    void setLink(const QString& text);
    /// A row that is kept while its key stays the same.
    struct Row
    {
        QString key; ///< contains everything that the row shows
        QString accessibleName;
        QString objectName;
        std::function<void(QHBoxLayout&)> fill;
    };
    /// Shows these rows, or the sentence if there are none. A row whose key is already shown is
    /// kept.
    void showRows(const QList<Row>& rows, const QString& otherwise);

    /// The layout of a new row; rows are stacked, each a widget with an accessible name.
    QHBoxLayout* addRow(const QString& accessibleName, const QString& objectName = {});
    /// One grey sentence instead of rows.
    void setNothing(const QString& sentence);
    /// A grey sentence after the rows.
    void addWords(const QString& sentence);
    void clear();

Q_SIGNALS:
    void linkActivated();

private:
    Label* m_title;
    LinkLabel* m_link;
    QVBoxLayout* m_rows;
    QMultiHash<QString, QWidget*> m_kept; ///< rows by key
    QString m_otherwise;                  ///< the sentence shown instead of rows
};

/// The problems that `check` found for one page: icon, place, sentence, and a button for the cure
/// of a problem that has one (ProblemRow::fix).
class ProblemList : public QWidget
{
    Q_OBJECT

public:
    explicit ProblemList(QWidget* parent = nullptr);

    void setProblems(const QList<ProblemRow>& problems);

Q_SIGNALS:
    void activated(const cannery::ui::ProblemRow& problem);
    void fixWanted(const cannery::ui::ProblemRow& problem);

private:
    QWidget* makeRow(const ProblemRow& problem);

    QVBoxLayout* m_rows;
    QList<ProblemRow> m_problems;
};

/// "line 12" or the field's path.
QString placeOf(const ProblemRow& problem);

/// Disables an action or a widget, with a sentence that says why; an empty sentence enables it
/// again with the tooltip `tip`.
template <typename Part>
void setHindrance(Part* part, const QString& hindrance, const QString& tip = {})
{
    part->setEnabled(hindrance.isEmpty());
    part->setToolTip(hindrance.isEmpty() ? tip : hindrance);
}

} // namespace cannery::ui
