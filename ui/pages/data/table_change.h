// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

class QWidget;

namespace cannery::ui {

class ExperimentDocument;
class ProjectSession;

/// Whether the training rows come from a database, of which a table or a query is chosen.
bool readsDatabase(const ExperimentDocument& document);

/// Whether another table or query is what helps against an error about a field.
bool isAboutChosenTable(const ExperimentDocument& document, const QString& errorId,
                        const QString& path = {});

/// Asks which table of its database the open experiment reads, and writes that as one undo step.
void changeTable(ProjectSession& session, QWidget* window);

} // namespace cannery::ui
