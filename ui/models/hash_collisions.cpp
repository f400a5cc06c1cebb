// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/hash_collisions.h"

#include <algorithm>
#include <cmath>

namespace cannery::ui {

namespace {

/// (1 − 1/b)ⁿ, exact also for large b.
double shareUntouched(double values, double buckets)
{
    return std::exp(values * std::log1p(-1 / buckets));
}

constexpr double kMostSharing = 0.1;
constexpr int kMostBuckets = 1'000'000;

} // namespace

double expectedBucketsUsed(double values, double buckets)
{
    if (!(values > 0) || !(buckets >= 1)) {
        return 0;
    }
    return buckets > 1 ? buckets * (1 - shareUntouched(values, buckets)) : 1;
}

double expectedSharing(double values, double buckets)
{
    if (!(values > 1) || !(buckets >= 1)) {
        return 0;
    }
    return buckets > 1 ? 1 - shareUntouched(values - 1, buckets) : 1;
}

int embeddingSize(double values)
{
    return values > 0 ? int(std::clamp(std::round(1.6 * std::pow(values, 0.56)), 1.0, 600.0)) : 1;
}

int suggestedBuckets(double values)
{
    for (int power = 10; power < kMostBuckets; power *= 10) {
        for (const int buckets : {power, 5 * power}) {
            if (expectedSharing(values, buckets) <= kMostSharing) {
                return buckets;
            }
        }
    }
    return kMostBuckets;
}

} // namespace cannery::ui
