// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/dialog.h"

#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kWidth = 440;
constexpr int kEdge = 24;
constexpr int kAround = 24; ///< the minimum between a dialog and its window's edges

} // namespace

/// Holds the content: at its preferred height, and scrolled if there is no room for that.
class Dialog::Body : public QScrollArea
{
public:
    explicit Body(QWidget* parent) : QScrollArea(parent)
    {
        setObjectName("dialog.body");
        setFrameShape(QFrame::NoFrame);
        setWidgetResizable(true);
        setFocusPolicy(Qt::NoFocus);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        auto* content = new QWidget;
        setWidget(content);
        viewport()->setAutoFillBackground(false);
        content->setAutoFillBackground(false);
        QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Expanding);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
    }

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override
    {
        const QLayout* content = widget()->layout();
        const int wanted = content->hasHeightForWidth() ? content->totalHeightForWidth(width)
                                                        : content->totalSizeHint().height();
        return std::max(wanted, content->totalMinimumSize().height());
    }
    QSize sizeHint() const override
    {
        const QSize content = widget()->layout()->totalSizeHint();
        return {content.width(), heightForWidth(content.width())};
    }
    QSize minimumSizeHint() const override
    {
        return {widget()->layout()->totalMinimumSize().width(), 0};
    }

protected:
    /// A change in the content changes the dialog's height.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) {
            updateGeometry();
            updateBar();
        }
        return QScrollArea::eventFilter(watched, event);
    }

    void resizeEvent(QResizeEvent* event) override
    {
        updateBar();
        QScrollArea::resizeEvent(event);
    }

private:
    /// A scroll bar from before the dialog had its height would keep itself: next to it, text is
    /// higher.
    void updateBar()
    {
        setVerticalScrollBarPolicy(heightForWidth(width()) > height() ? Qt::ScrollBarAsNeeded
                                                                      : Qt::ScrollBarAlwaysOff);
    }
};

Dialog::Dialog(const QString& title, QWidget* parent)
    : QDialog(parent), m_title(new Label(title, TextRole::Section, Ink::Text, this)),
      m_sentence(new Label({}, TextRole::Body, Ink::Secondary, this)), m_area(new Body(this)),
      m_body(new QVBoxLayout(m_area->widget())), m_buttons(new QHBoxLayout), m_width(kWidth)
{
    setWindowTitle(title);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(scaled(12));
    column->addWidget(m_title);
    column->addWidget(m_sentence);
    column->addWidget(m_area, 1);
    m_body->setContentsMargins(0, 0, 0, 0);
    m_body->setSpacing(scaled(10));
    m_buttons->setSpacing(scaled(8));
    m_buttons->addStretch(1);
    column->addSpacing(scaled(4));
    column->addLayout(m_buttons);
    m_title->setWordWrap(true);
    m_sentence->setWordWrap(true);
    m_sentence->hide();
    connect(&themeWatch(), &ThemeWatch::changed, this, &Dialog::fit);
}

void Dialog::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
    m_sentence->setVisible(!sentence.isEmpty());
}

void Dialog::setContentWidth(int width)
{
    m_width = width;
    fit();
}

/// As wide as requested, as high as the text needs at that width, and never larger than the parent
/// window: there the content scrolls. Larger if the user resized it.
void Dialog::fit()
{
    const QWidget* host = parentWidget() ? parentWidget()->window() : nullptr;
    const QSize around =
        host && host->isVisible() ? host->size().expandedTo({640, 480}) : screen()->availableSize();
    const QSize room = around - 2 * QSize(kAround, kAround);
    QLayout* column = layout();
    const int edge = scaled(kEdge);
    column->setContentsMargins(edge, edge, edge, edge);
    column->activate();
    const int least =
        std::max(column->totalMinimumSize().width(), m_buttons->sizeHint().width() + 2 * edge);
    const int width = std::min(std::max(scaled(m_width), least), room.width());
    const int height = std::min(column->totalHeightForWidth(width), room.height());
    const QSize fitted(width, height);
    // Every request for a new layout ends here; most change nothing.
    if (fitted == m_fitted && isVisible()) {
        return;
    }
    // A dialog that the user has made larger or smaller keeps that size as far as its content fits.
    const bool wasFitted = !isVisible() || size() == m_fitted || !m_fitted.isValid();
    m_fitted = fitted;
    setMinimumSize(fitted);
    resize(wasFitted ? fitted : size().expandedTo(fitted));
}

void Dialog::showEvent(QShowEvent* event)
{
    fit();
    QDialog::showEvent(event);
}

bool Dialog::event(QEvent* event)
{
    const bool handled = QDialog::event(event);
    if (event->type() == QEvent::LayoutRequest && isVisible()) {
        fit();
    }
    return handled;
}

Button* Dialog::addButton(Button::Kind kind, const QString& text, int result, bool isDefault)
{
    auto* button = new Button(kind, text, this);
    m_buttons->addWidget(button);
    button->setDefault(isDefault);
    if (isDefault) {
        button->setFocus();
    }
    if (result != keepsOpen) {
        connect(button, &QPushButton::clicked, this, [this, result] { done(result); });
    }
    return button;
}

} // namespace cannery::ui
