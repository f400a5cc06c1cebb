// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/bucket_boundaries.h"

#include <QString>

namespace cannery::ui {

/// What a normalizer does to a column's numbers, in bars and words.
struct NormalizerPicture
{
    NumberDistribution before;
    NumberDistribution after; ///< empty if not known
    QString beforeWords;      ///< "mean 29.6, standard deviation 12.5"
    QString afterWords;
    QString formula;  ///< "(x − 29.6) / 12.5"
    QString sentence; ///< where the numbers come from, or why there are none
};

} // namespace cannery::ui
