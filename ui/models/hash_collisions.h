// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace cannery::ui {

// What to expect when values are hashed into buckets, each bucket as likely as any other.

/// How many of the buckets are used by at least one of the values: b·(1 − (1 − 1/b)ⁿ).
double expectedBucketsUsed(double values, double buckets);

/// The share of the values that share their bucket with another one, 0 to 1: 1 − (1 − 1/b)ⁿ⁻¹.
double expectedSharing(double values, double buckets);

/// A rule of thumb for the length of an embedding's vectors: 1.6·n^0.56, at least 1, at most 600,
/// as fast.ai and TensorFlow's tutorials use it.
int embeddingSize(double values);

/// Buckets for a number of values: the next power of ten or five times one that keeps the expected
/// sharing at a tenth or below.
int suggestedBuckets(double values);

} // namespace cannery::ui
