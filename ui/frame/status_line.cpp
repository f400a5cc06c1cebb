// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/status_line.h"

#include "ui/actions/action_registry.h"
#include "ui/models/formats.h"
#include "ui/models/markup.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"

#include <QAbstractButton>
#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QStyle>

namespace cannery::ui {
namespace {

constexpr int kHeight = 30;
constexpr int kIcon = 15;

} // namespace

/// "Issues 1": toggles the drawer.
class StatusLine::Tab : public QAbstractButton
{
public:
    Tab(QAction* action, QWidget* parent) : QAbstractButton(parent), m_action(action)
    {
        setObjectName(action->objectName().replace("action.", "status."));
        setText(action->iconText());
        setToolTip(action->toolTip());
        setCheckable(true);
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        // Assistive technology toggles a button without a click.
        connect(this, &QAbstractButton::toggled, action, [action](bool isOn) {
            if (action->isChecked() != isOn) {
                action->trigger();
            }
        });
        connect(action, &QAction::toggled, this, &QAbstractButton::setChecked);
        describe();
    }

    void setCount(int count, const QColor& ink, const QColor& ground, const QColor& iconInk)
    {
        m_count = count;
        m_ink = ink;
        m_ground = ground;
        m_iconInk = iconInk;
        describe();
        updateGeometry();
        update();
    }

    QSize sizeHint() const override
    {
        const int count = m_count > 0 ? countWidth() + scaled(7) : 0;
        return {scaled(kIcon + 6 + 20) +
                    QFontMetrics(textFont(TextRole::LabelStrong)).horizontalAdvance(text()) + count,
                scaled(24)};
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const ThemeTokens& t = tokens();
        QPainter painter(this);
        if (isChecked() || underMouse()) {
            paintSurface(painter, rect(), 6, isChecked() ? t.raised : t.hover);
        }
        const auto mirrored = [this](const QRect& place) {
            return QStyle::visualRect(layoutDirection(), rect(), place);
        };
        int x = scaled(8);
        const QColor iconInk = m_count > 0 && m_iconInk.isValid() ? m_iconInk : t.text2;
        paintIcon(painter, mirrored(QRect(x, 0, scaled(kIcon), height())),
                  m_action->property("iconName").toString(), iconInk, scaled(kIcon));
        x += scaled(kIcon + 6);
        painter.setFont(textFont(TextRole::LabelStrong));
        painter.setPen(isChecked() ? t.text : t.text2);
        const int words = painter.fontMetrics().horizontalAdvance(text());
        paintWords(painter, mirrored(QRect(x, 0, words + 1, height())), Qt::AlignCenter, text());
        x += words + scaled(7);
        if (m_count > 0) {
            const QRect pill(x, (height() - scaled(16)) / 2, countWidth(), scaled(16));
            paintSurface(painter, mirrored(pill), pill.height() / 2.0,
                         m_ground.isValid() ? m_ground : t.idleBg);
            painter.setFont(textFont(TextRole::Badge));
            painter.setPen(m_ink.isValid() ? m_ink : t.text2);
            paintWords(painter, mirrored(pill), Qt::AlignCenter, formatCount(m_count));
        }
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, rect(), 6);
        }
    }

private:
    int countWidth() const
    {
        return qMax(
            scaled(16),
            QFontMetrics(textFont(TextRole::Badge)).horizontalAdvance(formatCount(m_count)) +
                scaled(8));
    }
    void describe()
    {
        setAccessibleName(m_count > 0 ? StatusLine::tr("%1, %2").arg(text()).arg(m_count) : text());
    }

    QAction* m_action;
    int m_count = 0;
    QColor m_ink;
    QColor m_ground;
    QColor m_iconInk;
};

/// A dot, the run's name, its progress.
class StatusLine::RunLine : public QAbstractButton
{
public:
    explicit RunLine(QWidget* parent) : QAbstractButton(parent)
    {
        setObjectName("status.run");
        setFocusPolicy(Qt::TabFocus);
        setCursor(Qt::PointingHandCursor);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        hide();
    }

    void setRun(const QString& run, const QString& progress)
    {
        setText(progress.isEmpty() ? run : run + "  " + progress);
        setAccessibleName(text());
        setToolTip(StatusLine::tr("Show on the Train page"));
        setVisible(!run.isEmpty());
        updateGeometry();
        update();
    }

    QSize sizeHint() const override
    {
        return {QFontMetrics(runFont()).horizontalAdvance(text()) + scaled(32), scaled(24)};
    }
    QSize minimumSizeHint() const override { return {scaled(60), scaled(24)}; }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const ThemeTokens& t = tokens();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.accent);
        const double radius = scaled(4);
        const double x = isRightToLeft() ? width() - scaled(10) : scaled(10);
        painter.drawEllipse(QPointF(x, height() / 2.0), radius, radius);
        painter.setFont(runFont());
        painter.setPen(t.text);
        const QRect place(scaled(22), 0, width() - scaled(28), height());
        paintWords(painter, QStyle::visualRect(layoutDirection(), rect(), place),
                   Qt::AlignVCenter | Qt::AlignLeft,
                   painter.fontMetrics().elidedText(text(), Qt::ElideRight, place.width()));
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, rect(), 6);
        }
    }

private:
    static QFont runFont()
    {
        QFont font = textFont(TextRole::Label);
        font.setWeight(QFont::DemiBold);
        return font;
    }
};

StatusLine::StatusLine(ActionRegistry& actions, QWidget* parent)
    : QWidget(parent), m_issues(new Tab(actions.find("action.issues"), this)),
      m_log(new Tab(actions.find("action.log"), this)),
      m_jobs(new Tab(actions.find("action.jobs"), this)),
      m_hindrance(new LinkLabel({}, TextRole::Label, Ink::Secondary, this)),
      m_run(new RunLine(this)),
      m_machine(new ElidedLabel({}, TextRole::Label, Ink::Secondary, this))
{
    setObjectName("status_line");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(scaled(88), 0, scaled(14), 0);
    row->setSpacing(scaled(8));
    row->addWidget(m_issues);
    row->addWidget(m_log);
    row->addWidget(m_jobs);
    m_hindrance->setWordWrap(false);
    m_hindrance->setObjectName("status.hindrance");
    m_hindrance->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_hindrance->setMinimumWidth(1);
    m_hindrance->installEventFilter(this);
    row->addSpacing(scaled(8));
    row->addWidget(m_hindrance, 1);
    row->addStretch(0);
    row->addWidget(m_run);
    row->addWidget(m_machine);
    m_machine->setObjectName("status.machine");
    connect(m_hindrance, &QLabel::linkActivated, this, &StatusLine::linkActivated);
    connect(m_run, &QAbstractButton::clicked, this, &StatusLine::runActivated);
    const auto follow = [this] { setFixedHeight(scaled(kHeight)); };
    connect(&themeWatch(), &ThemeWatch::changed, this, follow);
    follow();
}

void StatusLine::setIssues(int count, ProblemRow::Level worst)
{
    const ThemeTokens& t = tokens();
    if (worst == ProblemRow::Level::Error) {
        m_issues->setCount(count, t.err, t.errBg, t.err);
    } else if (worst == ProblemRow::Level::Warning) {
        m_issues->setCount(count, t.warn, t.warnBg, t.warnIcon);
    } else {
        m_issues->setCount(count, {}, {}, {});
    }
}

void StatusLine::setJobs(int running)
{
    m_jobs->setCount(running, {}, {}, {});
}

void StatusLine::setHindrance(const QString& sentence)
{
    m_sentence = sentence;
    // A sentence without a link is not a Tab stop.
    m_hindrance->setFocusPolicy(sentence.contains("<a ") ? Qt::TabFocus : Qt::NoFocus);
    fitHindrance();
}

/// A sentence that is too long is cut with "…": the whole of it becomes the link, the tooltip shows
/// it in full.
void StatusLine::fitHindrance()
{
    const QString plain = plainOf(m_sentence);
    const QFontMetrics metrics(textFont(TextRole::Label));
    const int room = m_hindrance->width() - 2; // rich text is rounded up
    m_hindrance->setAccessibleName(plain);
    if (metrics.horizontalAdvance(plain) <= room) {
        m_hindrance->setText(m_sentence);
        m_hindrance->setToolTip({});
        return;
    }
    const QString cut = metrics.elidedText(plain, Qt::ElideRight, room).toHtmlEscaped();
    const QString target = m_sentence.section("href=\"", 1).section('"', 0, 0);
    m_hindrance->setText(target.isEmpty() ? cut
                                          : QString("<a href=\"%1\">%2</a>").arg(target, cut));
    m_hindrance->setToolTip(plain);
}

bool StatusLine::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_hindrance && event->type() == QEvent::Resize) {
        fitHindrance();
    }
    return QWidget::eventFilter(watched, event);
}

void StatusLine::setRun(const QString& run, const QString& progress)
{
    m_run->setRun(run, progress);
    // While something trains, its progress takes the place of why nothing can.
    m_hindrance->setVisible(run.isEmpty());
}

void StatusLine::setMachine(const QString& words, const QString& tip)
{
    m_machine->setText(words);
    m_machine->setToolTip(tip);
    m_machine->updateGeometry();
}

void StatusLine::setIndent(int pixels)
{
    const int edge = scaled(14);
    layout()->setContentsMargins(isRightToLeft() ? edge : pixels, 0,
                                 isRightToLeft() ? pixels : edge, 0);
}

void StatusLine::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), tokens().chrome);
}

} // namespace cannery::ui
