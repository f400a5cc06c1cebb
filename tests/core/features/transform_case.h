// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/feature_batch.h"
#include "core/spec/experiment.pb.h"

#include <QJsonObject>

#include <string>

namespace cannery::tests {

/// A column as case.json writes it (nested, with "type") added to an experiment, those it stands
/// on first. Returns its handle.
std::string addColumn(const QJsonObject& column, spec::Experiment& experiment);

/// Raw features as feature_transforms.json writes them.
data::FeatureBatch featureBatch(const QJsonObject& features);

} // namespace cannery::tests
