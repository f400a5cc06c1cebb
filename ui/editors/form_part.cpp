// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/form_part.h"

#include "ui/document/experiment_document.h"
#include "ui/editors/field_query.h"

#include <utility>

namespace cannery::ui {

QString FormContext::accessibleName(const QString& label) const
{
    return prefix.isEmpty() ? label : prefix + QStringLiteral(", ") + label;
}

bool FormContext::isLooking() const
{
    return query != nullptr && !query->isEmpty();
}

bool FormContext::isFound(const QString& label, const QString& path, const QString& help) const
{
    return isLooking() && query->matches(accessibleName(label), path, help);
}

QStringList FormContext::offered(FieldNames kind) const
{
    if (kind != FieldNames::FeatureColumn) {
        return names ? names(kind) : QStringList();
    }
    QStringList columns;
    if (const FieldNode* list = document->field(QStringLiteral("feature_column"))) {
        for (const FieldNode& column : list->children) {
            columns << column.name;
        }
    }
    return columns;
}

QStringList FormContext::offeredTexts(const QString& path) const
{
    return texts ? texts(path) : QStringList();
}

std::optional<FieldSchema> FormContext::elementOf(const QString& path) const
{
    return element ? element(path) : std::nullopt;
}

FormPart::FormPart(FormContext context, QString path, QWidget* parent)
    : QWidget(parent), m_context(std::move(context)), m_path(std::move(path))
{}

const FieldNode* FormPart::node() const
{
    return document().field(m_path);
}

} // namespace cannery::ui
