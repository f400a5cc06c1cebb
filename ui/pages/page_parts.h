// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_document.h"
#include "ui/widgets/theme.h"

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

// Small things that several pages are made of.

/// A scroll area without frame or ground of its own. Takes the content.
QScrollArea* makeScrollArea(QWidget* content, QWidget* parent = nullptr);
/// The margins of a page: 24 at the sides.
QVBoxLayout* makePageColumn(QWidget* page);
/// A page's title above what it shows while it is empty. Takes the content.
QWidget* makeEmptyPage(const QString& title, QWidget* content);
/// `one` or `many` with the number in place of %1.
QString counted(qint64 number, const QString& one, const QString& many);
/// Deletes every widget in a layout.
void clearLayout(QLayout* layout);
/// Scrolls its content where that is higher than a share of the page, so that what stands beside
/// it keeps the rest.
QScrollArea* makeFittedArea(QWidget* content, QWidget* page, double share);
/// An icon in a colour of the theme, `size` design pixels; follows theme changes.
QWidget* makeIcon(const QString& name, Ink ink, int size = 16, QWidget* parent = nullptr);

/// Parts beside each other, or below each other where there is no room for their minimum widths.
class AdaptiveRow : public QWidget
{
    Q_OBJECT

public:
    explicit AdaptiveRow(QWidget* parent = nullptr);

    /// Takes the part. `width`: design pixels it wants at least while beside others; 0: its hint.
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

    /// A link at the end of the title line; empty: none.
    void setLink(const QString& text);
    /// A row that is shown again and again.
    struct Row
    {
        QString key; ///< whatever it shows makes a difference in it
        QString accessibleName;
        QString objectName;
        std::function<void(QHBoxLayout&)> fill;
    };
    /// These rows, or the sentence where there are none. A row whose key is there already stays as
    /// it is.
    void showRows(const QList<Row>& rows, const QString& otherwise);

    /// A new row's layout; rows stand below each other, each a widget with an accessible name.
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
    QString m_otherwise;                  ///< what is shown instead of them
};

/// What `check` found on one page: icon, place, sentence. A press opens the text editor there.
class ProblemList : public QWidget
{
    Q_OBJECT

public:
    explicit ProblemList(QWidget* parent = nullptr);

    void setProblems(const QList<ProblemRow>& problems);

Q_SIGNALS:
    void activated(const cannery::ui::ProblemRow& problem);

private:
    QVBoxLayout* m_rows;
    QList<ProblemRow> m_problems;
};

/// The problems that are mended on a page.
QList<ProblemRow> problemsOf(const QList<ProblemRow>& problems, const QString& page);
/// "line 12" or the field's path.
QString placeOf(const ProblemRow& problem);

/// Disables an action or a widget with a sentence that says why; an empty one enables it again and
/// gives it `tip`.
template <typename Part>
void setHindrance(Part* part, const QString& hindrance, const QString& tip = {})
{
    part->setEnabled(hindrance.isEmpty());
    part->setToolTip(hindrance.isEmpty() ? tip : hindrance);
}

} // namespace cannery::ui
