// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/page_parts.h"

#include "ui/widgets/button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"

#include <QBoxLayout>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QScrollArea>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

/// What 100 pixels are at the largest text size at which rows of problems have buttons of cures.
constexpr int kMostWithCures = 150;

class IconWidget : public QWidget
{
public:
    IconWidget(const QString& name, Ink ink, int size, QWidget* parent)
        : QWidget(parent), m_name(name), m_ink(ink), m_size(size)
    {
        setFixedSize(sizeHint());
    }

    QSize sizeHint() const override { return {scaled(m_size), scaled(m_size)}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        icon(m_name, inkColour(m_ink)).paint(&painter, rect());
    }

    void changeEvent(QEvent* event) override
    {
        if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
            setFixedSize(sizeHint());
        }
        QWidget::changeEvent(event);
    }

private:
    QString m_name;
    Ink m_ink;
    int m_size;
};

} // namespace

QScrollArea* makeScrollArea(QWidget* content, QWidget* parent)
{
    auto* area = new QScrollArea(parent);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(content);
    // The page's own background shows through.
    area->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    return area;
}

namespace {

class FittedArea : public QScrollArea
{
public:
    FittedArea(QWidget* content, QWidget* page, double share) : m_page(page), m_share(share)
    {
        setFrameShape(QFrame::NoFrame);
        setWidgetResizable(true);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setFocusPolicy(Qt::NoFocus);
        setWidget(content);
        viewport()->setAutoFillBackground(false);
        content->setAutoFillBackground(false);
        page->installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const bool ofContent = watched == widget() && event->type() == QEvent::LayoutRequest;
        const bool ofPage = watched == m_page && event->type() == QEvent::Resize;
        if (ofContent || ofPage) {
            fit();
        }
        return watched == m_page ? false : QScrollArea::eventFilter(watched, event);
    }

    void resizeEvent(QResizeEvent* event) override
    {
        QScrollArea::resizeEvent(event);
        fit();
    }

private:
    void fit()
    {
        const QWidget* content = widget();
        const int wanted = content->hasHeightForWidth() ? content->heightForWidth(width())
                                                        : content->sizeHint().height();
        setFixedHeight(std::min(wanted, static_cast<int>(m_page->height() * m_share)));
    }

    QWidget* m_page;
    double m_share;
};

} // namespace

QScrollArea* makeFittedArea(QWidget* content, QWidget* page, double share)
{
    return new FittedArea(content, page, share);
}

QVBoxLayout* makePageColumn(QWidget* page)
{
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(scaled(24), 0, scaled(24), scaled(16));
    column->setSpacing(scaled(12));
    return column;
}

QWidget* makeEmptyPage(const QString& title, QWidget* content)
{
    auto* page = new QWidget;
    QVBoxLayout* column = makePageColumn(page);
    column->addWidget(new PageHeader(title));
    column->addWidget(makeScrollArea(content), 1);
    return page;
}

void clearLayout(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            // Not deleted at once: clearing may be caused by a signal of one of them.
            widget->hide();
            widget->deleteLater();
        } else if (QLayout* inner = item->layout()) {
            clearLayout(inner);
        }
        delete item;
    }
}

QWidget* makeIcon(const QString& name, Ink ink, int size, QWidget* parent)
{
    return new IconWidget(name, ink, size, parent);
}

AdaptiveRow::AdaptiveRow(QWidget* parent)
    : QWidget(parent), m_box(new QBoxLayout(QBoxLayout::LeftToRight, this))
{
    m_box->setContentsMargins(0, 0, 0, 0);
    m_box->setSpacing(scaled(14));
}

void AdaptiveRow::addPart(QWidget* part, int stretch, int width)
{
    m_box->addWidget(part, stretch);
    m_parts.append({part, width});
}

QSize AdaptiveRow::minimumSizeHint() const
{
    int width = 0;
    for (const Part& part : m_parts) {
        width = std::max(width, part.widget->minimumSizeHint().width());
    }
    return {width, m_box->minimumSize().height()};
}

void AdaptiveRow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    int needed = m_box->spacing() * static_cast<int>(m_parts.size() - 1);
    for (const Part& part : m_parts) {
        needed += part.width > 0
                      ? std::max(scaled(part.width), part.widget->minimumSizeHint().width())
                      : part.widget->sizeHint().width();
    }
    const auto direction = width() < needed ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
    if (m_box->direction() != direction) {
        m_box->setDirection(direction);
        updateGeometry();
    }
}

InspectorSection::InspectorSection(const QString& title, QWidget* parent)
    : QWidget(parent), m_title(new Label(title, TextRole::LabelStrong, Ink::Secondary)),
      m_link(new LinkLabel({}, TextRole::Label)), m_rows(new QVBoxLayout)
{
    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    top->addWidget(m_link);
    m_rows->setSpacing(scaled(2));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(6));
    column->addLayout(top);
    column->addLayout(m_rows);
    m_link->hide();
    connect(m_link, &QLabel::linkActivated, this, &InspectorSection::linkActivated);
}

void InspectorSection::setLink(const QString& text)
{
    m_link->setText(text.isEmpty()
                        ? QString()
                        : QStringLiteral("<a href=\"#\">%1</a>").arg(text.toHtmlEscaped()));
    m_link->setVisible(!text.isEmpty());
}

void InspectorSection::showRows(const QList<Row>& rows, const QString& otherwise)
{
    if (rows.isEmpty()) {
        if (m_otherwise != otherwise || !m_kept.isEmpty()) {
            setNothing(otherwise);
            m_otherwise = otherwise;
        }
        return;
    }
    if (m_kept.isEmpty()) {
        clear();
    }
    QMultiHash<QString, QWidget*> before = std::exchange(m_kept, {});
    int place = 0;
    for (const Row& row : rows) {
        // Rows are kept by their keys: one that is hovered or focused must not be replaced by its
        // equal.
        QWidget* widget = before.take(row.key);
        if (!widget) {
            QHBoxLayout* line = addRow(row.accessibleName, row.objectName);
            row.fill(*line);
            widget = line->parentWidget();
        }
        if (m_rows->indexOf(widget) != place) {
            m_rows->insertWidget(place, widget);
        }
        ++place;
        m_kept.insert(row.key, widget);
    }
    for (QWidget* gone : std::as_const(before)) {
        m_rows->removeWidget(gone);
        gone->hide();
        gone->deleteLater();
    }
}

QHBoxLayout* InspectorSection::addRow(const QString& accessibleName, const QString& objectName)
{
    auto* row = new QWidget(this);
    row->setAccessibleName(accessibleName);
    row->setObjectName(objectName);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, scaled(5), 0, scaled(5));
    line->setSpacing(scaled(8));
    m_rows->addWidget(row);
    return line;
}

void InspectorSection::setNothing(const QString& sentence)
{
    clear();
    addWords(sentence);
}

void InspectorSection::addWords(const QString& sentence)
{
    auto* label = new Label(sentence, TextRole::Label, Ink::Secondary);
    label->setWordWrap(true);
    m_rows->addWidget(label);
}

void InspectorSection::clear()
{
    clearLayout(m_rows);
    m_kept.clear();
    m_otherwise.clear();
}

ProblemList::ProblemList(QWidget* parent) : QWidget(parent), m_rows(new QVBoxLayout(this))
{
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(0);
    setObjectName("problems");
    setAccessibleName(tr("Problems on this page"));
    hide();
}

void ProblemList::setProblems(const QList<ProblemRow>& problems)
{
    if (problems == m_problems) {
        return;
    }
    m_problems = problems;
    clearLayout(m_rows);
    for (const ProblemRow& problem : problems) {
        m_rows->addWidget(makeRow(problem));
    }
    setVisible(!problems.isEmpty());
}

QWidget* ProblemList::makeRow(const ProblemRow& problem)
{
    const bool isError = problem.level == ProblemRow::Level::Error;
    auto* row = new QWidget(this);
    row->setObjectName("issue." + problem.id);
    row->setAccessibleName(problem.sentence);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, scaled(4), 0, scaled(4));
    line->setSpacing(scaled(10));
    line->addWidget(
        makeIcon(isError ? "alert-circle" : "alert-triangle", isError ? Ink::Error : Ink::Warn), 0,
        Qt::AlignVCenter);
    auto* place = new ElidedLabel(placeOf(problem), TextRole::Strong);
    place->setFixedWidth(scaled(150));
    line->addWidget(place);
    auto* sentence = new Label(problem.sentence);
    sentence->setWordWrap(true);
    line->addWidget(sentence, 1);
    // At a large text size, sentences need the room: the strip has the first problem's cure.
    if (!problem.fix.isEmpty() && scaled(100) <= kMostWithCures) {
        auto* fix = new Button(Button::Kind::Quiet, problem.fix);
        fix->setObjectName("button.fix_problem");
        connect(fix, &QPushButton::clicked, this, [this, problem] { Q_EMIT fixWanted(problem); });
        line->addWidget(fix);
    }
    auto* show = new Button(Button::Kind::Quiet, tr("Show"));
    show->setObjectName("button.show_problem");
    show->setAccessibleName(tr("Show %1").arg(placeOf(problem)));
    connect(show, &QPushButton::clicked, this, [this, problem] { Q_EMIT activated(problem); });
    line->addWidget(show);
    return row;
}

QString placeOf(const ProblemRow& problem)
{
    const QString field = problem.path.section('.', -1);
    return problem.line > 0 && field.isEmpty() ? ProblemList::tr("Line %1").arg(problem.line)
                                               : field;
}

} // namespace cannery::ui
