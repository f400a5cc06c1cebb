// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/train_fields.h"

#include "ui/document/experiment_document.h"
#include "ui/editing/field_values.h"
#include "ui/editors/field_form.h"
#include "ui/editors/field_row.h"
#include "ui/pages/form_names.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/flow_layout.h"

namespace cannery::ui {
namespace {

/// The learning rates of an estimator's optimizers, each with the optimizer's label.
QList<std::pair<QString, QString>> ratesOf(const FieldNode& estimator)
{
    QList<std::pair<QString, QString>> rates;
    for (const FieldNode& field : estimator.children) {
        if (field.type != QLatin1String("Optimizer")) {
            continue;
        }
        const FieldNode& rate = learningRateOf(field);
        if (!rate.path.isEmpty()) {
            rates.append({rate.path, field.label});
        }
    }
    return rates;
}

} // namespace

TrainFields::TrainFields(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(&session), m_flow(new FlowLayout(this, 12))
{
    setObjectName("fields.train");
    setAccessibleName(tr("Next run"));
    m_flow->setContentsMargins(0, 0, 0, 0);
    for (const char* path : {"train_spec.max_steps", "train_spec.input.batch_size"}) {
        add(QString::fromLatin1(path), {});
    }
    refresh();
}

void TrainFields::add(const QString& path, const QString& label)
{
    std::optional<FieldSchema> schema = fieldSchema(path);
    if (!schema) {
        return;
    }
    schema->label = label.isEmpty() ? schema->label : label;
    auto* row = new FieldRow(formContext(*m_session), *schema, path, this);
    row->setCompact();
    followDocument(row, m_session->document());
    m_rows << row;
    m_flow->addWidget(row);
    row->show();
}

void TrainFields::refresh()
{
    const auto rates = ratesOf(chosen(child(m_session->document().root(), "estimator")));
    QStringList paths;
    for (const auto& [path, label] : rates) {
        paths << path;
    }
    if (paths == m_rates) {
        return;
    }
    for (; !m_rates.isEmpty(); m_rates.removeLast()) {
        FormPart* row = m_rows.takeLast();
        delete m_flow->takeAt(m_flow->count() - 1);
        row->hide();
        row->deleteLater();
    }
    m_rates = paths;
    for (const auto& [path, label] : rates) {
        add(path, rates.size() == 1 ? QString() : tr("%1, learning rate").arg(label));
    }
    updateGeometry();
}

} // namespace cannery::ui
