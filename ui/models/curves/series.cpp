// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/series.h"

#include <QHash>

namespace cannery::ui {

size_t qHash(const SeriesKey& key, size_t seed)
{
    return qHashMulti(seed, key.run, key.folder, key.tag);
}

} // namespace cannery::ui
