// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/limits_dialog.h"

#include "ui/models/typed_number.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

QString written(double value)
{
    return asTyped(QString::number(value, 'g', 6));
}

} // namespace

LimitsDialog::LimitsDialog(const ChartOptions& options, AxisLimits x, AxisLimits y, QWidget* parent)
    : Dialog(tr("Axis limits"), parent), m_options(options)
{
    setObjectName(QStringLiteral("dialog.limits"));
    setSentence(tr("Empty fields follow the data."));
    m_x = addRow(tr("Horizontal"), QStringLiteral("x"), options.xLimits, x);
    m_y = addRow(tr("Vertical"), QStringLiteral("y"), options.yLimits, y);
    auto* unit = new Button(Button::Kind::Link, tr("Vertical From 0 to 1"), this);
    unit->setObjectName(QStringLiteral("button.zero_to_one"));
    connect(unit, &QPushButton::clicked, this, [this] {
        m_y.min->setText(QStringLiteral("0"));
        m_y.max->setText(QStringLiteral("1"));
    });
    body()->addWidget(unit, 0, Qt::AlignLeft);
    m_problem = new Label({}, TextRole::Label, Ink::Error, this);
    m_problem->setWordWrap(true);
    m_problem->hide();
    body()->addWidget(m_problem);
    addButton(Button::Kind::Plain, tr("Cancel"), QDialog::Rejected);
    addButton(Button::Kind::Primary, tr("Set Limits"), QDialog::Accepted, true);
}

LimitsDialog::Pair LimitsDialog::addRow(const QString& name, const QString& objectName,
                                        const std::optional<AxisLimits>& limits, AxisLimits shown)
{
    auto* row = new QHBoxLayout;
    auto* label = new Label(name, TextRole::Body, Ink::Text, this);
    label->setMinimumWidth(scaled(90));
    row->addWidget(label);
    const auto field = [&](const QString& part, const QString& accessible, double proposal,
                           double value) {
        auto* edit = new QLineEdit(this);
        edit->setObjectName(QStringLiteral("field.%1_%2").arg(objectName, part));
        edit->setAccessibleName(accessible);
        edit->setPlaceholderText(written(proposal));
        if (limits) {
            edit->setText(written(value));
        }
        row->addWidget(edit, 1);
        return edit;
    };
    Pair fields;
    fields.min = field(QStringLiteral("min"), tr("%1, minimum").arg(name), shown.min,
                       limits ? limits->min : 0);
    row->addWidget(new Label(tr("to"), TextRole::Body, Ink::Secondary, this));
    fields.max = field(QStringLiteral("max"), tr("%1, maximum").arg(name), shown.max,
                       limits ? limits->max : 0);
    label->setBuddy(fields.min);
    body()->addLayout(row);
    return fields;
}

bool LimitsDialog::take(const Pair& fields, bool isLog, std::optional<AxisLimits>& limits)
{
    const QString low = fields.min->text().trimmed();
    const QString high = fields.max->text().trimmed();
    if (low.isEmpty() && high.isEmpty()) {
        limits.reset();
        return true;
    }
    const auto min = numberTyped(low.isEmpty() ? fields.min->placeholderText() : low);
    const auto max = numberTyped(high.isEmpty() ? fields.max->placeholderText() : high);
    QString problem;
    QLineEdit* wrong = fields.min;
    if (!min || !max) {
        wrong = min ? fields.max : fields.min;
        problem = tr("\"%1\" is not a number.").arg(wrong->text());
    } else if (*min >= *max) {
        problem = tr("The minimum must be less than the maximum.");
    } else if (isLog && *min <= 0) {
        problem = tr("A logarithmic axis must begin above 0.");
    }
    if (problem.isEmpty()) {
        limits = AxisLimits{*min, *max};
        return true;
    }
    m_problem->setText(problem);
    m_problem->show();
    wrong->setFocus();
    wrong->selectAll();
    return false;
}

void LimitsDialog::done(int result)
{
    if (result == QDialog::Accepted && (!take(m_x, m_options.logX, m_options.xLimits) ||
                                        !take(m_y, m_options.logY, m_options.yLimits))) {
        return;
    }
    Dialog::done(result);
}

} // namespace cannery::ui
