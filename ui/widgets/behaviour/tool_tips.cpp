// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/behaviour/tool_tips.h"

#include "ui/widgets/style/theme.h"

#include <QEvent>
#include <QLabel>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kWidest = 480;
constexpr qsizetype kLongest = 1000;

/// Qt sizes a tooltip for its text on one line and then places it: it is wrapped in between.
class TipShape : public QObject
{
public:
    explicit TipShape(QLabel& tip) : QObject(&tip), m_tip(tip) { tip.installEventFilter(this); }

protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override
    {
        if (event->type() == QEvent::Resize && !m_isShaping && m_tip.width() > scaled(kWidest)) {
            m_isShaping = true;
            shape();
            m_isShaping = false;
        }
        return false;
    }

private:
    void shape()
    {
        // A value of a table can be megabytes long.
        if (m_tip.text().size() > kLongest) {
            m_tip.setText(m_tip.text().left(kLongest) + QStringLiteral("…"));
        }
        m_tip.setWordWrap(true);
        const int width = std::max(scaled(kWidest), m_tip.minimumSizeHint().width());
        const int widest = 2 * scaled(kWidest);
        m_tip.resize(std::min(width, widest), m_tip.heightForWidth(std::min(width, widest)));
    }

    QLabel& m_tip;
    bool m_isShaping = false;
};

} // namespace

void makeTipPlain(QLabel& tip)
{
    tip.setTextFormat(Qt::PlainText);
    new TipShape(tip); // owned by the tip
}

} // namespace cannery::ui
