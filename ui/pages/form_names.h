// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editors/form_part.h"

namespace cannery::ui {

class ProjectSession;

/// The context of forms on the open experiment: columns come from `cannery preview`, features
/// derived in the experiment from its text. The session must outlive it.
FormContext formContext(ProjectSession& session);

} // namespace cannery::ui
