// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editors/field_control.h"

namespace cannery::ui {

class NameChips;

/// A list of names (feature columns, columns of the table): a chip for each, and a menu to add one.
class NamesControl : public FieldControl
{
    Q_OBJECT

public:
    NamesControl(const FormContext& context, const FieldSchema& schema, const QString& path,
                 QWidget* parent = nullptr);

    void refresh() override;
    void setProblem(bool isWrong) override;
    bool isWide() const override { return true; }

private:
    void write(const QStringList& names);

    NameChips* m_chips;
};

} // namespace cannery::ui
