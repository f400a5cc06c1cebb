// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/experiment_facts.h"

#include <QWidget>

class QVBoxLayout;

namespace cannery::ui {

/// Hyperparameters in groups; a dot marks what the file sets, defaults are grey.
class ParameterList : public QWidget
{
    Q_OBJECT

public:
    explicit ParameterList(QWidget* parent = nullptr);

    void setParameters(const QList<ParameterFacts>& parameters);

private:
    QWidget* makeRow(const ParameterFacts& parameter);

    QVBoxLayout* m_rows;
};

} // namespace cannery::ui
