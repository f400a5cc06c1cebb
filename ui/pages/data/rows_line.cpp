// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/rows_line.h"

#include "ui/models/formats.h"
#include "ui/widgets/button.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/progress_bar.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QTimer>
#include <QVBoxLayout>

#include <chrono>

namespace cannery::ui {
namespace {

/// A pause after the last key: each filter may read the whole table.
constexpr std::chrono::milliseconds kFilterPause{300};

} // namespace

QString withLink(const QString& words, const QString& target, const QString& link)
{
    return QStringLiteral("%1 <a href=\"%2\">%3</a>").arg(words.toHtmlEscaped(), target, link);
}

RowsLine::RowsLine(QWidget* parent)
    : QWidget(parent),
      m_filter(new SearchField(tr("Filter rows, e.g. age > 30 and education = \"Masters\""))),
      m_problem(new Label({}, TextRole::Label, Ink::Error)),
      m_words(new LinkLabel({}, TextRole::Label, Ink::Secondary)), m_progress(new ProgressBar),
      m_leftOut(new Button(Button::Kind::Quiet, "alert-triangle", {}))
{
    m_filter->setObjectName("field.row_filter");
    m_filter->setAccessibleName(tr("Row filter"));
    m_problem->setObjectName("label.row_filter_problem");
    m_problem->setWordWrap(true);
    m_problem->hide();
    m_words->setObjectName("label.rows");
    m_progress->setObjectName("progress.rows");
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->setFixedWidth(scaled(120));
    m_progress->hide();
    m_leftOut->setObjectName("button.left_out");
    m_leftOut->setCheckable(true);
    m_leftOut->setToolTip(tr("Show the rows that could not be read and were left out."));
    m_leftOut->hide();
    makeRow();
    followFilter();
    connect(m_words, &QLabel::linkActivated, this, [this](const QString& link) {
        link == QLatin1String("cancel") ? cancelWanted() : againWanted();
    });
    connect(m_leftOut, &QAbstractButton::toggled, this, &RowsLine::leftOutToggled);
}

void RowsLine::makeRow()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(scaled(12));
    row->addWidget(m_filter, 1);
    row->addWidget(m_leftOut);
    row->addWidget(m_progress);
    row->addWidget(m_words);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(4));
    column->addLayout(row);
    column->addWidget(m_problem);
}

void RowsLine::followFilter()
{
    auto* pause = new QTimer(this);
    pause->setSingleShot(true);
    pause->setInterval(kFilterPause);
    const auto want = [this, pause] {
        pause->stop();
        Q_EMIT filterWanted(filter());
    };
    // Stopped, because Enter does not wait for the pause.
    connect(pause, &QTimer::timeout, this, want);
    connect(m_filter, &QLineEdit::returnPressed, this, want);
    connect(m_filter, &QLineEdit::textChanged, this, [this, pause] {
        pause->start();
        Q_EMIT filterEdited(filter());
    });
}

QWidget* RowsLine::filterField() const
{
    return m_filter;
}

QString RowsLine::filter() const
{
    return m_filter->text().trimmed();
}

void RowsLine::setFilter(const QString& filter)
{
    // Set by the page, not written: nothing is to be read again.
    const QSignalBlocker blocker(m_filter);
    m_filter->setText(filter);
    setFilterProblem({});
}

void RowsLine::beginFilter(const QString& text)
{
    m_filter->setText(text);
    m_filter->setFocus(Qt::OtherFocusReason);
    m_filter->end(false);
}

void RowsLine::setFilterProblem(const QString& sentence)
{
    m_filter->setProblem(sentence);
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
}

void RowsLine::setUsable(bool usable)
{
    m_filter->setEnabled(usable);
}

void RowsLine::setWords(const QString& words, bool canCancel)
{
    m_progress->hide();
    m_words->setWordWrap(false);
    m_words->setText(canCancel ? withLink(words, QStringLiteral("cancel"), tr("Cancel"))
                               : words.toHtmlEscaped());
}

void RowsLine::setWork(const QString& doing, double share)
{
    m_progress->setFraction(share);
    m_progress->show();
    m_words->setWordWrap(false);
    m_words->setText(withLink(doing, QStringLiteral("cancel"), tr("Cancel")));
}

void RowsLine::setFailure(const QString& sentence, const QString& link)
{
    m_progress->hide();
    m_words->setWordWrap(true); // may be long
    m_words->setText(withLink(sentence, QStringLiteral("again"), link));
}

void RowsLine::setLeftOut(qint64 rows)
{
    m_leftOut->setText(rows == 1 ? tr("1 row left out")
                                 : tr("%1 rows left out").arg(formatCount(rows)));
    m_leftOut->setVisible(rows > 0);
    if (rows == 0) {
        m_leftOut->setChecked(false);
    }
}

} // namespace cannery::ui
