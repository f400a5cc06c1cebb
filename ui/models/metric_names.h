// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

namespace cannery::ui {

// How metrics are called everywhere, by their names in a run: "auc", "eval_test/cannery/rmse".

/// For titles and tables: "AUC", "Average loss", "RMSE, test". A tag that is not known and has a
/// "/" is kept.
QString metricName(const QString& metric);
/// Within a sentence: "AUC", "average loss".
QString metricWord(const QString& metric);

} // namespace cannery::ui
