// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/remarks_view.h"

#include "ui/document/experiment_document.h"
#include "ui/editing/document_query.h"
#include "ui/editing/remark_edits.h"
#include "ui/editing/remark_list.h"
#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/strip.h"

#include <QAction>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr double kShareOfPage = 0.35;

QString labelFor(const RemarkAction& action)
{
    return action.kind == QLatin1String("leave_out")  ? RemarksView::tr("Leave Out of Features")
           : action.kind == QLatin1String("category") ? RemarksView::tr("Use as Category")
           : action.kind == QLatin1String("key")      ? RemarksView::tr("Use as Key")
           : action.kind == QLatin1String("stratify") ? RemarksView::tr("Stratify")
           : action.kind == QLatin1String("split_by_time") ? RemarksView::tr("Split by Time")
           : action.kind == QLatin1String("split")         ? RemarksView::tr("Split Otherwise…")
           : action.kind == QLatin1String("missing")       ? RemarksView::tr("Read as Missing")
                                                           : QString();
}

} // namespace

RemarksView::RemarksView(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_preview(&DocumentQuery::preview(*context.session)),
      m_remarks(&RemarkList::of(*context.session)), m_review(new QAction(tr("Review"), this)),
      m_strip(new Strip), m_list(new QWidget), m_rows(new QVBoxLayout(m_list)),
      m_area(makeFittedArea(m_list, parent == nullptr ? this : parent, kShareOfPage)),
      m_more(new LinkLabel({}, TextRole::Label, Ink::Secondary))
{
    setObjectName("remarks");
    setAccessibleName(tr("Remarks on the table"));
    m_review->setObjectName("action.review_remarks");
    m_strip->setObjectName("strip.remarks");
    m_strip->setActions({m_review});
    m_more->setObjectName("label.more_remarks");
    m_list->setObjectName("remarks.list");
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(0);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(4));
    column->addWidget(m_strip);
    column->addWidget(m_area);
    column->addWidget(m_more);
    ProjectSession& session = *context.session;
    connect(m_review, &QAction::triggered, this, [this] { setOpen(!m_isOpen); });
    connect(m_more, &QLabel::linkActivated, this, [this](const QString& link) {
        m_showsDismissed = link == QLatin1String("dismissed");
        setOpen(link != QLatin1String("close"));
    });
    connect(m_remarks, &RemarkList::changed, this, &RemarksView::refresh);
    connect(&session.project(), &OpenProject::changed, this, [this] {
        m_isOpen = false;
        m_showsDismissed = false;
        refresh();
    });
    refresh();
}

void RemarksView::setOpen(bool open)
{
    m_isOpen = open;
    m_showsDismissed = open && m_showsDismissed;
    refresh();
}

bool RemarksView::reveal(const QString& key)
{
    // Only a list that is open has rows.
    setOpen(true);
    for (qsizetype i = 0; i < m_shown.size(); ++i) {
        if (m_shown[i].key() == key) {
            // The last button is the recommended action.
            const auto buttons = m_rows->itemAt(int(i))->widget()->findChildren<Button*>();
            buttons.last()->setFocus(Qt::OtherFocusReason);
            m_area->ensureWidgetVisible(buttons.last());
            return true;
        }
    }
    return false;
}

void RemarksView::refresh()
{
    const QList<TableRemark> left = m_remarks->remarks();
    const qsizetype notes = std::count_if(left.begin(), left.end(),
                                          [](const TableRemark& remark) { return remark.isNote; });
    const qsizetype decisions = left.size() - notes;
    if (decisions > 0) {
        m_strip->setMessage(Strip::Level::Warning,
                            counted(decisions, tr("The table needs a decision."),
                                    tr("The table needs %1 decisions.")),
                            left.first().sentence);
    }
    m_strip->setVisible(decisions > 0);
    m_review->setText(m_isOpen ? tr("Close") : tr("Review"));
    const qsizetype gone =
        std::count_if(m_remarks->all().begin(), m_remarks->all().end(),
                      [this](const TableRemark& one) { return m_remarks->isDismissed(one); });
    // With decisions, the strip opens the list, which has the notes as well.
    m_more->setText(closing(decisions > 0 ? 0 : notes, gone));
    m_more->setVisible(!m_more->text().isEmpty());
    setVisible(!left.isEmpty() || gone > 0);
    fill();
}

/// "One note on this table. 2 dismissed", each a link; while the list is open, what closes it.
QString RemarksView::closing(qsizetype notes, qsizetype dismissed) const
{
    const auto link = [](const char* target, const QString& words) {
        return QStringLiteral("<a href=\"%1\">%2</a>").arg(QLatin1String(target), words);
    };
    QStringList parts;
    if (m_isOpen && (notes > 0 || m_showsDismissed)) {
        parts << link("close", tr("Close"));
    } else if (notes > 0) {
        parts << link("notes",
                      counted(notes, tr("One note on this table"), tr("%1 notes on this table")));
    }
    if (dismissed > 0 && !m_showsDismissed) {
        parts << link("dismissed", tr("%1 dismissed").arg(dismissed));
    }
    return parts.join(QStringLiteral(" · "));
}

void RemarksView::fill()
{
    const QList<TableRemark> wanted = !m_isOpen          ? QList<TableRemark>()
                                      : m_showsDismissed ? m_remarks->all()
                                                         : m_remarks->remarks();
    QStringList dismissed;
    for (const TableRemark& remark : wanted) {
        if (m_remarks->isDismissed(remark)) {
            dismissed << remark.key();
        }
    }
    m_area->setVisible(!wanted.isEmpty());
    // Rows are made again only for other remarks, as one of their buttons may have the focus.
    if (wanted == m_shown && dismissed == m_shownDismissed) {
        return;
    }
    m_shown = wanted;
    m_shownDismissed = dismissed;
    clearLayout(m_rows);
    for (const TableRemark& remark : wanted) {
        addRow(remark);
    }
}

void RemarksView::addRow(const TableRemark& remark)
{
    auto* row = new QWidget(m_list);
    row->setObjectName("remark." + remark.id);
    row->setAccessibleName(remark.sentence);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, scaled(4), 0, scaled(4));
    line->setSpacing(scaled(10));
    line->addWidget(makeIcon(remark.isNote ? "info-circle" : "alert-triangle",
                             remark.isNote ? Ink::Accent : Ink::Warn),
                    0, Qt::AlignVCenter);
    auto* subject = new ElidedLabel(RemarkList::subjectOf(remark), TextRole::Strong);
    subject->setFixedWidth(scaled(110));
    line->addWidget(subject);
    auto* sentence = new Label(remark.sentence);
    sentence->setWordWrap(true);
    line->addWidget(sentence, 1);
    addActions(remark, *line);
    m_rows->addWidget(row);
}

void RemarksView::addActions(const TableRemark& remark, QHBoxLayout& line)
{
    const bool isDismissed = m_remarks->isDismissed(remark);
    auto* away = new Button(Button::Kind::Quiet, isDismissed ? tr("Restore") : tr("Dismiss"));
    away->setObjectName("button.dismiss");
    away->setAccessibleName(tr("%1: %2").arg(RemarkList::subjectOf(remark), away->text()));
    connect(away, &QPushButton::clicked, this,
            [this, remark] { m_remarks->toggleDismissed(remark); });
    line.addWidget(away);
    // Backwards, so that the recommended one stands last, at the edge.
    for (qsizetype i = remark.actions.size(); i-- > 0;) {
        const RemarkAction& action = remark.actions[i];
        const QString label = labelFor(action);
        if (label.isEmpty()) {
            continue; // of a newer engine
        }
        auto* button = new Button(i == 0 ? Button::Kind::Plain : Button::Kind::Quiet, label);
        button->setObjectName("button.remark_" + action.kind);
        button->setAccessibleName(tr("%1: %2").arg(RemarkList::subjectOf(remark), label));
        setHindrance(button, m_context.session->project().changeHindrance());
        connect(button, &QPushButton::clicked, this,
                [this, remark, action] { act(remark, action); });
        line.addWidget(button);
    }
}

void RemarksView::act(const TableRemark& remark, const RemarkAction& action)
{
    if (action.kind == QLatin1String("split")) {
        Q_EMIT splitWanted();
        return;
    }
    ExperimentDocument& document = m_context.session->document();
    const QList<FieldEdit> edits = remarkEdits(document.text().toUtf8(), remark, action,
                                               dataFactsFromJson(m_preview->result()));
    const QString title = tr("%1: %2").arg(RemarkList::subjectOf(remark), labelFor(action));
    if (!edits.isEmpty() && document.apply(title, edits)) {
        // The remark would otherwise stay until the table has been read again.
        m_remarks->setActed(remark);
    }
}

} // namespace cannery::ui
