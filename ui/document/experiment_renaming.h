// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

#include <functional>

namespace cannery::ui {

class ExperimentDocument;

/// Gives the open experiment another name (empty: none) and its file another path in its folder, as
/// one undo step. Replaces no file; `done` gets why it could not, or an empty sentence.
void renameExperiment(ExperimentDocument& document, const QString& name, const QString& file,
                      const std::function<void(const QString& error)>& done);

} // namespace cannery::ui
