// SPDX-License-Identifier: Apache-2.0
#include "tests/support/widget_walk.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QHash>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenuBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitterHandle>
#include <QStackedWidget>
#include <QStyle>
#include <QStyleOption>
#include <QTextDocument>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace cannery::tests {
namespace {

QString nameOf(const QWidget& widget)
{
    QString path;
    for (const QWidget* w = &widget; w && path.count('/') < 3; w = w->parentWidget()) {
        const QString own = w->objectName().isEmpty()
                                ? QString::fromLatin1(w->metaObject()->className()).section(':', -1)
                                : w->objectName();
        path = path.isEmpty() ? own : own + '/' + path;
    }
    return path;
}

bool isInScrollArea(const QWidget& widget, const QWidget& root)
{
    for (const QWidget* w = widget.parentWidget(); w && w != &root; w = w->parentWidget()) {
        if (qobject_cast<const QAbstractScrollArea*>(w)) {
            return true;
        }
    }
    return false;
}

/// Parts that Qt itself makes inside a widget.
bool isInnerPart(const QWidget& widget)
{
    const QWidget* parent = widget.parentWidget();
    return widget.objectName().startsWith("qt_") || qobject_cast<const QScrollBar*>(&widget) ||
           qobject_cast<const QSplitterHandle*>(&widget) ||
           qobject_cast<const QLineEdit*>(parent) ||
           qobject_cast<const QAbstractSpinBox*>(parent) ||
           qobject_cast<const QComboBox*>(parent) ||
           qobject_cast<const QAbstractItemView*>(parent) ||
           qobject_cast<const QMenuBar*>(parent) || widget.isWindow();
}

bool isRich(const QLabel& label)
{
    return label.textFormat() == Qt::RichText ||
           (label.textFormat() == Qt::AutoText && Qt::mightBeRichText(label.text()));
}

QString textOf(const QWidget& widget)
{
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) {
        return label->text();
    }
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) {
        return button->text();
    }
    return {};
}

void checkClipping(const QWidget& widget, const QWidget& root, QStringList& found)
{
    const QString text = textOf(widget);
    if (text.isEmpty() || isInScrollArea(widget, root) || isInnerPart(widget)) {
        return;
    }
    if (widget.inherits("cannery::ui::ElidedLabel")) {
        return; // cut texts have a tool tip by themselves
    }
    constexpr int kRounding = 2;
    const auto* label = qobject_cast<const QLabel*>(&widget);
    const bool wraps = label && (label->wordWrap() || isRich(*label));
    const bool tooNarrow = !wraps && widget.sizeHint().width() > widget.width() + kRounding &&
                           !widget.toolTip().size();
    const int wanted = wraps ? widget.heightForWidth(widget.width()) : widget.sizeHint().height();
    const bool tooLow = wanted > widget.height() + kRounding;
    if (tooNarrow || tooLow) {
        found += QString("%1 cuts \"%2\": %3x%4, wants %5x%6")
                     .arg(nameOf(widget), text.left(40))
                     .arg(widget.width())
                     .arg(widget.height())
                     .arg(widget.sizeHint().width())
                     .arg(wanted);
    }
    const QWidget* parent = widget.parentWidget();
    if (parent && !parent->rect()
                       .adjusted(-kRounding, -kRounding, kRounding, kRounding)
                       .contains(widget.geometry())) {
        found += QString("%1 (\"%2\") stands out of its parent").arg(nameOf(widget), text.left(40));
    }
}

/// A combo box whose words do not fit beside its arrow.
void checkCombo(const QWidget& widget, QStringList& found)
{
    const auto* combo = qobject_cast<const QComboBox*>(&widget);
    if (!combo || combo->isEditable() || !combo->toolTip().isEmpty()) {
        return;
    }
    QStyleOptionComboBox option;
    option.initFrom(combo);
    const int room =
        combo->style()
            ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, combo)
            .width();
    const int wanted = combo->fontMetrics().horizontalAdvance(combo->currentText());
    if (wanted > room) {
        found += QString("%1 cuts \"%2\": %3 wide, wants %4")
                     .arg(nameOf(widget), combo->currentText().left(40))
                     .arg(room)
                     .arg(wanted);
    }
}

/// The head of a table that is lower than its own words.
void checkHead(const QWidget& widget, QStringList& found)
{
    const auto* head = qobject_cast<const QHeaderView*>(&widget);
    if (!head || head->count() == 0) {
        return;
    }
    if (head->orientation() == Qt::Horizontal && head->height() < head->sizeHint().height()) {
        found += QString("%1 is %2 high, wants %3")
                     .arg(nameOf(widget))
                     .arg(head->height())
                     .arg(head->sizeHint().height());
    }
    for (int section = 0; section < head->count(); ++section) {
        const QString words = head->model()->headerData(section, head->orientation()).toString();
        const bool isFixed = head->sectionResizeMode(section) == QHeaderView::Fixed;
        if (isFixed && !words.isEmpty() && !head->isSectionHidden(section) &&
            head->sectionSize(section) < head->sectionSizeHint(section)) {
            found += QString("%1 cuts \"%2\": has %3, wants %4")
                         .arg(nameOf(widget), words)
                         .arg(head->sectionSize(section))
                         .arg(head->sectionSizeHint(section));
        }
    }
}

bool mayOverlap(const QWidget& widget)
{
    return widget.property("floating").toBool() || isInnerPart(widget) || !widget.isVisible() ||
           widget.testAttribute(Qt::WA_TransparentForMouseEvents) || widget.size().isEmpty();
}

void checkOverlap(const QWidget& parent, QStringList& found)
{
    if (qobject_cast<const QAbstractScrollArea*>(&parent) ||
        qobject_cast<const QLineEdit*>(&parent) || qobject_cast<const QComboBox*>(&parent)) {
        return;
    }
    QList<const QWidget*> children;
    for (const QObject* child : parent.children()) {
        const auto* widget = qobject_cast<const QWidget*>(child);
        if (widget && !mayOverlap(*widget)) {
            children += widget;
        }
    }
    for (int i = 0; i < children.size(); ++i) {
        for (int j = i + 1; j < children.size(); ++j) {
            const QRect common = children[i]->geometry() & children[j]->geometry();
            if (common.width() > 1 && common.height() > 1) {
                found += QString("%1 and %2 overlap by %3x%4")
                             .arg(nameOf(*children[i]), nameOf(*children[j]))
                             .arg(common.width())
                             .arg(common.height());
            }
        }
    }
}

bool isInteractive(const QWidget& widget)
{
    return qobject_cast<const QAbstractButton*>(&widget) ||
           qobject_cast<const QAbstractSlider*>(&widget) ||
           qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QComboBox*>(&widget) ||
           qobject_cast<const QAbstractSpinBox*>(&widget) ||
           qobject_cast<const QAbstractItemView*>(&widget) ||
           (widget.focusPolicy() & Qt::TabFocus) == Qt::TabFocus;
}

void checkName(QWidget& widget, QStringList& found)
{
    if (!isInteractive(widget) || isInnerPart(widget) || qobject_cast<QScrollArea*>(&widget) ||
        qobject_cast<QMenuBar*>(&widget)) {
        return;
    }
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(&widget);
    if (!face || face->text(QAccessible::Name).trimmed().isEmpty()) {
        found += QString("%1 has no name for assistive technology").arg(nameOf(widget));
    }
}

double luminance(QRgb colour)
{
    const auto linear = [](int channel) {
        const double share = channel / 255.0;
        return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(qRed(colour)) + 0.7152 * linear(qGreen(colour)) +
           0.0722 * linear(qBlue(colour));
}

double contrast(QRgb a, QRgb b)
{
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

/// The colour that most pixels of the rectangle have.
QRgb groundOf(const QImage& image, const QRect& where)
{
    QHash<QRgb, int> counts;
    for (int y = where.top(); y <= where.bottom(); ++y) {
        for (int x = where.left(); x <= where.right(); ++x) {
            ++counts[image.pixel(x, y)];
        }
    }
    QRgb most = 0;
    int best = -1;
    for (auto it = counts.cbegin(); it != counts.cend(); ++it) {
        if (it.value() > best) {
            best = it.value();
            most = it.key();
        }
    }
    return most;
}

void checkContrast(const QWidget& widget, const QWidget& root, const QImage& image,
                   QStringList& found)
{
    const auto* label = qobject_cast<const QLabel*>(&widget);
    if (!label || label->text().trimmed().isEmpty() || !label->isEnabled() || isRich(*label) ||
        label->inherits("cannery::ui::Pill") || label->pixmap(Qt::ReturnByValue).width() > 0) {
        return;
    }
    QRect visible = widget.visibleRegion().boundingRect();
    visible.moveTopLeft(widget.mapTo(&root, visible.topLeft()));
    visible &= image.rect();
    if (visible.width() < 4 || visible.height() < 4) {
        return;
    }
    constexpr double kLeast = 4.5;
    const QRgb ink = widget.palette().color(widget.foregroundRole()).rgb();
    const double ratio = contrast(ink, groundOf(image, visible));
    if (ratio < kLeast) {
        found += QString("%1 (\"%2\") has a contrast of %3")
                     .arg(nameOf(widget), label->text().left(40))
                     .arg(ratio, 0, 'f', 2);
    }
}

} // namespace

QStringList walkWidgets(QWidget& root, const WalkRules& rules)
{
    QStringList found;
    const QImage image =
        rules.contrast ? root.grab().toImage().convertToFormat(QImage::Format_RGB32) : QImage();
    QList<QWidget*> all = root.findChildren<QWidget*>();
    all.prepend(&root);
    for (QWidget* widget : all) {
        if (!widget->isVisible() || (widget != &root && widget->isWindow())) {
            continue;
        }
        if (rules.clipping) {
            checkClipping(*widget, root, found);
            checkCombo(*widget, found);
            checkHead(*widget, found);
        }
        if (rules.overlap) {
            checkOverlap(*widget, found);
        }
        if (rules.names) {
            checkName(*widget, found);
        }
        if (rules.contrast) {
            checkContrast(*widget, root, image, found);
        }
    }
    return found;
}

} // namespace cannery::tests
