// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/date_survey.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::advice {

struct StartingExperiment;

/// The facts of a column, or nullptr.
const DateFacts* findDates(const std::vector<DateFacts>& dates, const std::string& column);

/// Features made of a column of dates for a starting experiment: days since the first date, and
/// month, weekday and hour as categories, those that vary and that later rows repeat. A column
/// whose notation is in doubt, or with many other texts, is left out with the reason. `name`: with
/// which their names begin. `tableColumns`: names that are taken.
void addDateParts(const DateFacts& dates, const std::string& name,
                  const std::vector<std::string>& tableColumns, StartingExperiment& result);

/// Replaces the random split of rows that come in the order of a time by one at a time, which
/// holds back about as many; only if there are enough different times, and each class is on both
/// sides if the label is one.
void splitByTime(const std::vector<DateFacts>& dates, StartingExperiment& result);

} // namespace cannery::advice
