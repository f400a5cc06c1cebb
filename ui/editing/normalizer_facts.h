// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/offer_source.h"
#include "ui/models/bucket_boundaries.h"
#include "ui/models/normalizer_picture.h"

#include <optional>

namespace cannery::ui {

/// What a numeric feature column's normalizer does to the numbers of its training rows.
struct NormalizerFacts
{
    NumberDistribution before;
    NumberDistribution after; ///< empty if not known
    QString kind;             ///< "z_score"; empty if there is none, and after is before
    bool isLog = false;       ///< (log(x + offset) - subtract) / divide, otherwise without the log
    double offset = 0;
    double subtract = 0; ///< NaN if not known
    double divide = 1;
    /// Of the numbers before; from the table.
    std::optional<double> mean;
    std::optional<double> deviation;
    bool isFromData = false; ///< some of its numbers are not set, but those of the training rows

    double applied(double x) const;
};

/// In words and bars for the editor; without a formula if there is no normalizer.
NormalizerPicture shownNormalizer(const NormalizerFacts& facts);

/// Nothing unless it is a numeric column of numbers that are known.
std::optional<NormalizerFacts> normalizerFacts(const OfferSource& source,
                                               const QString& numericColumn);

/// The numbers of a numeric feature column as its normalizer leaves them; empty if they are not
/// known.
NumberDistribution normalizedNumbers(const OfferSource& source, const QString& numericColumn);

} // namespace cannery::ui
