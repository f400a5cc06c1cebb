// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_summaries.h"

#include <QByteArray>

#include <memory>

namespace cannery::ui {

/// The layers of a Keras model and what feeds each, from the JSON that Keras 2 and 3 write of it:
/// sequential and functional models, models within models as scopes. Null if it cannot be read as
/// one. Any thread.
std::shared_ptr<const RunGraph> kerasGraph(const QByteArray& json);

} // namespace cannery::ui
