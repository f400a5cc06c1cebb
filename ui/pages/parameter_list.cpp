// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/parameter_list.h"

#include "ui/pages/page_parts.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace cannery::ui {

namespace {

/// The dot of a changed parameter.
class Dot : public QWidget
{
public:
    explicit Dot(bool shown) : m_shown(shown) { setFixedSize(scaled(14), scaled(14)); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        if (m_shown) {
            QPainter painter(this);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(tokens().accent);
            painter.drawEllipse(QRectF(rect()).center(), scaled(3), scaled(3));
        }
    }

private:
    bool m_shown;
};

} // namespace

ParameterList::ParameterList(QWidget* parent) : QWidget(parent), m_rows(new QVBoxLayout(this))
{
    setObjectName("list.parameters");
    setAccessibleName(tr("Hyper-parameters"));
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(scaled(2));
}

void ParameterList::setParameters(const QList<ParameterFacts>& parameters)
{
    clearLayout(m_rows);
    QStringList groups;
    for (const ParameterFacts& parameter : parameters) {
        if (!groups.contains(parameter.group)) {
            groups.append(parameter.group);
        }
    }
    for (const QString& group : groups) {
        auto* title = new Label(group, TextRole::LabelStrong, Ink::Secondary);
        title->setContentsMargins(0, scaled(8), 0, scaled(2));
        m_rows->addWidget(title);
        for (const ParameterFacts& parameter : parameters) {
            if (parameter.group == group) {
                m_rows->addWidget(makeRow(parameter));
            }
        }
    }
    m_rows->addStretch(1);
}

QWidget* ParameterList::makeRow(const ParameterFacts& parameter)
{
    auto* row = new QWidget(this);
    row->setObjectName("parameter." + parameter.path);
    row->setAccessibleName(parameter.label + ": " + parameter.value +
                           (parameter.isChanged ? QString() : tr(", the default")));
    row->setToolTip(parameter.help + '\n' + parameter.path);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, scaled(4), 0, scaled(4));
    line->setSpacing(scaled(4));
    line->addWidget(new Dot(parameter.isChanged));
    auto* name =
        new Label(parameter.label, parameter.isChanged ? TextRole::Strong : TextRole::Body);
    name->setWordWrap(true);
    line->addWidget(name, 5);
    const QString value =
        parameter.unit.isEmpty() ? parameter.value : parameter.value + ' ' + parameter.unit;
    line->addWidget(
        new ElidedLabel(value, TextRole::Body, parameter.isChanged ? Ink::Text : Ink::Secondary),
        4);
    return row;
}

} // namespace cannery::ui
