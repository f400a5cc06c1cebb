// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/export/signature_card.h"

#include "ui/models/signature_model.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

SignatureCard::SignatureCard(QWidget* parent)
    : Card(tr("Signatures"), parent), m_choice(new Segmented({tr("predict")})),
      m_method(new ElidedLabel({}, TextRole::Code, Ink::Secondary)),
      m_model(new SignatureModel(this)), m_tensors(new TableView(TableView::Rows::Data))
{
    setObjectName("card.signatures");
    m_choice->setObjectName("field.signature");
    m_choice->setAccessibleName(tr("Signature"));
    auto* top = new QHBoxLayout;
    top->addWidget(m_choice);
    top->addWidget(m_method, 1);
    body()->addLayout(top);
    setUpTensors();
    body()->addWidget(m_tensors, 1);
    connect(m_choice, &Segmented::currentChanged, this, &SignatureCard::showSignature);
}

void SignatureCard::setUpTensors()
{
    m_tensors->setObjectName("table.signature");
    m_tensors->setAccessibleName(tr("Tensors of the signature"));
    m_tensors->setModel(m_model);
    m_tensors->verticalHeader()->setVisible(false);
    m_tensors->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    m_tensors->horizontalHeader()->setStretchLastSection(true);
    m_tensors->horizontalHeader()->setHighlightSections(false);
    m_tensors->setColumnWidth(SignatureModel::DirectionColumn, scaled(80));
    m_tensors->setColumnWidth(SignatureModel::NameColumn, scaled(220));
    m_tensors->setColumnWidth(SignatureModel::TypeColumn, scaled(110));
    m_tensors->setMinimumHeight(scaled(150));
}

void SignatureCard::setSignatures(const QList<SignatureFacts>& signatures)
{
    m_signatures = signatures;
    setVisible(!signatures.isEmpty());
    QStringList names;
    for (const SignatureFacts& signature : signatures) {
        names.append(signature.name);
    }
    if (!names.isEmpty()) {
        m_choice->setLabels(names);
        const int best = static_cast<int>(std::max(qsizetype(0), names.indexOf("predict")));
        m_choice->setCurrentIndex(best);
        showSignature(best);
    }
}

void SignatureCard::showSignature(int index)
{
    if (index >= 0 && index < m_signatures.size()) {
        m_model->setSignature(m_signatures[index]);
        m_method->setText(m_signatures[index].method);
    }
}

} // namespace cannery::ui
