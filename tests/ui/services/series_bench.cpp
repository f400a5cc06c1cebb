// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/services/series_bench.h"

#include "tests/ui/services/event_files.h"

namespace cannery::tests {

qsizetype sizeOf(const ui::SeriesStore& store, const ui::SeriesKey& key)
{
    const ui::Series* series = store.series(key);
    return series == nullptr ? 0 : series->size();
}

bool hasLogged(const ui::Series* series, std::int64_t firstStep, std::int64_t count,
               std::size_t tag)
{
    if (series == nullptr || series->size() != count) {
        return false;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (series->steps()[at] != firstStep + i ||
            series->values()[at] != loggedValue(firstStep + i, tag)) {
            return false;
        }
    }
    return series->pyramid().size() == count;
}

} // namespace cannery::tests
