// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/palette/command_palette.h"

#include "ui/frame/dialogs/key_caps.h"
#include "ui/frame/palette/palette_delegate.h"
#include "ui/frame/palette/palette_model.h"
#include "ui/widgets/label.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/style/painting.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QListView>
#include <QPainter>
#include <QPropertyAnimation>
#include <QStyle>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kWidth = 660;
constexpr int kTop = 108;
constexpr int kField = 58;
constexpr int kMostHeight = 560;
constexpr double kRadius = 12;

/// The palette's surface: round corners and two hairlines.
class Panel : public QWidget
{
public:
    using QWidget::QWidget;
    int foot = 0; ///< height of the key hints

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter(this);
        paintSurface(painter, rect(), kRadius, tokens().surface,
                     tokens().isDark ? tokens().border : QColor());
        painter.fillRect(QRect(1, scaled(kField), width() - 2, 1), tokens().line);
        painter.fillRect(QRect(1, height() - foot, width() - 2, 1), tokens().line);
    }
};

/// "Enter run": a key cap and its effect.
class Hint : public QWidget
{
public:
    Hint(const QStringList& keys, const QString& words, QWidget* parent)
        : QWidget(parent), m_keys(keys), m_words(words)
    {
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }
    QSize sizeHint() const override
    {
        const QSize caps = keyCapsSize(m_keys);
        return {caps.width() + scaled(9) +
                    QFontMetrics(textFont(TextRole::Label)).horizontalAdvance(m_words) + 2,
                caps.height()};
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter(this);
        const QSize caps = keyCapsSize(m_keys);
        const auto mirrored = [this](const QRect& place) {
            return QStyle::visualRect(layoutDirection(), rect(), place);
        };
        paintKeyCaps(painter, mirrored(QRect(QPoint(0, 0), caps)), m_keys);
        painter.setFont(textFont(TextRole::Label));
        painter.setPen(tokens().text2);
        paintWords(painter, mirrored(rect().adjusted(caps.width() + scaled(9), 0, 0, 0)),
                   Qt::AlignVCenter | Qt::AlignLeft, m_words);
    }

private:
    QStringList m_keys;
    QString m_words;
};

} // namespace

CommandPalette::CommandPalette(QWidget* host)
    : QWidget(host), m_panel(new Panel(this)),
      m_field(new SearchField(tr("Search actions, runs, tags and settings"), m_panel)),
      m_count(new Label({}, TextRole::Label, Ink::Secondary, m_panel)),
      m_view(new QListView(m_panel)), m_model(new PaletteModel(this))
{
    setObjectName("palette");
    setAccessibleName(tr("Command palette"));
    setProperty("floating", true);
    auto* column = new QVBoxLayout(m_panel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_head = new QHBoxLayout;
    m_field->setObjectName("palette.field");
    m_field->setFrame(false);
    useFont(m_field, TextRole::Section);
    m_head->addWidget(m_field, 1);
    m_head->addWidget(m_count);
    column->addLayout(m_head);
    m_view->setObjectName("palette.results");
    m_view->setAccessibleName(tr("Results"));
    m_view->setModel(m_model);
    m_view->setItemDelegate(new PaletteDelegate(m_view));
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // The keys stay with the field, which passes on those that move the selection.
    m_view->setFocusPolicy(Qt::NoFocus);
    m_view->setMouseTracking(true);
    m_view->viewport()->setAutoFillBackground(false);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    column->addSpacing(1);
    m_list = new QHBoxLayout;
    m_list->addWidget(m_view);
    column->addLayout(m_list, 1);
    m_hints = makeHints();
    column->addWidget(m_hints);
    m_field->installEventFilter(this);
    m_panel->installEventFilter(this);
    host->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::search);
    connect(m_view, &QAbstractItemView::clicked, this, &CommandPalette::choose);
    connect(&themeWatch(), &ThemeWatch::changed, this, &CommandPalette::followTheme);
    followTheme();
    hide();
}

void CommandPalette::followTheme()
{
    m_field->setFixedHeight(scaled(kField));
    m_head->setContentsMargins(scaled(14), 0, scaled(20), 0);
    m_list->setContentsMargins(scaled(8), scaled(8), scaled(8), scaled(8));
    QLayout* hints = m_hints->layout();
    hints->setContentsMargins(scaled(20), scaled(9), scaled(20), scaled(9));
    hints->setSpacing(scaled(18));
    if (isOpen()) {
        place();
    }
}

QWidget* CommandPalette::makeHints()
{
    auto* foot = new QWidget(m_panel);
    auto* row = new QHBoxLayout(foot);
    row->addWidget(new Hint({"↑", "↓"}, tr("move"), foot));
    row->addWidget(new Hint({tr("Enter")}, tr("run"), foot));
    row->addWidget(new Hint({tr("Tab")}, tr("show where it is"), foot));
    row->addWidget(new Hint({tr("Esc")}, tr("close"), foot));
    row->addStretch(1);
    return foot;
}

void CommandPalette::open(const QList<PaletteEntry>& entries)
{
    m_before = QApplication::focusWidget();
    m_model->setEntries(entries);
    m_field->clear();
    search({});
    place();
    show();
    raise();
    m_field->setFocus();
    if (motionAllowed() && window()->isVisible()) {
        const QPoint end = m_panel->pos();
        auto* rise = new QPropertyAnimation(m_panel, "pos", m_panel);
        rise->setDuration(motionMilliseconds());
        rise->setEasingCurve(QEasingCurve::OutCubic);
        rise->setStartValue(end + QPoint(0, scaled(8)));
        rise->setEndValue(end);
        rise->start(QAbstractAnimation::DeleteWhenStopped);
    }
}

void CommandPalette::close()
{
    if (!isVisible()) {
        return;
    }
    // If the chosen action has moved the focus already, it stays there.
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    hide();
    if (hadFocus && m_before && m_before->isVisible()) {
        m_before->setFocus();
    }
}

void CommandPalette::search(const QString& letters)
{
    m_model->setPattern(letters);
    const int results = m_model->resultCount();
    m_count->setText(letters.isEmpty() ? QString()
                     : results == 1    ? tr("1 result")
                                       : tr("%1 results").arg(results));
    place();
    select(m_model->nextRow(0, 1));
    m_view->scrollToTop();
}

void CommandPalette::select(int row)
{
    if (row < 0) {
        m_view->setCurrentIndex({});
        return;
    }
    const QModelIndex index = m_model->index(row);
    m_view->setCurrentIndex(index);
    // With the first result, the heading above it is shown as well.
    m_view->scrollTo(row == m_model->nextRow(0, 1) ? m_model->index(0) : index);
}

bool CommandPalette::handleKey(int key)
{
    const int row = m_view->currentIndex().row();
    const int page = std::max(1, m_view->height() / scaled(40) - 1);
    const auto step = [&](int to, int direction) {
        // Headings are skipped.
        const int found = m_model->nextRow(std::clamp(to, 0, m_model->rowCount() - 1), direction);
        if (found >= 0) {
            select(found);
        }
    };
    switch (key) {
    case Qt::Key_Down:
        step(row + 1, 1);
        return true;
    case Qt::Key_Up:
        step(row - 1, -1);
        return true;
    case Qt::Key_PageDown:
        step(row + page, 1);
        return true;
    case Qt::Key_PageUp:
        step(row - page, 1);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose(m_view->currentIndex());
        return true;
    case Qt::Key_Tab: {
        const QString target = m_view->currentIndex().data(PaletteModel::TargetRole).toString();
        close();
        if (!target.isEmpty()) {
            Q_EMIT whereWanted(target);
        }
        return true;
    }
    case Qt::Key_Escape:
        close();
        return true;
    default:
        return false;
    }
}

void CommandPalette::choose(const QModelIndex& index)
{
    const QString target = index.data(PaletteModel::TargetRole).toString();
    // A disabled row stays listed: its sentence is the reason.
    if (target.isEmpty() || !index.data(PaletteModel::EnabledRole).toBool()) {
        return;
    }
    close();
    Q_EMIT chosen(target);
}

void CommandPalette::place()
{
    const QWidget* host = parentWidget();
    setGeometry(host->rect());
    const int width = std::min(scaled(kWidth), host->width() - 2 * scaled(24));
    const int top = std::min(scaled(kTop), host->height() / 8);
    int rows = 0;
    // Only as many rows are measured as fit.
    for (int row = 0; row < m_model->rowCount() && rows < scaled(kMostHeight); ++row) {
        rows += m_view->sizeHintForRow(row);
    }
    const int around = scaled(kField) + 1 + 2 * scaled(8) + m_hints->sizeHint().height();
    const int wanted = around + std::max(rows, scaled(40));
    const int height = std::min({scaled(kMostHeight), wanted, host->height() - top - scaled(24)});
    static_cast<Panel*>(m_panel)->foot = m_hints->sizeHint().height();
    m_panel->setGeometry((host->width() - width) / 2, top, width, height);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible()) {
        place();
    }
    if (watched == m_panel && (event->type() == QEvent::Resize || event->type() == QEvent::Move)) {
        update(); // its shadow is outside of it
    }
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        // All other keys are letters for the field.
        return handleKey(static_cast<QKeyEvent*>(event)->key());
    }
    if (watched == m_field && event->type() == QEvent::FocusOut && isVisible() &&
        static_cast<QFocusEvent*>(event)->reason() == Qt::TabFocusReason) {
        close();
    }
    return false;
}

void CommandPalette::mousePressEvent(QMouseEvent* /*event*/)
{
    close();
}

void CommandPalette::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), tokens().scrim);
    paintShadow(painter, m_panel->geometry(), kRadius, Elevation::Dialog);
}

} // namespace cannery::ui
