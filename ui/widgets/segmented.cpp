// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/segmented.h"

#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kHeight = 28;
constexpr int kSide = 12;
constexpr double kRadius = 6;
constexpr double kInnerRadius = 4.5;

/// One view of the control: a radio button with another look.
class Segment : public QAbstractButton
{
public:
    explicit Segment(const QString& label, QWidget* parent) : QAbstractButton(parent)
    {
        setText(label);
        setCheckable(true);
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        useFont(this, TextRole::LabelStrong);
    }

    QSize sizeHint() const override
    {
        // As wide as when it is chosen, so that a choice does not move the others.
        QFont bold = font();
        bold.setWeight(QFont::DemiBold);
        return {QFontMetrics(bold).horizontalAdvance(text()) + 2 * scaled(kSide),
                qMax(scaled(kHeight), fontMetrics().height() + scaled(6)) - 4};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const ThemeTokens& t = tokens();
        QPainter painter(this);
        if (isChecked()) {
            const QColor fill = t.isDark ? t.border : t.raised;
            paintSurface(painter, rect(), kInnerRadius, fill);
        }
        QFont bold = font();
        bold.setWeight(isChecked() ? QFont::DemiBold : QFont::Medium);
        painter.setFont(bold);
        const bool strong = isChecked() || underMouse();
        painter.setPen(!isEnabled() ? t.text3 : strong ? t.text : t.text2);
        paintWords(painter, rect(), Qt::AlignCenter, text());
        if (showsFocusRing(*this)) {
            paintFocusRing(painter, rect(), kInnerRadius);
        }
    }
};

} // namespace

Segmented::Segmented(const QStringList& labels, QWidget* parent)
    : QWidget(parent), m_group(new QButtonGroup(this))
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(2, 2, 2, 2);
    row->setSpacing(2);
    m_group->setExclusive(true);
    connect(m_group, &QButtonGroup::idToggled, this, [this](int id, bool checked) {
        if (checked) {
            Q_EMIT currentChanged(id);
        }
    });
    connect(m_group, &QButtonGroup::idClicked, this, &Segmented::pressed);
    setLabels(labels);
}

void Segmented::setLabels(const QStringList& labels)
{
    const int current = currentIndex();
    qDeleteAll(m_group->buttons());
    const QSignalBlocker quiet(m_group);
    for (int i = 0; i < labels.size(); ++i) {
        auto* segment = new Segment(labels[i], this);
        segment->setObjectName(QString("segment.%1").arg(i));
        m_group->addButton(segment, i);
        layout()->addWidget(segment);
        segment->setChecked(i == std::max(current, 0));
        segment->setVisible(true);
    }
}

/// Segments that were made just now count, too, though they are not shown yet.
QSize Segmented::sizeHint() const
{
    const QMargins margins = layout()->contentsMargins();
    const QList<QAbstractButton*> segments = m_group->buttons();
    QSize size(layout()->spacing() * std::max(0, int(segments.size()) - 1), 0);
    for (const QAbstractButton* segment : segments) {
        const QSize hint = segment->sizeHint();
        size = {size.width() + hint.width(), std::max(size.height(), hint.height())};
    }
    return size.grownBy(margins);
}

int Segmented::currentIndex() const
{
    return m_group->checkedId();
}

void Segmented::setCurrentIndex(int index)
{
    if (QAbstractButton* segment = m_group->button(index)) {
        segment->setChecked(true);
    }
}

int Segmented::count() const
{
    return static_cast<int>(m_group->buttons().size());
}

void Segmented::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    paintSurface(painter, rect(), kRadius, tokens().idleBg);
}

} // namespace cannery::ui
