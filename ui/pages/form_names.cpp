// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/form_names.h"

#include "ui/document/experiment_document.h"
#include "ui/editing/document_query.h"
#include "ui/models/tables/column_facts.h"
#include "ui/services/projects/project_session.h"

namespace cannery::ui {

FormContext formContext(ProjectSession& session)
{
    const auto names = [&session](FieldNames kind) {
        QStringList found;
        const FieldNode* derived = session.document().field(QStringLiteral("data.feature"));
        if (kind == FieldNames::Feature && derived != nullptr) {
            for (const FieldNode& feature : derived->children) {
                found << feature.name;
            }
        }
        found += columnNamesFromJson(DocumentQuery::preview(session).result());
        found.removeDuplicates();
        return found;
    };
    return {.document = &session.document(), .names = names};
}

} // namespace cannery::ui
