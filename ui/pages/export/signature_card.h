// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/export_facts.h"
#include "ui/widgets/card.h"

class QTableView;

namespace cannery::ui {

class ElidedLabel;
class Segmented;
class SignatureModel;

/// The serving signatures of a SavedModel, one at a time.
class SignatureCard : public Card
{
    Q_OBJECT

public:
    explicit SignatureCard(QWidget* parent = nullptr);

    /// Shows "predict" first; hidden without signatures.
    void setSignatures(const QList<SignatureFacts>& signatures);

private:
    void setUpTensors();
    void showSignature(int index);

    Segmented* m_choice;
    ElidedLabel* m_method;
    SignatureModel* m_model;
    QTableView* m_tensors;
    QList<SignatureFacts> m_signatures;
};

} // namespace cannery::ui
