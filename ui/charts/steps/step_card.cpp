// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/steps/step_card.h"

#include "ui/charts/curves/chart_link.h"
#include "ui/models/formats.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr double kCardRadius = 8;
constexpr int kManySteps = 10;

class StepAccessible : public QAccessibleWidget
{
public:
    explicit StepAccessible(StepCard* card)
        : QAccessibleWidget(card, QAccessible::Chart), m_card(*card)
    {}

    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Value || kind == QAccessible::Description
                   ? m_card.readout()
                   : QAccessibleWidget::text(kind);
    }

private:
    StepCard& m_card;
};

QAccessibleInterface* stepInterface(const QString&, QObject* object)
{
    auto* card = qobject_cast<StepCard*>(object);
    return card ? new StepAccessible(card) : nullptr;
}

} // namespace

void installStepAccessible()
{
    static const bool kInstalled = [] {
        QAccessible::installFactory(stepInterface);
        return true;
    }();
    Q_UNUSED(kInstalled)
}

QString shownOf(qsizetype shown, qint64 logged)
{
    return shown >= logged
               ? QString()
               : StepCard::tr("%1 of %2 steps").arg(formatCount(shown), formatCount(logged));
}

StepCard::StepCard(const SummaryKey& key, Slider slider, QWidget* parent)
    : QFrame(parent), m_key(key), m_column(new QVBoxLayout(this)),
      m_title(new ElidedLabel(key.tag, TextRole::Strong)),
      m_note(new ElidedLabel({}, TextRole::Label, Ink::Secondary)),
      m_readout(new ElidedLabel({}, TextRole::Label, Ink::Secondary))
{
    installStepAccessible();
    setFocusPolicy(Qt::StrongFocus);
    setObjectName("step_card." + (key.folder.isEmpty() ? QString() : key.folder + '/') + key.tag);
    m_title->setElideMode(Qt::ElideMiddle);
    m_readout->setObjectName("label.readout");
    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    if (!key.folder.isEmpty()) {
        auto* folder = new ElidedLabel(key.folder, TextRole::Label, Ink::Secondary);
        head->addWidget(folder);
    }
    head->addWidget(m_note);
    m_note->hide();
    m_column->addLayout(head);
    if (slider == Slider::Shown) {
        m_slider = new QSlider(Qt::Horizontal);
        m_slider->setAccessibleName(tr("Step of %1").arg(key.tag));
        m_slider->setObjectName("slider.step");
        connect(m_slider, &QSlider::valueChanged, this, [this](int value) { moveTo(value); });
        m_column->addWidget(m_slider);
    }
    m_column->addWidget(m_readout);
    setAccessibleName(key.folder.isEmpty() ? key.tag : key.folder + '/' + key.tag);
    followTheme();
    connect(&themeWatch(), &ThemeWatch::changed, this, &StepCard::followTheme);
}

StepCard::~StepCard() = default;

void StepCard::followTheme()
{
    const int padding = scaled(14);
    m_column->setContentsMargins(padding, scaled(12), padding, scaled(12));
    m_column->setSpacing(scaled(6));
    updateGeometry();
}

void StepCard::setContent(QWidget* content)
{
    m_column->insertWidget(1, content, 1);
}

void StepCard::setLink(ChartLink* link)
{
    m_link = link;
    connect(link, &ChartLink::cursorChanged, this, &StepCard::refresh);
    refresh();
}

QSize StepCard::sizeHint() const
{
    return {scaled(360), scaled(300)};
}

std::optional<double> StepCard::cursor() const
{
    return m_link ? m_link->cursor() : m_ownCursor;
}

bool StepCard::hasCursor() const
{
    return cursor().has_value() && stepCount() > 0;
}

qsizetype StepCard::nearest(double step) const
{
    qsizetype best = -1;
    for (qsizetype i = 0; i < stepCount(); ++i) {
        if (best < 0 ||
            std::abs(double(stepAt(i)) - step) < std::abs(double(stepAt(best)) - step)) {
            best = i;
        }
    }
    return best;
}

qsizetype StepCard::currentStep() const
{
    const std::optional<double> step = cursor();
    return step ? nearest(*step) : stepCount() - 1;
}

QString StepCard::readout() const
{
    const qsizetype step = currentStep();
    return step < 0 ? QString() : describe(step);
}

void StepCard::stepsChanged(const QString& note)
{
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
    refresh();
}

void StepCard::moveTo(qsizetype step)
{
    std::optional<double> target;
    if (step >= 0 && stepCount() > 0) {
        target = double(stepAt(std::min(step, stepCount() - 1)));
    }
    if (m_link) {
        m_link->setCursor(target); // tells this card, too
    } else if (m_ownCursor != target) {
        m_ownCursor = target;
        refresh();
    }
}

void StepCard::refresh()
{
    const qsizetype step = currentStep();
    if (m_slider) {
        const QSignalBlocker quiet(m_slider);
        m_slider->setRange(0, int(std::max<qsizetype>(stepCount() - 1, 0)));
        m_slider->setValue(int(std::max<qsizetype>(step, 0)));
        m_slider->setVisible(stepCount() > 1);
    }
    if (step >= 0) {
        showStep(step, hasCursor());
    }
    const QString words = readout();
    if (words != m_readout->text()) {
        m_readout->setText(words);
        if (QAccessible::isActive() && hasFocus()) {
            QAccessibleValueChangeEvent event(this, words);
            QAccessible::updateAccessibility(&event);
        }
    }
}

void StepCard::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintSurface(painter, rect(), kCardRadius, tokens().surface);
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, rect(), kCardRadius);
    }
}

void StepCard::keyPressEvent(QKeyEvent* event)
{
    const qsizetype last = stepCount() - 1;
    const auto by = [&](qsizetype steps) {
        moveTo(std::clamp<qsizetype>(currentStep() + steps, 0, std::max<qsizetype>(last, 0)));
    };
    const bool isMirrored = layoutDirection() == Qt::RightToLeft;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        by((event->key() == Qt::Key_Right) == isMirrored ? -1 : 1);
        break;
    case Qt::Key_Up:
        by(-1);
        break;
    case Qt::Key_Down:
        by(1);
        break;
    case Qt::Key_PageUp:
        by(-kManySteps);
        break;
    case Qt::Key_PageDown:
        by(kManySteps);
        break;
    case Qt::Key_Home:
        moveTo(0);
        break;
    case Qt::Key_End:
        moveTo(last);
        break;
    case Qt::Key_Escape:
        if (!hasCursor()) {
            event->ignore();
            return;
        }
        moveTo(-1);
        break;
    default:
        QFrame::keyPressEvent(event);
        return;
    }
    event->accept();
}

void StepCard::focusInEvent(QFocusEvent* event)
{
    QFrame::focusInEvent(event);
    update();
}

void StepCard::focusOutEvent(QFocusEvent* event)
{
    QFrame::focusOutEvent(event);
    update();
}

} // namespace cannery::ui
