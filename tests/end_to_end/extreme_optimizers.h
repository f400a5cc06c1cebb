// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMap>
#include <QString>

namespace cannery::tests {

/// Estimators with the optimizers of tf.keras.optimizers, by the names of experiments.
QMap<QString, const char*> kerasOptimizers();

} // namespace cannery::tests
