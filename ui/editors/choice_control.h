// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editors/field_control.h"

class QComboBox;

namespace cannery::ui {

/// One of the values of an enum, or yes and no.
class ChoiceControl : public FieldControl
{
    Q_OBJECT

public:
    ChoiceControl(const FormContext& context, const FieldSchema& schema, const QString& path,
                  QWidget* parent = nullptr);

    void refresh() override;
    void setProblem(bool isWrong) override;

private:
    void choose(int index);

    QComboBox* m_box;
};

} // namespace cannery::ui
