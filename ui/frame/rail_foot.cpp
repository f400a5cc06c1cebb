// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/rail_foot.h"

#include "ui/actions/action_registry.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QAction>
#include <QHBoxLayout>
#include <QPainter>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kButtonHeight = 36;
constexpr int kIcon = 18;
constexpr double kRadius = 8;

/// The device above the buttons: icon and words.
class DevicePart : public QWidget
{
public:
    explicit DevicePart(QWidget* parent) : QWidget(parent) {}

    QString words;
    bool compact = false;

    QSize sizeHint() const override { return {scaled(44), compact ? scaled(30) : scaled(44)}; }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter(this);
        paintIcon(painter, QRect(0, scaled(2), width(), scaled(kIcon)), "cpu", tokens().text2,
                  scaled(kIcon));
        if (!compact) {
            painter.setFont(textFont(TextRole::LabelStrong));
            painter.setPen(tokens().text2);
            const QRect place(0, scaled(22), width(), height() - scaled(22));
            paintWords(painter, place, Qt::AlignCenter,
                       painter.fontMetrics().elidedText(words, Qt::ElideRight, width()));
        }
    }
};

} // namespace

/// A button with its label below it.
class RailFoot::Part : public QAbstractButton
{
public:
    Part(QAction* action, bool primary, QWidget* parent)
        : QAbstractButton(parent), m_action(action), m_primary(primary)
    {
        setObjectName(action->objectName().replace("action.", "rail.button_"));
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        const auto follow = [this] {
            setEnabled(m_action->isEnabled());
            setToolTip(m_action->toolTip());
            setAccessibleName(m_action->iconText());
            m_icon = m_action->property("iconName").toString();
            update();
        };
        connect(action, &QAction::changed, this, follow);
        connect(this, &QAbstractButton::clicked, action, &QAction::trigger);
        follow();
    }

    void setShortWord(const QString& word)
    {
        m_word = word;
        update();
    }
    void setCompact(bool compact)
    {
        m_compact = compact;
        updateGeometry();
        update();
    }

    QSize sizeHint() const override
    {
        const int words = m_compact ? 0 : scaled(18);
        return {scaled(34), scaled(kButtonHeight) + words};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const ThemeTokens& t = tokens();
        QPainter painter(this);
        const QRectF box(0, 0, width(), scaled(kButtonHeight));
        const bool active = isEnabled() && (underMouse() || isDown());
        QColor ink = t.text;
        if (m_primary) {
            paintSurface(painter, box, kRadius,
                         !isEnabled() ? t.idleBg
                         : active     ? t.accentHover
                                      : t.accent);
            ink = isEnabled() ? t.onAccent : t.text2;
        } else {
            paintSurface(painter, box, kRadius, active ? t.hover : t.raised, t.border);
            ink = isEnabled() ? t.text : t.text3;
        }
        paintIcon(painter, box, m_icon, ink, scaled(kIcon));
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, m_primary ? box.adjusted(2, 2, -2, -2) : box, kRadius,
                           m_primary ? t.onAccent : t.accent);
        }
        if (!m_compact) {
            QFont font = textFont(TextRole::Badge);
            font.setWeight(QFont::Medium);
            painter.setFont(font);
            painter.setPen(t.text2);
            paintWords(painter, QRect(0, scaled(kButtonHeight), width(), scaled(18)),
                       Qt::AlignCenter,
                       painter.fontMetrics().elidedText(m_word, Qt::ElideRight, width()));
        }
    }

private:
    QAction* m_action;
    bool m_primary;
    bool m_compact = false;
    QString m_icon;
    QString m_word;
};

RailFoot::RailFoot(ActionRegistry& actions, QWidget* parent)
    : QWidget(parent), m_device(new DevicePart(this)),
      m_train(new Part(actions.find("action.train"), true, this)),
      m_pause(new Part(actions.find("action.pause"), false, this)),
      m_stop(new Part(actions.find("action.stop_keep"), false, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, scaled(10), 0, scaled(8));
    column->setSpacing(scaled(6));
    column->addWidget(m_device);
    auto* row = new QHBoxLayout;
    row->setSpacing(scaled(4));
    row->addWidget(m_train);
    row->addWidget(m_pause);
    row->addWidget(m_stop);
    column->addLayout(row);
    m_train->setShortWord(tr("Train"));
    m_stop->setShortWord(tr("Stop"));
    const QAction* pause = actions.find("action.pause");
    const auto nameIt = [this, pause] { m_pause->setShortWord(pause->iconText()); };
    connect(pause, &QAction::changed, this, nameIt);
    nameIt();
    setRunning(false);
}

void RailFoot::setDevice(const QString& device, const QString& tip)
{
    static_cast<DevicePart*>(m_device)->words = device;
    m_device->setToolTip(tip);
    m_device->setAccessibleName(device);
    m_device->update();
}

void RailFoot::setRunning(bool running)
{
    m_running = running;
    m_train->setVisible(!running);
    m_pause->setVisible(running);
    m_stop->setVisible(running);
}

void RailFoot::setCompact(bool compact)
{
    auto* device = static_cast<DevicePart*>(m_device);
    device->compact = compact;
    device->updateGeometry();
    for (Part* part : {m_train, m_pause, m_stop}) {
        part->setCompact(compact);
    }
}

void RailFoot::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(QRect(scaled(8), 0, width() - 2 * scaled(8), 1), tokens().track);
}

} // namespace cannery::ui
