// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"
#include "ui/widgets/dialog.h"

class QLineEdit;

namespace cannery::ui {

class Label;

/// Limits of both axes as numbers; an empty pair of fields follows the data.
class LimitsDialog : public Dialog
{
    Q_OBJECT

public:
    /// The fields propose the current limits.
    LimitsDialog(const ChartOptions& options, AxisLimits x, AxisLimits y, QWidget* parent);

    /// The options with the limits from the fields; valid once the dialog is accepted.
    ChartOptions options() const { return m_options; }

    void done(int result) override;

private:
    struct Pair
    {
        QLineEdit* min;
        QLineEdit* max;
    };
    Pair addRow(const QString& name, const QString& objectName,
                const std::optional<AxisLimits>& limits, AxisLimits shown);
    /// False, with a sentence below the fields.
    bool take(const Pair& fields, bool isLog, std::optional<AxisLimits>& limits);

    ChartOptions m_options;
    Pair m_x;
    Pair m_y;
    Label* m_problem;
};

} // namespace cannery::ui
