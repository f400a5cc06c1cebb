// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/pipeline/feature_batch.h"
#include "core/spec/experiment.pb.h"

#include <QJsonObject>

#include <string>

namespace cannery::tests {

/// Adds a column as given by case.json (nested, with "type") to an experiment, after the columns it
/// depends on. Returns its handle.
std::string addColumn(const QJsonObject& column, spec::Experiment& experiment);

/// Raw features as given by feature_transforms.json.
data::FeatureBatch featureBatch(const QJsonObject& features);

} // namespace cannery::tests
