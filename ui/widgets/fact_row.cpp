// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/fact_row.h"

#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QHBoxLayout>

namespace cannery::ui {
namespace {

/// "7,440" dark, "of 12,000 steps" grey, one line.
class FactPart : public QWidget
{
public:
    explicit FactPart(QWidget* parent)
        : QWidget(parent), m_number(new Label({}, TextRole::Section, Ink::Text, this)),
          m_unit(new Label({}, TextRole::Body, Ink::Secondary, this))
    {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(scaled(5));
        row->addWidget(m_number, 0, Qt::AlignBaseline);
        row->addWidget(m_unit, 0, Qt::AlignBaseline);
    }

    void setFact(const FactRow::Fact& fact)
    {
        m_number->setText(fact.number);
        m_unit->setText(fact.unit);
        setToolTip(fact.tip);
        setAccessibleName(fact.number + ' ' + fact.unit);
    }

private:
    Label* m_number;
    Label* m_unit;
};

} // namespace

FactRow::FactRow(QWidget* parent) : QWidget(parent)
{
    auto* flow = new FlowLayout(this, 0);
    flow->setSpacing(scaled(24));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void FactRow::setFacts(const QList<Fact>& facts)
{
    while (m_parts.size() > facts.size()) {
        delete m_parts.takeLast();
    }
    while (m_parts.size() < facts.size()) {
        auto* part = new FactPart(this);
        layout()->addWidget(part);
        part->setFact(facts[m_parts.size()]);
        part->setVisible(true);
        m_parts.append(part);
    }
    for (int i = 0; i < facts.size(); ++i) {
        if (m_facts.value(i) != facts[i]) {
            static_cast<FactPart*>(m_parts[i])->setFact(facts[i]);
        }
    }
    m_facts = facts;
}

} // namespace cannery::ui
