// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/bucket_accessible.h"

#include "ui/editors/bucket_divider.h"
#include "ui/editors/bucket_plot.h"
#include "ui/models/formats.h"

#include <QAccessible>
#include <QAccessibleWidget>

#include <algorithm>

namespace cannery::ui {

namespace {

/// A divider as a slider between its neighbours.
class DividerAccessible : public QAccessibleWidget, public QAccessibleValueInterface
{
public:
    explicit DividerAccessible(BucketDivider* divider)
        : QAccessibleWidget(divider, QAccessible::Slider), m_divider(*divider)
    {}

    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::ValueInterface ? static_cast<QAccessibleValueInterface*>(this)
                                                   : QAccessibleWidget::interface_cast(type);
    }
    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Value ? formatNumber(m_divider.value())
                                          : QAccessibleWidget::text(kind);
    }
    QVariant currentValue() const override { return m_divider.value(); }
    void setCurrentValue(const QVariant& value) override
    {
        m_divider.plot().moveTo(m_divider.index(), value.toDouble());
        m_divider.plot().finishDrag();
    }
    QVariant maximumValue() const override { return neighbour(1); }
    QVariant minimumValue() const override { return neighbour(-1); }
    QVariant minimumStepSize() const override { return m_divider.plot().step(); }

private:
    double neighbour(int side) const
    {
        const BucketPlot& plot = m_divider.plot();
        const qsizetype index = m_divider.index() + side;
        if (index >= 0 && index < plot.boundaries().size()) {
            return plot.boundaries()[index];
        }
        return side < 0 ? std::min(plot.numbers().smallest(), m_divider.value())
                        : std::max(plot.numbers().largest(), m_divider.value());
    }

    BucketDivider& m_divider;
};

QAccessibleInterface* dividerInterface(const QString&, QObject* object)
{
    auto* divider = qobject_cast<BucketDivider*>(object);
    return divider ? new DividerAccessible(divider) : nullptr;
}

} // namespace

void installBucketAccessible()
{
    static const bool kInstalled = [] {
        QAccessible::installFactory(dividerInterface);
        return true;
    }();
    Q_UNUSED(kInstalled)
}

void notifyBucketMoved(BucketDivider& divider)
{
    if (QAccessible::isActive()) {
        QAccessibleValueChangeEvent event(&divider, divider.value());
        QAccessible::updateAccessibility(&event);
    }
}

} // namespace cannery::ui
